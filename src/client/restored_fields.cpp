#include "client/restored_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::client {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

// Copies dense values to the target, according to its strides.
const std::byte* scatter(const Target& target, std::size_t d, std::byte* to, const std::byte* from) {
  const std::size_t element = model::size_of(target.type);
  if (d == target.shape.size()) {
    std::memcpy(to, from, element);
    return from + element;
  }
  for (std::int64_t i = 0; i < target.shape[d]; ++i)
    from = scatter(target, d + 1, to + i * target.strides[d] * static_cast<std::int64_t>(element), from);
  return from;
}

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
  if (field < 0 || static_cast<std::size_t>(field) >= declarations.fields.size())
    refuse(fmt::format("{} is not the handle of a field; there are {} fields", field,
                       declarations.fields.size()));
  const model::Field& of = declarations.fields[base::index(field)];
  const auto grid = base::index(of.grid);
  const model::StateArray wanted = model::kept_array(declarations, field);
  const auto saved = state_.find(wanted.name);
  if (!saved)
    refuse(fmt::format("the checkpoint has no field \"{}\".{}", of.name, hint(of.name, field_named)));
  if (*saved != wanted)
    refuse(fmt::format("get of field \"{}\": the checkpoint has it as {}({}), but it was declared as {}({})",
                       of.name, model::name_of(saved->type), fmt::join(saved->shape, ", "),
                       model::name_of(wanted.type), fmt::join(wanted.shape, ", ")));
  if (target.type != of.type)
    refuse(fmt::format("get of field \"{}\": the array is of type {}, but the field was declared as {}",
                       of.name, model::name_of(target.type), model::name_of(of.type)));
  const std::vector<std::int64_t>& local = declarer_.local_shapes()[grid];
  std::int64_t cells = 1;
  for (const std::int64_t extent : local) cells *= extent;
  const bool flat = target.shape.size() == 1 && target.shape[0] == cells;
  if (!flat && !std::ranges::equal(target.shape, local))
    refuse(fmt::format(
        "get of field \"{}\": the array has the shape ({}), but grid \"{}\" holds ({}) on this "
        "rank",
        of.name, fmt::join(target.shape, ", "), declarations.grids[grid].name, fmt::join(local, ", ")));
  if (cells == 0) return;
  if (target.data == nullptr) refuse(fmt::format("get of field \"{}\": the array is NULL", of.name));
  // If all ranks hold the field, each reads the whole of it, no matter which rank handed it over.
  const bool replicated = declarations.grids[grid].kind == model::GridKind::replicated;
  const model::Region whole =
      model::Region::of_box({std::vector<std::int64_t>(wanted.shape.size(), 0), wanted.shape});
  const std::vector<model::Region> blocks =
      replicated ? std::vector<model::Region>{whole} : declarer_.blocks(grid);
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
  scatter(target, 0, static_cast<std::byte*>(target.data), dense.data());
}

model::KeptValue RestoredFields::value(const std::string& name) const {
  if (auto value = model::load_kept_value(state_, name)) return std::move(*value);
  refuse(fmt::format("the checkpoint has no value \"{}\".{}", name, hint(name, model::kept_value_named)));
}

}  // namespace tailrace::client
