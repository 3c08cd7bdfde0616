#include "calendar/date_pattern.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tailrace::calendar {
namespace {

constexpr std::string_view codes = "YmdHMS%";

std::string part_of(const Date& date, char code) {
  switch (code) {
    case 'Y': return date.year < 0 ? fmt::format("-{:04}", -date.year) : fmt::format("{:04}", date.year);
    case 'm': return fmt::format("{:02}", date.month);
    case 'd': return fmt::format("{:02}", date.day);
    case 'H': return fmt::format("{:02}", date.hour);
    case 'M': return fmt::format("{:02}", date.minute);
    case 'S': return fmt::format("{:02}", static_cast<int>(date.second));
    default: return "%";
  }
}

}  // namespace

std::optional<std::string> pattern_complaint(std::string_view pattern) {
  if (pattern.find('%') == std::string_view::npos)
    return fmt::format("\"{}\" contains no part of a date; expected some of %Y, %m, %d, %H, %M, %S", pattern);
  for (std::size_t at = pattern.find('%'); at != std::string_view::npos; at = pattern.find('%', at + 2)) {
    const std::string_view code = pattern.substr(at, 2);
    if (code.size() < 2 || codes.find(code[1]) == std::string_view::npos)
      return fmt::format("\"{}\" is no part of a date (known: %Y, %m, %d, %H, %M, %S, %%)", code);
  }
  return std::nullopt;
}

std::string format_date(const Date& date, std::string_view pattern) {
  TAILRACE_ASSERT(!pattern_complaint(pattern), "the pattern was checked");
  std::string text;
  for (std::size_t at = 0; at < pattern.size(); ++at)
    text += pattern[at] == '%' ? part_of(date, pattern[++at]) : std::string(1, pattern[at]);
  return text;
}

}  // namespace tailrace::calendar
