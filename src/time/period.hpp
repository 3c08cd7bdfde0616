// A period: a length of model time, a number of steps, or calendar units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tailrace::time {

enum class PeriodKind : std::uint8_t { seconds, steps, months };

// `5 steps`, `1 step`, `10 s`, `2.5 min`, `6 h`, `1 d`, `1 month`, `3 months`, `1 year`. Lengths of model
// time are kept in seconds; months and years in months, because their length depends on the calendar.
class Period {
 public:
  // Throws Error(configuration) that says what was expected: a positive number and a unit (known: ...).
  static Period parse(std::string_view text);
  static Period of_seconds(double seconds);
  static Period of_steps(std::int64_t steps);
  static Period of_months(std::int64_t months);
  static Period never();  // more steps than any run has; parse() does not return it
  // The same, with its grid moved by an offset such as `-1 month`, `6 h`, `2 steps`. Throws
  // Error(configuration) unless that is of the period's kind and shorter than it.
  Period with_offset(std::string_view text) const;

  bool is_never() const;
  PeriodKind kind() const { return kind_; }
  double seconds() const { return seconds_; }
  std::int64_t count() const { return count_; }  // steps or months
  // The offset of its grid from the multiples of the period; negative: before them. By kind, as above.
  double offset_seconds() const { return offset_seconds_; }
  std::int64_t offset_count() const { return offset_count_; }
  bool has_offset() const { return offset_seconds_ != 0.0 || offset_count_ != 0; }
  std::string name() const;      // for names of files and dimensions: 10s, 5steps, 1month
  std::string sentence() const;  // for attributes: "every 10 s", "every month, offset by 1 day"
  std::string length() const;    // only "10 s"; not of never()
  std::string offset() const;    // "-1 month"; empty if there is none
  bool operator==(const Period&) const = default;

 private:
  PeriodKind kind_ = PeriodKind::steps;
  double seconds_ = 0.0;
  std::int64_t count_ = 1;
  double offset_seconds_ = 0.0;
  std::int64_t offset_count_ = 0;
};

}  // namespace tailrace::time
