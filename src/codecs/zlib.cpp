// zlib streams, as HDF5's deflate filter writes and reads them; made by libdeflate, which is several times as
// fast.
#include <fmt/format.h>
#include <libdeflate.h>

#include "base/error.hpp"
#include "codecs/compressor.hpp"

namespace tailrace::codecs {
namespace {

constexpr std::int32_t deflate_filter_id = 1;  // H5Z_FILTER_DEFLATE

struct Free {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

class Zlib final : public Compressor {
 public:
  std::string name() const override { return "zlib"; }
  // libdeflate goes up to 12, but a file's header may only name what zlib knows.
  std::optional<Levels> levels() const override { return Levels{1, 9}; }

  std::vector<std::byte> compress(std::span<const std::byte> bytes, const ChunkDescription&,
                                  int level) const override {
    const std::unique_ptr<libdeflate_compressor, Free> compressor(libdeflate_alloc_compressor(level));
    if (!compressor) throw Error(ErrorCode::resource, "out of memory for a zlib compressor");
    std::vector<std::byte> out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
    out.resize(
        libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
    TAILRACE_ASSERT(!out.empty(), "the bound of the compressed size was too small");
    return out;
  }

  std::vector<std::byte> decompress(std::span<const std::byte> bytes, std::size_t size) const override {
    const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
    if (!decompressor) throw Error(ErrorCode::resource, "out of memory for a zlib decompressor");
    std::vector<std::byte> out(size);
    const auto result = libdeflate_zlib_decompress(decompressor.get(), bytes.data(), bytes.size(), out.data(),
                                                   out.size(), nullptr);
    if (result != LIBDEFLATE_SUCCESS) {
      throw Error(ErrorCode::resource,
                  fmt::format("a chunk is damaged: its {} bytes are not a zlib stream of {} bytes",
                              bytes.size(), size));
    }
    return out;
  }

  std::optional<Filter> filter(int level) const override {
    return Filter{deflate_filter_id, {static_cast<unsigned>(level)}};
  }
};

const CompressorRegistration registration{std::make_unique<Zlib>()};

}  // namespace
}  // namespace tailrace::codecs
