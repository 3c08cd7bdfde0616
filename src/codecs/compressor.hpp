// What a codec is inside this room: one way to make bytes fewer. Byte shuffle and the public Codec are put
// around it by make_codec.
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

// Immutable; every call stands for itself, so one object serves all threads.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual std::string name() const = 0;
  // Nothing for a codec that knows no levels, and then any level is accepted.
  virtual std::optional<Levels> levels() const = 0;
  virtual std::vector<std::byte> compress(std::span<const std::byte> bytes, int level) const = 0;
  // `size` is the exact number of bytes that come out. Throws Error(resource) for anything else.
  virtual std::vector<std::byte> decompress(std::span<const std::byte> bytes, std::size_t size) const = 0;
  // Nothing for a codec that leaves the bytes as they are; byte shuffle is then left out too.
  virtual std::optional<Filter> filter(int level) const = 0;
};

// Compressors register themselves at the place of their definition:
//   const CompressorRegistration registration{std::make_unique<Zlib>()};
class CompressorRegistration {
 public:
  explicit CompressorRegistration(std::unique_ptr<const Compressor> compressor);
};

}  // namespace tailrace::codecs
