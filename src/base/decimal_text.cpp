#include "base/decimal_text.hpp"

#include <fmt/format.h>

namespace tailrace::base {

std::string decimal_text(double value) {
  std::string text = fmt::format("{:.10f}", value);
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

}  // namespace tailrace::base
