#include "output/netcdf/classic.hpp"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "output/netcdf/options.hpp"

namespace tailrace::output::netcdf {
namespace {

bool is_classic(model::DataType type) {
  return type != model::DataType::int64 && type != model::DataType::uint8;
}

// Empty: nothing is wrong. Otherwise int64 numbers become int32.
std::string change(const std::string& name, AttributeValue& value) {
  std::string complaint;
  const AttributeValue before = value;
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::int64_t>) {
          if (held >= std::numeric_limits<std::int32_t>::min() &&
              held <= std::numeric_limits<std::int32_t>::max())
            value = static_cast<std::int32_t>(held);
          else
            complaint = fmt::format("the attribute \"{}\" has a value of 64 bits", name);
        } else if constexpr (std::is_same_v<T, std::uint8_t> ||
                             std::is_same_v<T, std::vector<std::uint8_t>> ||
                             std::is_same_v<T, std::vector<std::int64_t>>) {
          complaint = fmt::format("the attribute \"{}\" has a type that netCDF-3 does not know", name);
        }
      },
      before);
  return complaint;
}

std::string change(Attributes& attributes) {
  for (auto& [name, value] : attributes)
    if (std::string complaint = change(name, value); !complaint.empty()) return complaint;
  return "";
}

// Empty: `spec` is one of the classic model now.
std::string change(DatasetSpec& spec) {
  const DimensionSpec* growing = nullptr;
  for (const DimensionSpec& dim : spec.dims) {
    if (!dim.unlimited) continue;
    if (growing != nullptr)
      return fmt::format("it would have two dimensions that grow, \"{}\" and \"{}\"", growing->name,
                         dim.name);
    growing = &dim;
  }
  for (VariableSpec& variable : spec.variables) {
    if (!variable.is_text && !is_classic(variable.type))
      return fmt::format("its variable \"{}\" has the type {}", variable.name, model::name_of(variable.type));
    if (std::string complaint = change(variable.attributes); !complaint.empty()) return complaint;
  }
  for (TextSpec& text : spec.texts)
    if (std::string complaint = change(text.attributes); !complaint.empty()) return complaint;
  return change(spec.attributes);
}

}  // namespace

bool make_classic(DatasetSpec& spec) {
  const DataModel wanted = unwrap_options<Options>(spec.options.get()).data_model;
  if (wanted == DataModel::netcdf4) return false;
  DatasetSpec changed = spec;
  const std::string complaint = change(changed);
  if (complaint.empty()) {
    spec = std::move(changed);
    return true;
  }
  if (wanted == DataModel::classic_where_possible) return false;
  throw Error(
      ErrorCode::configuration,
      fmt::format("cannot be written in the classic model: {}; expected variables at the same times and "
                  "of types that netCDF-3 knows, in a file of their own, or `data_model: netcdf4`",
                  complaint));
}

}  // namespace tailrace::output::netcdf
