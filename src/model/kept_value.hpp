// The state of a model that belongs to a checkpoint: fields, and other numbers and texts (seeds, calendars,
// options).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/declarations.hpp"
#include "model/state.hpp"

namespace tailrace::model {

using KeptValue = std::variant<std::vector<std::int64_t>, std::vector<double>, std::string>;
using KeptValues = std::map<std::string, KeptValue>;

std::vector<std::byte> to_bytes(const KeptValues& values);
KeptValues kept_values_from(std::span<const std::byte> bytes);

const char* kind_name(const KeptValue& value);  // integers, reals, text

// Saves each value as the array `model/KIND/NAME`.
void save(const KeptValues& values, StateSaver& saver);
std::optional<KeptValue> load_kept_value(const StateLoader& loader, const std::string& name);
// The array `model/fields/NAME` of a field of the model that belongs to a checkpoint.
StateArray kept_array(const Declarations& declarations, int field);

// The name of the value that is saved as this array; empty for any other array.
std::string kept_value_named(const std::string& array);

}  // namespace tailrace::model
