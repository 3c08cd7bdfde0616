#include "input/regridding/healpix_mapping.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

constexpr int highest_level = 29;

std::string text(const VariableHeader& variable, const char* attribute) {
  const std::string* const found = variable.text(attribute);
  return found == nullptr ? "" : *found;
}

std::optional<double> number(const VariableHeader& variable, const char* attribute) {
  const std::vector<double>* const found = variable.numbers(attribute);
  if (found == nullptr || found->empty()) return std::nullopt;
  return found->front();
}

[[noreturn]] void refuse(const VariableHeader& mapping, const std::string& what) {
  throw Error(ErrorCode::resource,
              fmt::format("its grid mapping \"{}\" is HEALPix, but has {}", mapping.name, what));
}

}  // namespace

bool is_healpix(const VariableHeader& mapping) { return text(mapping, "grid_mapping_name") == "healpix"; }

regrid::Healpix healpix_of(const VariableHeader& mapping) {
  std::optional<double> level = number(mapping, "refinement_level");
  for (const char* sides : {"healpix_nside", "nside"})
    if (const auto given = number(mapping, sides); given && !level) level = std::log2(*given);
  if (!level) refuse(mapping, "no `refinement_level` (CF 1.13)");
  if (!(*level >= 0 && *level <= highest_level) || *level != std::round(*level))
    refuse(mapping, fmt::format("the level {}; expected a whole number from 0 to {}", *level, highest_level));
  std::string order = text(mapping, "indexing_scheme");
  if (order.empty()) order = text(mapping, "healpix_order");
  if (order != "nested" && order != "nest" && order != "ring")
    refuse(mapping, fmt::format("the `indexing_scheme` \"{}\"; expected nested or ring", order));
  return {.level = static_cast<int>(*level),
          .order = order == "ring" ? regrid::HealpixOrder::ring : regrid::HealpixOrder::nested};
}

}  // namespace tailrace::input
