// How often: a length of model time, a number of steps, or calendar units.
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
  static Period never();  // more steps than any run has; no notation of parse()

  bool is_never() const;
  PeriodKind kind() const { return kind_; }
  double seconds() const { return seconds_; }
  std::int64_t count() const { return count_; }  // steps or months
  std::string name() const;                      // for names of files and dimensions: 10s, 5steps, 1month
  std::string sentence() const;                  // for attributes: "every 10 s"
  std::string length() const;                    // the same without "every"; not of never()
  bool operator==(const Period&) const = default;

 private:
  PeriodKind kind_ = PeriodKind::steps;
  double seconds_ = 0.0;
  std::int64_t count_ = 1;
};

}  // namespace tailrace::time
