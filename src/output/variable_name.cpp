#include "output/variable_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tailrace::output {
namespace {

constexpr std::size_t longest = 200;  // netCDF allows 256; names of parts and of bounds add a suffix

bool is_made_of_name_characters(const std::string& text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

std::optional<std::string> suffix_complaint(const std::string& suffix) {
  if (is_made_of_name_characters(suffix)) return std::nullopt;
  return "expected letters, digits and underscores, but got \"" + suffix + "\"";
}

}  // namespace

std::optional<std::string> variable_name_complaint(const std::string& name) {
  if (name.size() > longest)
    return fmt::format("expected at most {} letters, digits and underscores, but got {}", longest,
                       name.size());
  if (is_made_of_name_characters(name) && std::isdigit(static_cast<unsigned char>(name.front())) == 0)
    return std::nullopt;
  return "expected letters, digits and underscores, not starting with a digit, but got \"" + name + "\"";
}

config::Type variable_name_type() {
  return config::checked("a name made of letters, digits and underscores", variable_name_complaint);
}

config::Type suffix_type() {
  return config::checked("a word made of letters, digits and underscores", suffix_complaint);
}

}  // namespace tailrace::output
