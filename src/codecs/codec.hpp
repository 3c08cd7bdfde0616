// Encoding of one chunk: a pipeline of filters as HDF5 and Zarr know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tailrace::codecs {

struct CodecOptions {
  std::string codec = "none";  // one of codec_names()
  int level = 1;
  bool shuffle = true;  // byte shuffle before the codec; ignored for `none`

  bool operator==(const CodecOptions&) const = default;
};

// One HDF5 filter of the pipeline: what a file's header must say for a reader to undo it.
struct Filter {
  std::int32_t hdf5_id = 0;  // registered number, such as 2 for shuffle
  std::vector<unsigned> parameters;
};

// Immutable, so one object serves all threads.
class Codec {
 public:
  virtual ~Codec() = default;
  virtual std::vector<std::byte> encode(std::span<const std::byte> chunk, std::size_t element_size) const = 0;
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
