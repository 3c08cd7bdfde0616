#include "plan/naming/spelling_hints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace tailrace::plan {
namespace {

constexpr std::size_t shortest = 4;  // short names are similar to many others
constexpr std::size_t most_told = 3;

std::string_view bare(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool tells_apart(char letter) {
  return std::string_view("uvwxyzUVWXYZ0123456789").find(letter) != std::string_view::npos;
}

}  // namespace

bool is_slip(const std::string& one, const std::string& other) {
  if (one.size() < other.size()) return is_slip(other, one);
  if (other.size() < shortest || one.size() > other.size() + 1) return false;
  const auto [here, there] = std::ranges::mismatch(one, other);
  if (here == one.end()) return false;
  const std::string_view rest(here, one.end()), rest_of_other(there, other.end());
  if (one.size() > other.size()) return rest.substr(1) == rest_of_other && !tells_apart(*here);
  if (rest.substr(1) == rest_of_other.substr(1)) return !(tells_apart(*here) && tells_apart(*there));
  return rest.size() > 1 && rest[0] == rest_of_other[1] && rest[1] == rest_of_other[0] &&
         rest.substr(2) == rest_of_other.substr(2);
}

std::string hint_of_slips(const std::vector<Absent>& absent, const settings::Configuration& configuration,
                          const model::Declarations& declared) {
  if (std::ranges::all_of(absent, [](const Absent& group) { return group.fields.empty(); })) return "";
  std::unordered_set<std::string_view> listed;
  for (const settings::DiagnosticEntry& diagnostic : configuration.diagnostics)
    listed.insert(bare(diagnostic.name));
  for (const settings::FieldGroup& group : configuration.field_groups)
    for (const settings::ListedName& field : group.fields) listed.insert(bare(field.name));
  std::vector<std::string> unasked;
  for (const model::Field& field : declared.fields)
    if (field.is_put() && !listed.contains(bare(field.name))) unasked.emplace_back(bare(field.name));
  std::vector<std::string> told;
  std::string where;
  for (const Absent& group : absent)
    for (const settings::ListedName& field : group.fields) {
      const std::string name(bare(field.name));
      const auto meant =
          std::ranges::find_if(unasked, [&](const std::string& known) { return is_slip(name, known); });
      if (meant == unasked.end() || told.size() == most_told) continue;
      if (told.empty()) where = field.location.text();
      told.push_back(fmt::format("\"{}\" for \"{}\"", *meant, name));
    }
  if (told.empty()) return "";
  return fmt::format(
      "{}  fields: the model has, and nothing asks for, names near to those it lacks: did you mean {}?",
      where, fmt::join(told, ", "));
}

}  // namespace tailrace::plan
