// How the numbers of a variable become the values of a model's field, and in which type they travel.
#pragma once

#include "input/options.hpp"
#include "input/values.hpp"
#include "model/declarations.hpp"

namespace tailrace::input {

struct ValuePlan {
  ValueRules rules;
  bool fits_model = false;    // the values may travel in the model's type; otherwise in float64
  bool fits_float32 = false;  // those of a model's field of float64 are copies of numbers that float32 holds
};

// to = from * scale + offset. Throws Error(configuration) that names both: for units that are unknown or
// cannot be converted, unless they are the same text. Without units of the model nothing is converted.
struct Linear {
  double scale = 1.0, offset = 0.0;
};
Linear conversion_of(const std::string& from, const std::string& to);

// Values travel in the model's type if its values hold all that the file tells: copies; and what was
// unpacked or converted, unless it is interpolated later. Copies that need no more travel as float32, in half
// the memory, to a model's float64: all that is computed from them has the same bits. Throws
// Error(configuration): for units, and for a model's type that loses bits without `narrow: true`. Throws
// Error(resource) for attributes that are no numbers.
//
// `regridded`: whether the values are regridded; such ones may be missing anywhere, and `computed` ones are
// none of those in the file.
enum class Regridded : std::uint8_t { no, chosen, computed };
ValuePlan plan_values(const VariableHeader& variable, const FieldRequest& request, const model::Field& field,
                      Regridded regridded = Regridded::no);

}  // namespace tailrace::input
