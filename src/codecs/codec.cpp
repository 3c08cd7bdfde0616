#include "codecs/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "codecs/compressor.hpp"
#include "codecs/find_codec.hpp"
#include "codecs/lossy/prediction.hpp"
#include "codecs/own_plugin.hpp"
#include "codecs/shuffle.hpp"

namespace tailrace::codecs {
namespace {

using Registry = std::map<std::string, std::unique_ptr<const Compressor>>;

Registry& registry() {
  static Registry compressors;
  return compressors;
}

// The levels from which `prefer` chooses: those beyond take ten times as long for a few percent.
constexpr int levels_for_ratio[] = {1, 3, 6, 9}, levels_for_speed[] = {1, 3};
// How much smaller a level must make the sample than the best before it: one that is a little smaller takes
// several times as long.
constexpr double worth_for_ratio = 0.98, worth_for_speed = 0.75;
constexpr std::size_t sample_bytes = std::size_t{128} << 10;

// One chunk in sixteen, by its bytes, so that it does not depend on who encodes it.
bool is_sampled(std::span<const std::byte> encoded) {
  std::uint32_t sum = static_cast<std::uint32_t>(encoded.size());
  for (const std::byte byte : encoded.first(std::min<std::size_t>(encoded.size(), 256)))
    sum = sum * 31 + std::to_integer<std::uint32_t>(byte);
  return sum % 16 == 0;
}

class Pipeline final : public Codec {
 public:
  Pipeline(const Compressor& compressor, const CodecOptions& options)
      : compressor_(compressor),
        level_(options.level),
        shuffled_(options.shuffle && !compressor.predicts() && compressor.filter(options.level).has_value()),
        prefer_(compressor.levels() ? options.prefer : std::nullopt),
        keep_(options.keep) {}

  std::vector<std::byte> encode(std::span<const std::byte> chunk,
                                const ChunkDescription& description) const override {
    return encode_by_choice(chunk, description).bytes;
  }
  Encoded encode_by_choice(std::span<const std::byte> chunk,
                           const ChunkDescription& description) const override {
    const int level = prefer_ ? choose(chunk, description) : level_;
    Encoded encoded{compress(chunk, description, level), prefer_ ? level : 0};
    if (keep_ && (keep_->verifies_all || is_sampled(encoded.bytes)))
      verify(chunk, encoded.bytes, model::size_of(description.type));
    return encoded;
  }
  std::vector<std::byte> decode(std::span<const std::byte> encoded, std::size_t chunk_bytes,
                                std::size_t element_size) const override {
    std::vector<std::byte> bytes = compressor_.decompress(encoded, chunk_bytes);
    return shuffled_ ? unshuffle(bytes, element_size) : bytes;
  }
  std::vector<Filter> filters(std::size_t element_size) const override {
    std::vector<Filter> filters;
    if (shuffled_) filters.push_back({shuffle_filter_id, {static_cast<unsigned>(element_size)}});
    if (auto filter = compressor_.filter(level_)) filters.push_back(std::move(*filter));
    if (compressor_.predicts()) {
      const auto bits = std::bit_cast<std::uint64_t>(step() > 0.0 ? *keep_->absolute : 0.0);
      filters.back().parameters.push_back(static_cast<unsigned>(bits));
      filters.back().parameters.push_back(static_cast<unsigned>(bits >> 32));
    }
    return filters;
  }

 private:
  double step() const { return keep_ ? lossy::step_of(*keep_) : 0.0; }
  std::vector<std::byte> compress(std::span<const std::byte> chunk, const ChunkDescription& description,
                                  int level) const {
    if (compressor_.predicts()) return compressor_.compress_multiples(chunk, description, step(), level);
    if (!shuffled_) return compressor_.compress(chunk, description, level);
    return compressor_.compress(shuffle(chunk, model::size_of(description.type)), description, level);
  }
  // The level for a sample from the middle of the chunk: a function of its values alone.
  int choose(std::span<const std::byte> chunk, const ChunkDescription& description) const {
    const std::size_t size = model::size_of(description.type);
    const std::size_t sampled = std::min(chunk.size(), sample_bytes) / size * size;
    const auto sample = chunk.subspan((chunk.size() - sampled) / 2 / size * size, sampled);
    const bool for_speed = *prefer_ == Prefer::speed;
    const std::span<const int> levels = for_speed ? std::span<const int>(levels_for_speed) : levels_for_ratio;
    int chosen = levels.front();
    std::size_t best = SIZE_MAX;
    for (const int level : levels) {
      const std::size_t bytes = compress(sample, description, level).size();
      const double worth = for_speed ? worth_for_speed : worth_for_ratio;
      if (best != SIZE_MAX && static_cast<double>(bytes) > worth * static_cast<double>(best)) continue;
      best = bytes;
      chosen = level;
    }
    return chosen;
  }
  void verify(std::span<const std::byte> chunk, std::span<const std::byte> encoded,
              std::size_t element) const {
    const std::vector<std::byte> decoded = decode(encoded, chunk.size(), element);
    if (!std::equal(decoded.begin(), decoded.end(), chunk.begin(), chunk.end()))
      throw Error(
          ErrorCode::resource,
          fmt::format("{}: what was encoded decodes to other values: the memory or the library of this "
                      "machine is faulty",
                      compressor_.name()));
  }

  const Compressor& compressor_;
  int level_;
  bool shuffled_;
  std::optional<Prefer> prefer_;
  std::optional<lossy::Keep> keep_;
};

// In the filter of a codec that predicts.
std::optional<lossy::Keep> bound_in(std::span<const unsigned> parameters) {
  const double absolute = std::bit_cast<double>(parameters[1] | std::uint64_t{parameters[2]} << 32);
  return absolute > 0.0 ? std::optional(lossy::Keep{.absolute = absolute}) : std::nullopt;
}

void check_level(const Compressor& compressor, int level) {
  const auto levels = compressor.levels();
  if (!levels || (level >= levels->lowest && level <= levels->highest)) return;
  throw Error(ErrorCode::configuration,
              fmt::format("compression level {} does not exist for codec \"{}\"; its levels are {} (fastest) "
                          "to {} (smallest)",
                          level, compressor.name(), levels->lowest, levels->highest));
}

}  // namespace

CompressorRegistration::CompressorRegistration(std::unique_ptr<const Compressor> compressor) {
  const std::string name = compressor->name();
  const bool added = registry().emplace(name, std::move(compressor)).second;
  TAILRACE_ASSERT(added, "two codecs are called " + name);
}

std::vector<std::string> codec_names() {
  std::vector<std::string> names;
  for (const auto& [name, compressor] : registry()) names.push_back(name);
  return names;
}

bool needs_own_plugin(const std::string& codec) {
  const auto found = registry().find(codec);
  return found != registry().end() && found->second->predicts();
}

Levels levels_of_all() {
  Levels all{1, 1};
  for (const auto& [name, compressor] : registry()) {
    const Levels own = compressor->levels().value_or(all);
    all = {std::min(all.lowest, own.lowest), std::max(all.highest, own.highest)};
  }
  return all;
}

std::string levels_in_words() {
  std::string words;
  for (const auto& [name, compressor] : registry()) {
    const auto own = compressor->levels();
    if (own)
      words += fmt::format("{}{} to {} for {}", words.empty() ? "" : ", ", own->lowest, own->highest, name);
  }
  return words;
}

// Programs may add parameters to those that a header named at first, so only the codec's own are compared.
std::optional<CodecOptions> find_codec(std::span<const Filter> filters, std::size_t element_size) {
  const auto is_like = [](const Filter& found, const Filter& own) {
    return found.hdf5_id == own.hdf5_id && found.parameters.size() >= own.parameters.size() &&
           std::equal(own.parameters.begin(), own.parameters.end(), found.parameters.begin());
  };
  for (const auto& [name, compressor] : registry()) {
    CodecOptions options{.codec = name};
    const auto levels = compressor->levels();
    if (levels && !filters.empty() && !filters.back().parameters.empty())
      options.level = static_cast<int>(filters.back().parameters[0]);
    if (levels && (options.level < levels->lowest || options.level > levels->highest)) continue;
    if (compressor->predicts() && !filters.empty() && filters.back().parameters.size() >= 3)
      options.keep = bound_in(filters.back().parameters);
    for (const bool shuffle : {true, false}) {
      options.shuffle = shuffle;
      const std::vector<Filter> own = make_codec(options)->filters(element_size);
      if (std::equal(filters.begin(), filters.end(), own.begin(), own.end(), is_like)) return options;
    }
  }
  return std::nullopt;
}

std::shared_ptr<const Codec> make_codec(const CodecOptions& options) {
  const auto found = registry().find(options.codec);
  if (found == registry().end()) {
    throw Error(ErrorCode::configuration, fmt::format("codec \"{}\" is unknown.{}", options.codec,
                                                      base::name_hint(options.codec, codec_names())));
  }
  check_level(*found->second, options.level);
  return std::make_shared<Pipeline>(*found->second, options);
}

}  // namespace tailrace::codecs
