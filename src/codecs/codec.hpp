// Encoding of one chunk: a pipeline of filters as HDF5 and Zarr know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/data_type.hpp"

namespace tailrace::codecs {

struct CodecOptions {
  std::string codec = "none";  // one of codec_names()
  int level = 1;
  bool shuffle = true;  // byte shuffle before the codec; ignored for `none`

  bool operator==(const CodecOptions&) const = default;
};

// The meaning of the bytes of a chunk. Lossless codecs use the type alone, or nothing.
struct ChunkDescription {
  model::DataType type = model::DataType::float64;
  std::vector<std::int64_t> shape{};   // values along each dim, slowest first
  std::optional<double> fill_value{};  // marks values without data; nothing where all are data, or unknown
};

// One HDF5 filter of the pipeline, as a file's header names it so that a reader can undo it.
struct Filter {
  std::int32_t hdf5_id = 0;  // registered number, such as 2 for shuffle
  std::vector<unsigned> parameters;
};

// Immutable, so one object serves all threads.
class Codec {
 public:
  virtual ~Codec() = default;
  // `chunk`: the values that `description` describes, in C order.
  virtual std::vector<std::byte> encode(std::span<const std::byte> chunk,
                                        const ChunkDescription& description) const = 0;
  virtual std::vector<std::byte> decode(
      std::span<const std::byte> encoded, std::size_t chunk_bytes,
      std::size_t element_size) const = 0;  // throws Error(resource) on damage
  virtual std::vector<Filter> filters(std::size_t element_size) const = 0;
};

struct Levels {
  int lowest = 0;
  int highest = 0;
};

std::vector<std::string> codec_names();  // sorted
Levels levels_of_all();                  // what any codec accepts
std::string levels_in_words();           // "1 to 9 for zlib, 1 to 22 for zstd"

// Throws Error(configuration) for an unknown codec (with the nearest name) or a level out of range.
std::shared_ptr<const Codec> make_codec(const CodecOptions& options);

}  // namespace tailrace::codecs
