// How the variables of a file are stored: where their values are, and which chunks lie raw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "model/data_type.hpp"
#include "output/netcdf/driver.hpp"
#include "output/netcdf/metadata/object_header.hpp"

namespace tailrace::output::netcdf {

struct StoredChunk {
  std::vector<std::int64_t> offset;  // its corner, as in EncodedChunk
  std::uint64_t address = 0;
  std::uint64_t size = 0;     // in bytes
  std::uint32_t skipped = 0;  // the filter mask: 0, or all filters are skipped
};

struct StoredVariable {
  std::string name;          // of its link
  std::uint64_t header = 0;  // address
  Bytes layout;              // the data of its layout message
  model::DataType type = model::DataType::float64;
  std::vector<std::int64_t> shape;  // now
  bool grows = false;
  std::vector<std::int64_t> chunk;  // empty: not in chunks
  std::size_t filters = 0;
  std::optional<codecs::CodecOptions> codec;  // nothing: filters that Tailrace does not know
  std::vector<std::byte> fill;                // of cells that nobody wrote: a value
  std::optional<double> fill_value;           // the same, where the variable has the attribute
  std::uint64_t address = 0, size = 0;        // of values that are not in chunks; size 0: none are stored
  std::vector<StoredChunk> chunks;
  Id data_type, properties;  // copies, with which an equal dataset can be created

  std::size_t chunk_bytes() const;  // before encoding
  // The bytes of the chunk's records within the shape; the rest of a raw chunk was never written.
  std::size_t valid_bytes(const StoredChunk& chunk) const;
  bool is_raw(const StoredChunk& chunk) const { return filters > 0 && codec && chunk.skipped != 0; }
};

struct StoredFile {
  std::vector<StoredVariable> variables;
  std::uint64_t header_bytes = 0;  // of all object headers
  bool is_movable = true;          // no header has parts that only HDF5 can move
  bool is_of_tailrace = false;     // which wrote it, as an attribute says
  bool keeps_chunks = false;       // their shapes, since a later run adds records; set by repack()

  std::uint64_t raw_chunks() const;
};

// Requires that file.begin() was called; the file is opened and not changed. Takes the Hdf5Lock. Throws
// Error(resource) for a file that is damaged.
StoredFile stored_variables(AtomicFile& file) TAILRACE_EXCLUDES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
