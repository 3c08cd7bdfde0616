// Zstandard frames with their size inside, as the registered HDF5 filter 32015 writes and reads them.
#include <fmt/format.h>
#include <zstd.h>

#include "base/error.hpp"
#include "codecs/compressor.hpp"

namespace tailrace::codecs {
namespace {

constexpr std::int32_t zstd_filter_id = 32015;

class Zstd final : public Compressor {
 public:
  std::string name() const override { return "zstd"; }
  std::optional<Levels> levels() const override { return Levels{1, 22}; }

  std::vector<std::byte> compress(std::span<const std::byte> bytes, const ChunkDescription&,
                                  int level) const override {
    std::vector<std::byte> out(ZSTD_compressBound(bytes.size()));
    const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
    if (ZSTD_isError(size) != 0)
      throw Error(ErrorCode::resource, fmt::format("zstd: {}", ZSTD_getErrorName(size)));
    out.resize(size);
    return out;
  }

  std::vector<std::byte> decompress(std::span<const std::byte> bytes, std::size_t size) const override {
    std::vector<std::byte> out(size);
    const std::size_t written = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(written) != 0 || written != size) {
      throw Error(
          ErrorCode::resource,
          fmt::format("a chunk is damaged: its {} bytes are not a zstd frame of {} bytes{}", bytes.size(),
                      size,
                      ZSTD_isError(written) != 0 ? fmt::format(" ({})", ZSTD_getErrorName(written)) : ""));
    }
    return out;
  }

  std::optional<Filter> filter(int level) const override {
    return Filter{zstd_filter_id, {static_cast<unsigned>(level)}};
  }
};

const CompressorRegistration registration{std::make_unique<Zstd>()};

}  // namespace
}  // namespace tailrace::codecs
