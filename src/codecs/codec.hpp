// Encoding of one chunk: a pipeline of filters as HDF5 and Zarr know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/lossy/keep.hpp"
#include "model/data_type.hpp"

namespace tailrace::codecs {

enum class Prefer { ratio, speed };

struct CodecOptions {
  std::string codec = "none";  // one of codec_names()
  int level = 1;
  bool shuffle = true;  // byte shuffle before the codec; ignored for `none`
  // Set: each chunk gets the level that suits a sample of its own values, instead of `level`. So the choice
  // is the same for any number of servers, and after a restart.
  std::optional<Prefer> prefer = std::nullopt;
  // Set: values are rounded within this bound before they are encoded. A codec itself is always lossless;
  // with a bound, what it encodes is decoded again and compared.
  std::optional<lossy::Keep> keep = std::nullopt;

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

struct Encoded {
  std::vector<std::byte> bytes;
  int level = 0;  // that was chosen for this chunk; 0: the codec makes no choice
};

// Immutable, so one object serves all threads.
class Codec {
 public:
  virtual ~Codec() = default;
  // `chunk`: the values that `description` describes, in C order. Throws Error(resource) if the result is
  // compared (CodecOptions::keep) and does not decode to the same bytes.
  virtual std::vector<std::byte> encode(std::span<const std::byte> chunk,
                                        const ChunkDescription& description) const = 0;
  virtual Encoded encode_by_choice(std::span<const std::byte> chunk,
                                   const ChunkDescription& description) const {
    return {encode(chunk, description)};
  }
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
