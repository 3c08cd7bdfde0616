// Reads the parts of a date from the front of a text.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace tailrace::calendar {

// `good` becomes false at the first mismatch.
struct Scanner {
  std::string_view rest;
  bool good = true;

  bool accept(char expected) {
    if (rest.empty() || rest.front() != expected) return false;
    rest.remove_prefix(1);
    return true;
  }
  void expect(char expected) { good = accept(expected) && good; }

  std::int64_t number(std::size_t least_digits, std::size_t most_digits) {
    std::size_t digits = 0;
    std::int64_t value = 0;
    for (; digits < most_digits && digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9';
         ++digits)
      value = 10 * value + (rest[digits] - '0');
    good = good && digits >= least_digits;
    rest.remove_prefix(digits);
    return value;
  }

  int two_digits() { return static_cast<int>(number(2, 2)); }

  // Reads the digits after a decimal point together with `whole` as one number, so that it is rounded once.
  double decimals(int whole) {
    std::size_t digits = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    good = good && digits > 0;
    const std::string text = fmt::format("{}.{}", whole, rest.substr(0, digits));
    rest.remove_prefix(digits);
    double value = whole;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
};

}  // namespace tailrace::calendar
