// Dates as text, ISO 8601.
#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "calendar/calendar.hpp"
#include "calendar/scanner.hpp"

namespace tailrace::calendar {
namespace {

void scan_time(Scanner& scan, Date& date) {
  date.hour = scan.two_digits();
  scan.expect(':');
  date.minute = scan.two_digits();
  if (scan.accept(':')) {
    const int second = scan.two_digits();
    date.second = scan.accept('.') ? scan.decimals(second) : second;
  }
  scan.accept('Z');
}

}  // namespace

Date parse_date(std::string_view text) {
  Scanner scan{text};
  Date date;
  const bool negative = scan.accept('-');
  date.year = scan.number(4, 9) * (negative ? -1 : 1);
  scan.expect('-');
  date.month = scan.two_digits();
  scan.expect('-');
  date.day = scan.two_digits();
  if (scan.accept('T') || scan.accept(' ')) scan_time(scan, date);
  const bool in_range = date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31 &&
                        date.hour < 24 && date.minute < 60 && date.second < 60.0;
  if (!scan.good || !scan.rest.empty() || !in_range)
    throw Error(
        ErrorCode::configuration,
        fmt::format("\"{}\" is not a date; expected one such as 2026-01-31 or 2026-01-31T06:30:00", text));
  return date;
}

std::string format_date(const Date& date) {
  const std::string year =
      date.year < 0 ? fmt::format("-{:04}", -date.year) : fmt::format("{:04}", date.year);
  const double whole = std::floor(date.second);
  std::string text = fmt::format("{}-{:02}-{:02}T{:02}:{:02}:{:02}", year, date.month, date.day, date.hour,
                                 date.minute, static_cast<int>(whole));
  if (date.second > whole) {
    const std::string second =
        fmt::format("{}", date.second);  // shortest text that reads back as the same number
    if (const auto point = second.find('.');
        point != std::string::npos && second.find('e') == std::string::npos)
      text += second.substr(point);
  }
  return text;
}

}  // namespace tailrace::calendar
