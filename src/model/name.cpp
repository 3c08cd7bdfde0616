#include "model/name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.hpp"

namespace tailrace::model {
namespace {

constexpr std::size_t longest = 256;  // bytes: NC_MAX_NAME

constexpr std::array<std::string_view, 14> reserved{
    "CLASS",         "DIMENSION_LABELS", "DIMENSION_LIST",     "NAME",          "REFERENCE_LIST",
    "_FillValue",    "_Format",          "_IsNetcdf4",         "_NCProperties", "_Netcdf4Coordinates",
    "_Netcdf4Dimid", "_NoFill",          "_SuperblockVersion", "_nc3_strict"};

bool is_control(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte < 0x20 || byte == 0x7F;
}

bool may_begin(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= 0x80 || letter == '_' || (letter >= '0' && letter <= '9') ||
         (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

}  // namespace

std::optional<std::string> name_complaint(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > longest)
    return fmt::format("has {} bytes; at most {} are possible", name.size(), longest);
  if (const std::size_t valid = base::valid_utf8(name); valid < name.size())
    return fmt::format("is not UTF-8 from byte {} on", valid + 1);
  if (const auto control = std::ranges::find_if(name, is_control); control != name.end())
    return fmt::format("has a control character at byte {}", control - name.begin() + 1);
  if (name.find('/') != std::string_view::npos) return "has a \"/\", which separates groups in netCDF";
  if (!may_begin(name.front()))
    return fmt::format("begins with \"{}\"; expected a letter, a digit or an underscore", name.front());
  if (name.back() == ' ') return "ends in a space";
  return std::nullopt;
}

std::optional<std::string> attribute_name_complaint(std::string_view name) {
  if (auto complaint = name_complaint(name)) return complaint;
  if (name == "_FillValue") return "is written automatically, from the `fill_value` of the field";
  if (std::ranges::find(reserved, name) != reserved.end())
    return "is reserved: netCDF or HDF5 uses it internally; give the attribute another name";
  return std::nullopt;
}

}  // namespace tailrace::model
