// The name of a file, with placeholders for the limits of its contents: `{start}` and `{end}`, or
// `{start:%Y%m}` with the format of a date.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"

namespace tailrace::settings {

// In seconds of model time, or in steps if the period of files is in steps.
struct FileLimits {
  double start = 0.0, end = 0.0;
  std::int64_t start_step = 0, end_step = 0;
  bool in_steps = false;
};

class FileName {
 public:
  // Throws Error(configuration) for a format behind another name, and for an invalid format.
  explicit FileName(const std::string& path);

  bool has_limits() const;  // the name contains a limit
  bool has_end() const;
  bool has_dates() const;  // a limit has a format

  // The path. As a date, `{end}` is the last second before the end. Without a format, dates are written as
  // 20260131 if both limits are midnights, otherwise as 20260131T120000. Without a calendar the limits are
  // seconds.
  std::string of(const FileLimits& limits, const calendar::Calendar& calendar) const;

 private:
  enum class What { text, start, end };
  struct Piece {
    What what = What::text;
    std::string text;  // the format of a limit
  };
  void add_limit(std::string_view inside);
  void add_text(std::string_view text);
  std::string path_;
  std::vector<Piece> pieces_;
};

}  // namespace tailrace::settings
