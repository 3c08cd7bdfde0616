// The times of other programs' files, in the notation of CF 4.4 ("days since 1990-01-01", with a calendar).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "calendar/calendar.hpp"

namespace tailrace::calendar {

// Converts the values of one time coordinate to seconds of model time. A file in another calendar than the
// model's is mapped by its dates: the same year, month, day and time of day. Units of months and years count
// calendar months, and a part of a month is that part of its length, unlike UDUNITS, where all months have
// the same length.
class FileTime {
 public:
  // `units`, `calendar`: the attributes of the time coordinate; without a calendar it is `standard`. Units
  // without a date ("s") count from the start of the run. Throws Error(resource) that quotes the attribute
  // and says what was expected; also for dates if the model's calendar is `none`, unless they are its own
  // units.
  FileTime(std::string_view units, std::string_view calendar, const Calendar& model);

  // Seconds since the start of the run. None if the model's calendar lacks the day, such as 29 February in
  // `noleap`.
  std::optional<double> seconds(double value) const;

 private:
  struct Instant {
    std::int64_t day = 0;  // day number of the file's calendar
    double second = 0.0;   // of that day, in [0, 86400)
  };
  Instant instant(double value) const;
  Instant after_months(double months) const;

  Calendar model_;
  Rule rule_ = Rule::mixed;  // of the file
  bool has_date_ = false;
  double unit_seconds_ = 1.0;
  int unit_months_ = 0;  // 0: the unit has a fixed length
  Day reference_;
  double reference_second_ = 0.0;  // of the day; a time zone may move it beyond the day
};

}  // namespace tailrace::calendar
