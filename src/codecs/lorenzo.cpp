// Prediction of each value from its neighbours (lorenzo/chunk.hpp): smaller than shuffled bytes, in a form
// that readers need the plugin of Tailrace for.
#include <fmt/format.h>

#include <stdexcept>

#include "base/error.hpp"
#include "codecs/compressor.hpp"
#include "codecs/lorenzo/chunk.hpp"
#include "codecs/lorenzo/filter_id.hpp"

namespace tailrace::codecs {
namespace {

// Rows lie along the last dim that has more than one value, and planes along that and the one before it.
void set_rows(const ChunkDescription& chunk, std::size_t values, lorenzo::Input& input) {
  std::uint64_t row = 1, rows = 1, all = 1;
  for (std::size_t d = chunk.shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(chunk.shape[d]);
    all *= extent;
    if (row == 1)
      row = extent;
    else if (rows == 1)
      rows = extent;
  }
  if (all != values) row = values, rows = 1;
  input.row = static_cast<std::uint32_t>(std::max<std::uint64_t>(row, 1));
  input.rows = static_cast<std::uint32_t>(std::max<std::uint64_t>(rows, 1));
}

class Lorenzo final : public Compressor {
 public:
  std::string name() const override { return "lorenzo"; }
  std::optional<Levels> levels() const override { return Levels{1, 22}; }
  bool predicts() const override { return true; }

  std::vector<std::byte> compress(std::span<const std::byte> bytes, const ChunkDescription& chunk,
                                  int level) const override {
    return compress_multiples(bytes, chunk, 0.0, level);
  }
  std::vector<std::byte> compress_multiples(std::span<const std::byte> bytes, const ChunkDescription& chunk,
                                            double step, int level) const override {
    lorenzo::Input input{
        .values = bytes,
        .value_bytes = model::size_of(chunk.type),
        .is_real = chunk.type == model::DataType::float32 || chunk.type == model::DataType::float64,
        .step = step,
        .fill = chunk.fill_value,
        .level = level};
    set_rows(chunk, bytes.size() / input.value_bytes, input);
    try {
      return lorenzo::encode(input);
    } catch (const std::runtime_error& error) {
      throw Error(ErrorCode::resource, fmt::format("lorenzo: {}", error.what()));
    }
  }

  std::vector<std::byte> decompress(std::span<const std::byte> bytes, std::size_t size) const override {
    const auto damaged = [&](const std::string& why) {
      return Error(
          ErrorCode::resource,
          fmt::format("a chunk is damaged: its {} bytes are not one of {} bytes by codec lorenzo{}{}",
                      bytes.size(), size, why.empty() ? "" : ": it ", why));
    };
    const auto header = lorenzo::read_header(bytes);
    if (!header || header->bytes() != size) throw damaged("");
    std::vector<std::byte> values(size);
    if (const auto complaint = lorenzo::decode(*header, bytes, values)) throw damaged(*complaint);
    return values;
  }

  std::optional<Filter> filter(int level) const override {
    return Filter{lorenzo::filter_id, {static_cast<unsigned>(level)}};
  }
};

const CompressorRegistration registration{std::make_unique<Lorenzo>()};

}  // namespace
}  // namespace tailrace::codecs
