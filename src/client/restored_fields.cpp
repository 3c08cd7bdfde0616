#include "client/restored_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "client/target.hpp"

namespace tailrace::client {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

std::string field_named(const std::string& array) {
  const std::string prefix = "model/fields/";
  return array.starts_with(prefix) ? array.substr(prefix.size()) : "";
}

}  // namespace

std::string RestoredFields::hint(const std::string& name,
                                 const std::function<std::string(const std::string&)>& known) const {
  std::vector<std::string> there;
  for (const std::string& array : names_())
    if (std::string is = known(array); !is.empty()) there.push_back(std::move(is));
  return there.empty() ? " It has none at all." : base::name_hint(name, there);
}

bool RestoredFields::has(int field) const {
  const model::Declarations& declarations = declarer_.declarations();
  return field >= 0 && static_cast<std::size_t>(field) < declarations.fields.size() &&
         state_.find(model::kept_array(declarations, field).name).has_value();
}

void RestoredFields::get(int field, const model::Tick&, const Target& target) const {
  const model::Declarations& declarations = declarer_.declarations();
  check_handle(field, declarer_);
  const model::Field& of = declarations.fields[base::index(field)];
  const model::StateArray wanted = model::kept_array(declarations, field);
  const auto saved = state_.find(wanted.name);
  if (!saved)
    refuse(fmt::format("the checkpoint has no field \"{}\".{}", of.name, hint(of.name, field_named)));
  if (*saved != wanted)
    refuse(fmt::format("get of field \"{}\": the checkpoint has it as {}({}), but it was declared as {}({})",
                       of.name, model::name_of(saved->type), fmt::join(saved->shape, ", "),
                       model::name_of(wanted.type), fmt::join(wanted.shape, ", ")));
  const std::int64_t cells = check_target(target, field, declarer_);
  if (cells == 0) return;
  // If all ranks hold the field, each reads the whole of it, no matter which rank handed it over.
  const std::vector<model::Region> blocks = regions_to_get(field, declarer_);
  const auto load = [&](std::span<std::byte> values) {
    for (const model::Region& block : blocks) {
      const auto own = values.first(static_cast<std::size_t>(block.size()) * model::size_of(of.type));
      if (!own.empty()) state_.load(wanted, block, own);
      values = values.subspan(own.size());
    }
  };
  const std::size_t bytes = static_cast<std::size_t>(cells) * model::size_of(of.type);
  if (target.strides.empty()) return load({static_cast<std::byte*>(target.data), bytes});
  std::vector<std::byte> dense(bytes);
  load(dense);
  scatter(target, dense);
}

model::KeptValue RestoredFields::value(const std::string& name) const {
  if (auto value = model::load_kept_value(state_, name)) return std::move(*value);
  refuse(fmt::format("the checkpoint has no value \"{}\".{}", name, hint(name, model::kept_value_named)));
}

}  // namespace tailrace::client
