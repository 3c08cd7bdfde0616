// Measures how much smaller chunks become within a bound, and how fast, on one core:
//   keep_speed [NAME FILE NZ NY NX]...
// The field `sines` (eight waves of 24 to 200 cells and noise of 1e-3, in [-10, 55], 16 x 512 x 512) and each
// of the files, raw float32 values of that shape, are cut into chunks of whole levels of at most 4 MiB.
// Prints lines
//   figure FIELD SETTING RATIO ROUNDED CHECKED DECODED ABSOLUTE RELATIVE
// with MB (10^6 bytes) of values in a second of the processor: rounded and encoded; the same with every value
// compared and every chunk decoded again; decoding alone; and the largest errors.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "codecs/lorenzo/chunk.hpp"
#include "codecs/lossy/keeper.hpp"
#include "codecs/lossy/prediction.hpp"

namespace tailrace::codecs {
namespace {

constexpr int rounds = 5;
constexpr std::size_t most_chunk_bytes = std::size_t{4} << 20;

struct Field {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

struct Setting {
  std::string name;
  CodecOptions options;
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The fastest of some rounds: others of this machine can only make one slower.
template <class Work>
double seconds_of(const Work& work) {
  double fastest = 1e300;
  for (int i = 0; i < rounds; ++i) {
    const double begin = processor_seconds();
    work();
    fastest = std::min(fastest, processor_seconds() - begin);
  }
  return fastest;
}

Field sines() {
  constexpr double turn = 6.283185307179586, shortest = 24.0, longest = 200.0;
  constexpr int waves = 8;
  Field field{"sines", {16, 512, 512}, {}};
  std::mt19937 random(1);
  const auto unit = [&random] { return static_cast<double>(random()) / 4294967296.0; };
  struct Wave {
    double size, along_x, along_y, phase;
  };
  std::vector<Wave> all;
  for (int k = 0; k < waves; ++k) {
    const double length = shortest * std::pow(longest / shortest, k / (waves - 1.0)), angle = turn * unit();
    all.push_back(
        {length / longest, turn / length * std::cos(angle), turn / length * std::sin(angle), 1.0 * k});
  }
  std::vector<double> sums;
  for (int z = 0; z < 16; ++z)
    for (int y = 0; y < 512; ++y)
      for (int x = 0; x < 512; ++x) {
        double sum = 0.0;
        for (const Wave& wave : all)
          sum += wave.size * std::sin(wave.along_x * x + wave.along_y * y + 0.7 * z + wave.phase);
        sums.push_back(sum);
      }
  double least = 1e300, most = -1e300;
  for (const double sum : sums) {
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  for (const double sum : sums)
    field.values.push_back(
        static_cast<float>(-10.0 + 65.0 * (sum - least) / (most - least) + 1e-3 * (2.0 * unit() - 1.0)));
  return field;
}

Field field_in(char** words) {
  Field field{words[0], {std::atoll(words[2]), std::atoll(words[3]), std::atoll(words[4])}, {}};
  field.values.resize(static_cast<std::size_t>(field.shape[0] * field.shape[1] * field.shape[2]));
  std::ifstream file(words[1], std::ios::binary);
  file.read(reinterpret_cast<char*>(field.values.data()),
            static_cast<std::streamsize>(field.values.size() * sizeof(float)));
  if (!file) {
    std::fprintf(stderr, "keep_speed: %s is shorter than its shape\n", words[1]);
    std::exit(1);
  }
  return field;
}

std::vector<Setting> settings() {
  const auto zstd = [](lossy::Keep keep, int level = 1) {
    return CodecOptions{.codec = "zstd", .level = level, .keep = keep};
  };
  const auto chosen = [](lossy::Keep keep, Prefer prefer) {
    return CodecOptions{.codec = "zstd", .prefer = prefer, .keep = keep};
  };
  const auto lorenzo = [](lossy::Keep keep, int level) {
    return CodecOptions{.codec = "lorenzo", .level = level, .keep = keep};
  };
  const lossy::Keep one{.absolute = 1.0}, tenth{.absolute = 0.1};
  const lossy::Keep percent{.relative = 0.01}, per_mille{.relative = 0.001};
  return {{"lossless_zlib_1", {.codec = "zlib"}},
          {"lossless_zstd_1", {.codec = "zstd"}},
          {"absolute_1_zstd_1", zstd(one)},
          {"absolute_1_auto_speed", chosen(one, Prefer::speed)},
          {"absolute_1_auto_ratio", chosen(one, Prefer::ratio)},
          {"absolute_0.1_zstd_1", zstd(tenth)},
          {"absolute_0.1_auto_speed", chosen(tenth, Prefer::speed)},
          {"absolute_0.1_auto_ratio", chosen(tenth, Prefer::ratio)},
          {"relative_1%_zstd_1", zstd(percent)},
          {"relative_1%_auto_ratio", chosen(percent, Prefer::ratio)},
          {"relative_0.1%_zstd_1", zstd(per_mille)},
          {"relative_0.1%_auto_ratio", chosen(per_mille, Prefer::ratio)},
          {"digits_4_zstd_1", zstd({.digits = 4})},
          {"bits_9_zstd_1", zstd({.bits = 9})},
          {"absolute_1_lorenzo_1", lorenzo(one, 1)},
          {"absolute_1_lorenzo_3", lorenzo(one, 3)},
          {"absolute_1_lorenzo_9", lorenzo(one, 9)},
          {"absolute_0.1_lorenzo_1", lorenzo(tenth, 1)},
          {"absolute_0.1_lorenzo_3", lorenzo(tenth, 3)},
          {"relative_1%_lorenzo_1", lorenzo(percent, 1)},
          {"relative_1%_lorenzo_3", lorenzo(percent, 3)},
          {"relative_0.1%_lorenzo_1", lorenzo(per_mille, 1)},
          {"relative_0.1%_lorenzo_3", lorenzo(per_mille, 3)},
          {"lossless_lorenzo_1", {.codec = "lorenzo"}},
          {"information_0.99_zstd_1", zstd({.information = 0.99})},
          {"relative_1%_zlib_1", {.codec = "zlib", .keep = percent}}};
}

class Measurement {
 public:
  Measurement(const Field& field, const Setting& setting)
      : field_(field), setting_(setting), codec_(make_codec(setting.options)) {
    CodecOptions unchecked = setting.options;
    unchecked.keep.reset();
    unchecked_ = make_codec(unchecked);
    const std::size_t level = static_cast<std::size_t>(field.shape[1] * field.shape[2]) * sizeof(float);
    levels_ = static_cast<std::int64_t>(std::max<std::size_t>(1, most_chunk_bytes / level));
  }

  void run() {
    lossy::Reached reached;
    std::vector<std::vector<std::byte>> encoded;
    const double rounded = seconds_of([&] {
      for_each_chunk(
          [&](std::span<const std::byte> cells, const ChunkDescription& chunk) { round(cells, chunk); });
    });
    const double checked = seconds_of([&] {
      encoded.clear();
      for_each_chunk([&](std::span<const std::byte> cells, const ChunkDescription& chunk) {
        encoded.push_back(check(cells, chunk, reached));
      });
    });
    const double decoded = seconds_of([&] {
      std::size_t i = 0;
      for_each_chunk([&](std::span<const std::byte> cells, const ChunkDescription&) {
        if (codec_->decode(encoded[i++], cells.size(), sizeof(float)).size() != cells.size()) std::abort();
      });
    });
    std::size_t bytes = 0;
    for (const auto& chunk : encoded) bytes += chunk.size();
    const double all = static_cast<double>(field_.values.size() * sizeof(float));
    std::printf("figure %s %s %.3f %.1f %.1f %.1f %.6g %.6g\n", field_.name.c_str(), setting_.name.c_str(),
                all / static_cast<double>(bytes), all / rounded / 1e6, all / checked / 1e6,
                all / decoded / 1e6, reached.absolute, reached.relative);
    std::fflush(stdout);
  }

 private:
  template <class Visit>
  void for_each_chunk(const Visit& visit) const {
    const std::span<const std::byte> all = std::as_bytes(std::span(field_.values));
    const std::size_t level = all.size() / static_cast<std::size_t>(field_.shape[0]);
    for (std::int64_t z = 0; z < field_.shape[0]; z += levels_) {
      const std::int64_t count = std::min(levels_, field_.shape[0] - z);
      visit(all.subspan(static_cast<std::size_t>(z) * level, static_cast<std::size_t>(count) * level),
            {model::DataType::float32, {count, field_.shape[1], field_.shape[2]}});
    }
  }
  // The work of Keeper without the checks.
  void round(std::span<const std::byte> cells, const ChunkDescription& chunk) const {
    if (!setting_.options.keep || setting_.options.keep->information) {
      unchecked_->encode(cells, chunk);
      return;
    }
    std::vector<std::byte> values(cells.begin(), cells.end());
    const lossy::RoundingRequest request{*setting_.options.keep, chunk.type, {}};
    if (lossy::predicts(*codec_)) return round_to_predict(request, values, chunk);
    lossy::make_rounding(request)->round(values);
    unchecked_->encode(values, chunk);
  }
  // Checks cannot be switched off here, as a codec that predicts knows its step by the bound: so without its
  // Pipeline.
  void round_to_predict(const lossy::RoundingRequest& request, std::vector<std::byte>& values,
                        const ChunkDescription& chunk) const {
    lossy::make_rounding_for_prediction(request)->round(values);
    lorenzo::encode({.values = values,
                     .row = static_cast<std::uint32_t>(chunk.shape[2]),
                     .rows = static_cast<std::uint32_t>(chunk.shape[1]),
                     .step = lossy::step_of(request.keep),
                     .level = setting_.options.level});
  }
  std::vector<std::byte> check(std::span<const std::byte> cells, const ChunkDescription& chunk,
                               lossy::Reached& reached) const {
    if (!setting_.options.keep) return codec_->encode(cells, chunk);
    lossy::KeptChunk kept = lossy::Keeper(*setting_.options.keep, chunk, chunk, codec_).keep(cells, {}, true);
    if (kept.is_exact) std::fprintf(stderr, "keep_speed: a chunk did not pass the check\n");
    for (const lossy::Reached& one : kept.reached) reached.merge(one);
    return std::move(kept.bytes);
  }

  const Field& field_;
  const Setting& setting_;
  std::shared_ptr<const Codec> codec_, unchecked_;
  std::int64_t levels_ = 1;
};

}  // namespace
}  // namespace tailrace::codecs

int main(int argc, char** argv) {
  std::vector<tailrace::codecs::Field> fields{tailrace::codecs::sines()};
  for (int i = 1; i + 4 < argc; i += 5) fields.push_back(tailrace::codecs::field_in(argv + i));
  for (const auto& field : fields)
    for (const auto& setting : tailrace::codecs::settings())
      tailrace::codecs::Measurement(field, setting).run();
}
