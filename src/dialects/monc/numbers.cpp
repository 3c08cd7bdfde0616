#include "dialects/monc/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "config/scalars.hpp"

namespace tailrace::dialects::monc {

double real_as_monc_reads(std::string_view text) {
  constexpr std::size_t width = 11;
  const bool exponent = text.find_first_of("eE") != std::string_view::npos;
  if (!exponent) text = text.substr(0, width);
  const auto value = config::parse_real(text);
  if (!value) return 0.0;
  const bool point = text.find('.') != std::string_view::npos;
  const double scale = point ? 1.0 : exponent ? 1e10 : 1e2;
  return static_cast<double>(static_cast<float>(*value / scale));
}

bool monc_misreads(std::string_view text) {
  const auto value = config::parse_real(text);
  if (!value) return true;
  constexpr double single_precision = 1e-6;
  return std::abs(real_as_monc_reads(text) - *value) > single_precision * std::abs(*value);
}

std::string exact_text(double value) { return fmt::format("{}", value); }

}  // namespace tailrace::dialects::monc
