// A codec as this room implements it: one way to store a chunk in fewer bytes. make_codec combines it with
// byte shuffle into the public Codec.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/codec.hpp"

namespace tailrace::codecs {

// Immutable and without state between calls, so one object serves all threads.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual std::string name() const = 0;
  // Nothing for a codec without levels, which accepts any level.
  virtual std::optional<Levels> levels() const = 0;
  // `bytes`: the chunk, shuffled if the options ask for it. `chunk` describes it before that.
  virtual std::vector<std::byte> compress(std::span<const std::byte> bytes, const ChunkDescription& chunk,
                                          int level) const = 0;
  // `size` is the exact number of decompressed bytes. Throws Error(resource) for anything else.
  virtual std::vector<std::byte> decompress(std::span<const std::byte> bytes, std::size_t size) const = 0;
  // Nothing for a codec that leaves the bytes unchanged; byte shuffle is then omitted too.
  virtual std::optional<Filter> filter(int level) const = 0;
  // Whether it predicts values from their neighbours. Then it gets its bytes unshuffled, by the next
  // function. Its filter has two more parameters, the halves of the absolute bound of the values (0: none),
  // the lower one first, so that a later run finds the step when it encodes chunks again.
  virtual bool predicts() const { return false; }
  // `step`: most values are multiples of it; 0: not known.
  virtual std::vector<std::byte> compress_multiples(std::span<const std::byte> bytes,
                                                    const ChunkDescription& chunk, double step,
                                                    int level) const {
    static_cast<void>(step);
    return compress(bytes, chunk, level);
  }
};

// Compressors register themselves where they are defined:
//   const CompressorRegistration registration{std::make_unique<Zlib>()};
class CompressorRegistration {
 public:
  explicit CompressorRegistration(std::unique_ptr<const Compressor> compressor);
};

}  // namespace tailrace::codecs
