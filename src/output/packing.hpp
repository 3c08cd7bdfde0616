// `pack` of a variable: real values as integers of a small type, as CF 8.1 has it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "config/section.hpp"
#include "model/data_type.hpp"

namespace tailrace::output {

struct PackOptions {
  config::Location location;
  std::string config_path;             // how messages name it
  std::optional<double> scale_factor;  // either this ...
  double add_offset = 0.0;
  std::optional<std::pair<double, double>> range;  // ... or this
};

config::Section<PackOptions> pack_section();

inline constexpr model::DataType default_packed_type = model::DataType::int16;
// What is wrong with an integer type that values are to be packed into, if anything.
std::optional<std::string> packed_type_complaint(model::DataType packed);

// `unpacked`: float32 or float64, the type of the attributes and of what readers make of the numbers; both
// numbers are values of it. A range is spread over all numbers of the type but its fill value, evenly about 0
// for signed ones. Throws Error(configuration) where the range is too narrow, or the numbers too large, for
// that type.
model::Packing packing_of(const PackOptions& options, model::DataType packed, model::DataType unpacked);

}  // namespace tailrace::output
