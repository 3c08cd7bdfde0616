// The option `pack` of a variable: stores real values as integers of a small type (packed data, CF 8.1).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "config/section.hpp"
#include "model/data_type.hpp"

namespace tailrace::output {

struct PackOptions {
  config::Location location;
  std::string config_path;             // its path in the configuration, for messages
  std::optional<double> scale_factor;  // either this ...
  double add_offset = 0.0;
  std::optional<std::pair<double, double>> range;  // ... or this
};

config::Section<PackOptions> pack_section();

inline constexpr model::DataType default_packed_type = model::DataType::int16;
// The error for a type that values cannot be packed into, if any.
std::optional<std::string> packed_type_complaint(model::DataType packed);

// The scale factor and offset of a variable. `unpacked`: float32 or float64, the type of the two attributes
// and of the unpacked values. A range is mapped to all numbers of the packed type except its fill value,
// symmetrically about 0 for signed types. Throws Error(configuration) if the range is too narrow, or the
// values too large, for `unpacked`.
model::Packing packing_of(const PackOptions& options, model::DataType packed, model::DataType unpacked);

}  // namespace tailrace::output
