// tailrace/compression.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "codecs/lossy/information.hpp"
#include "codecs/lossy/keeper.hpp"
#include "codecs/options.hpp"
#include "config/check.hpp"
#include "config/node.hpp"
#include "tailrace/compression.hpp"

namespace tailrace {
namespace {

codecs::ChunkDescription described(const CompressionInput& input) {
  if (input.value_bytes != 4 && input.value_bytes != 8)
    throw Error(ErrorCode::usage,
                fmt::format("expected values of 4 or 8 bytes, but got {}", input.value_bytes));
  const bool is_empty =
      input.shape.empty() || std::ranges::any_of(input.shape, [](auto extent) { return extent < 1; });
  if (is_empty || input.values == nullptr)
    throw Error(ErrorCode::usage, "expected a chunk with values, but it has none");
  return {input.value_bytes == 4 ? model::DataType::float32 : model::DataType::float64, input.shape,
          input.fill_value};
}

std::span<const std::byte> bytes_of(const CompressionInput& input) {
  std::size_t bytes = input.value_bytes;
  for (const std::int64_t extent : input.shape) bytes *= static_cast<std::size_t>(extent);
  return {static_cast<const std::byte*>(input.values), bytes};
}

codecs::CodecOptions options_of(const std::string& settings) {
  const auto section = codecs::compression_section("The compression that is tried.");
  config::Problems problems;
  const config::Node node = config::parse_yaml("compression", settings, problems);
  problems.throw_if_any();
  const config::Value value = config::check(node, section.option.type, "compression", {}, problems);
  problems.throw_if_any();
  const codecs::CodecOptions options = section.read(value, problems);
  problems.throw_if_any();
  return options;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Compression::Compression(std::string settings) : settings_(std::move(settings)) {
  codecs::make_codec(options_of(settings_));
}

CompressionTrial Compression::try_on(const CompressionInput& input, void* stored) const {
  const codecs::ChunkDescription chunk = described(input);
  const std::span<const std::byte> cells = bytes_of(input);
  const codecs::CodecOptions options = options_of(settings_);
  const auto codec = codecs::make_codec(options);
  CompressionTrial trial;
  std::vector<std::byte> encoded;
  bool is_encoded = true;
  const double begin = processor_seconds();
  if (options.keep) {
    codecs::lossy::KeptChunk kept =
        codecs::lossy::Keeper(*options.keep, chunk, chunk, codec).keep(cells, {}, true);
    encoded = std::move(kept.bytes);
    is_encoded = kept.is_encoded;
    trial.is_exact = kept.is_exact;
    trial.largest_absolute_error = kept.reached.at(0).absolute;
    trial.largest_relative_error = kept.reached.at(0).relative;
    trial.bits = static_cast<int>(kept.reached.at(0).bits);
  } else {
    encoded = codec->encode(cells, chunk);
  }
  const double after = processor_seconds();
  const std::vector<std::byte> values =
      is_encoded ? codec->decode(encoded, cells.size(), input.value_bytes) : encoded;
  trial.decode_seconds = processor_seconds() - after;
  trial.encode_seconds = after - begin;
  trial.bytes = encoded.size();
  if (stored != nullptr) std::memcpy(stored, values.data(), values.size());
  return trial;
}

std::vector<double> Compression::information_of_bits(const CompressionInput& input) {
  return codecs::lossy::information_of_bits(bytes_of(input), described(input));
}

}  // namespace tailrace
