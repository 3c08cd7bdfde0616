// The name of a file, in which `{start}` and `{end}` stand for the limits of what the file holds; behind a
// colon may come the form of a date: `{start:%Y%m}`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"

namespace tailrace::settings {

// In seconds of model time; or in steps, where files end by steps.
struct FileLimits {
  double start = 0.0, end = 0.0;
  std::int64_t start_step = 0, end_step = 0;
  bool in_steps = false;
};

class FileName {
 public:
  // Throws Error(configuration) for other names with a form, and for forms that are none.
  explicit FileName(const std::string& path);

  bool has_limits() const;  // whether any of the two stands in it
  bool has_end() const;
  bool has_dates() const;  // whether any has a form

  // The path. Of dates `{end}` is the last second before the end; without a form, dates are written as
  // 20260131 where both limits are midnights, else as 20260131T120000. Without a calendar limits are the
  // seconds.
  std::string of(const FileLimits& limits, const calendar::Calendar& calendar) const;

 private:
  enum class What { text, start, end };
  struct Piece {
    What what = What::text;
    std::string text;  // of a limit: its form
  };
  void add_limit(std::string_view inside);
  void add_text(std::string_view text);
  std::string path_;
  std::vector<Piece> pieces_;
};

}  // namespace tailrace::settings
