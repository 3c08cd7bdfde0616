#include "config/scalars.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tailrace::config {
namespace {

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr std::array<std::pair<std::string_view, double>, 9> size_units{{{"B", 1.0},
                                                                         {"kB", 1e3},
                                                                         {"MB", 1e6},
                                                                         {"GB", 1e9},
                                                                         {"TB", 1e12},
                                                                         {"KiB", 0x1p10},
                                                                         {"MiB", 0x1p20},
                                                                         {"GiB", 0x1p30},
                                                                         {"TiB", 0x1p40}}};

}  // namespace

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse_whole<std::int64_t>(text); }

std::optional<double> parse_real(std::string_view text) {
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::size_t> parse_size(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789.");
  if (digits == std::string_view::npos) return std::nullopt;
  const auto number = parse_real(text.substr(0, digits));
  const std::size_t letters = text.find_first_not_of(' ', digits);
  if (!number || letters == std::string_view::npos) return std::nullopt;
  for (const auto& [unit, factor] : size_units) {
    const double bytes = *number * factor;
    if (text.substr(letters) == unit && bytes < 0x1p63) return static_cast<std::size_t>(std::llround(bytes));
  }
  return std::nullopt;
}

}  // namespace tailrace::config
