#include "output/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "config/read.hpp"

namespace tailrace::output {
namespace {

using namespace config;

constexpr double largest = 1e300;

Type pack_type() {
  return section({
      {.name = "scale_factor",
       .type = real(-largest, largest),
       .description = "The smallest difference between two stored values: value = number * scale_factor + "
                      "add_offset. Give either this or `range`.",
       .example = "0.01"},
      {.name = "add_offset",
       .type = real(-largest, largest),
       .description = "The value that the number 0 represents; only with `scale_factor`. Default: 0.",
       .example = "273.15"},
      {.name = "range",
       .type = list(real(-largest, largest), 2),
       .description = "The least and the largest value that occur; scale and offset are computed from them. "
                      "Values outside the range are counted and replaced by the fill value.",
       .example = "[180, 340]"},
  });
}

void set_range(const Value& range, PackOptions& options, Problems& problems) {
  const auto refuse = [&](const std::string& what) {
    problems.add(
        range.location(), range.path(),
        fmt::format("expected the least and the largest value, such as [180, 340], but got {}", what));
  };
  if (range.items().size() != 2) return refuse(fmt::format("{} numbers", range.items().size()));
  const double least = range.items()[0].real(), most = range.items()[1].real();
  if (!(least < most)) return refuse(fmt::format("[{}, {}]", least, most));
  options.range = {least, most};
}

PackOptions read(const Value& value, Problems& problems) {
  PackOptions options;
  options.location = value.location();
  options.config_path = value.path();
  const Value* scale = value.find("scale_factor");
  const Value* range = value.find("range");
  if ((scale != nullptr) == (range != nullptr))
    problems.add(value.location(), value.path(), "expected either `scale_factor` or `range`");
  const Value* offset = value.find("add_offset");
  if (range != nullptr && offset != nullptr)
    problems.add(offset->location(), offset->path(),
                 "is computed from `range`; it can only be given with `scale_factor`");
  if (scale != nullptr && !scale->open()) {
    options.scale_factor = scale->real();
    if (*options.scale_factor == 0.0)
      problems.add(scale->location(), scale->path(), "expected a number other than 0");
  }
  if (offset != nullptr && !offset->open()) options.add_offset = offset->real();
  if (range != nullptr) set_range(*range, options, problems);
  return options;
}

double rounded(double value, model::DataType to) {
  return to == model::DataType::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

// The next larger value that the type can represent.
double next(double value, model::DataType type) {
  if (type != model::DataType::float32) return std::nextafter(value, std::numeric_limits<double>::infinity());
  return static_cast<double>(
      std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity()));
}

struct Numbers {
  double lowest, highest;
};

// Symmetric about 0, which excludes the fill value, the second lowest number.
Numbers numbers_of(model::DataType packed) {
  return model::dispatch(packed, [](auto zero) -> Numbers {
    using Limits = std::numeric_limits<decltype(zero)>;
    const auto most = static_cast<double>(Limits::max()) - 1.0;
    return {Limits::is_signed ? -most : 0.0, most};
  });
}

double number_of(double value, const model::Packing& packing) {
  return std::nearbyint((value - packing.add_offset) / packing.scale_factor);
}

model::Packing spread(const std::pair<double, double>& range, model::DataType packed,
                      model::DataType unpacked) {
  const auto [least, most] = range;
  const auto [lowest, highest] = numbers_of(packed);
  const double middle = lowest < 0.0 ? least / 2 + most / 2 : least;
  model::Packing packing{
      .scale_factor = rounded(most / (highest - lowest) - least / (highest - lowest), unpacked),
      .add_offset = rounded(middle, unpacked)};
  // Adjacent numbers must unpack to different values.
  const double farthest = rounded(std::max(std::abs(least), std::abs(most)), unpacked);
  constexpr int tries = 8;  // more than rounding ever needs
  for (int i = 0; i < tries && packing.scale_factor >= next(farthest, unpacked) - farthest; ++i) {
    if (number_of(least, packing) >= lowest && number_of(most, packing) <= highest) return packing;
    packing.scale_factor = next(packing.scale_factor, unpacked);
  }
  throw Error(
      ErrorCode::configuration,
      fmt::format("the range [{}, {}] cannot be spread over {} in {}, which the values have when they "
                  "are unpacked; expected a wider range or a smaller type",
                  least, most, model::name_of(packed), model::name_of(unpacked)));
}

}  // namespace

config::Section<PackOptions> pack_section() {
  return {.option = {.name = "pack",
                     .type = pack_type(),
                     .description = "Packs real values into integers of `type`, by default int16.",
                     .example = "{range: [180, 340]}"},
          .read = read};
}

std::optional<std::string> packed_type_complaint(model::DataType packed) {
  if (model::is_integer(packed) && packed != model::DataType::int64) return std::nullopt;
  return fmt::format("values are packed into int8, uint8, int16 or int32, but `type` is {}",
                     model::name_of(packed));
}

model::Packing packing_of(const PackOptions& options, model::DataType packed, model::DataType unpacked) {
  if (options.range) return spread(*options.range, packed, unpacked);
  const model::Packing packing{.scale_factor = rounded(*options.scale_factor, unpacked),
                               .add_offset = rounded(options.add_offset, unpacked)};
  if (!std::isnormal(packing.scale_factor) || !std::isfinite(packing.add_offset))
    throw Error(
        ErrorCode::configuration,
        fmt::format("scale_factor {} and add_offset {} are no values of {}, which the values have when "
                    "they are unpacked",
                    *options.scale_factor, options.add_offset, model::name_of(unpacked)));
  return packing;
}

}  // namespace tailrace::output
