// The codec that leaves the bytes as they are.
#include <fmt/format.h>

#include "base/error.hpp"
#include "codecs/compressor.hpp"

namespace tailrace::codecs {
namespace {

class None final : public Compressor {
 public:
  std::string name() const override { return "none"; }
  std::optional<Levels> levels() const override { return std::nullopt; }
  std::vector<std::byte> compress(std::span<const std::byte> bytes, const ChunkDescription&,
                                  int) const override {
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::byte> decompress(std::span<const std::byte> bytes, std::size_t size) const override {
    if (bytes.size() != size) {
      throw Error(
          ErrorCode::resource,
          fmt::format("a chunk is damaged: it has {} bytes where {} are expected", bytes.size(), size));
    }
    return {bytes.begin(), bytes.end()};
  }
  std::optional<Filter> filter(int) const override { return std::nullopt; }
};

const CompressorRegistration registration{std::make_unique<None>()};

}  // namespace
}  // namespace tailrace::codecs
