// The records of an input field in the order of time, over all files of its entry.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"

namespace tailrace::input {

// One time of one file. Times are seconds since the start of the run.
struct Record {
  std::int32_t file = 0;          // index in the list of files
  std::int64_t index = 0;         // along the file's time dimension
  double time = 0.0;              // the middle of the interval, if there is one
  double begin = 0.0, end = 0.0;  // the interval that the record stands for; both are `time` without bounds
  bool operator==(const Record&) const = default;
};

// The time axis of one file, as it stands in the file.
struct TimeAxis {
  std::vector<double> values;
  std::vector<double> bounds;  // two for each value, or none
  // The bounds are those of a climatology (CF 7.4): the interval between their dates, in each year.
  bool is_climatology = false;
  std::string units, calendar;
};

class Timeline {
 public:
  explicit Timeline(const calendar::Calendar& model) : model_(model) {}
  // The result of finish() elsewhere.
  Timeline(const calendar::Calendar& model, std::vector<Record> records, bool has_bounds, bool is_climatology,
           std::int64_t left_out)
      : model_(model),
        records_(std::move(records)),
        has_bounds_(has_bounds),
        is_climatology_(is_climatology),
        left_out_(left_out) {}

  // Adds the records of the next file. Records on a day that the model's calendar lacks are left out. Throws
  // Error(resource), without the name of the file: for a value that is no number, bounds that do not enclose
  // their value, and units that are not of time. `offset`: seconds that are added to the times.
  void add(std::int32_t file, const TimeAxis& axis, double offset = 0.0);
  // Sorts the records. Among those with the same time (to a millionth of the distance to the next) the last
  // one counts: that of the file that is later in the list, and within a file the one that is later there.
  // Returns how many do not count. Throws Error(resource) if intervals overlap.
  std::int64_t finish();

  // Adds finished records. Throws Error(resource) unless each is later than the one before it.
  void lengthen(std::span<const Record> further);

  const std::vector<Record>& records() const { return records_; }
  bool has_bounds() const { return has_bounds_; }
  bool is_climatology() const { return is_climatology_; }
  std::int64_t left_out() const { return left_out_; }  // since the model's calendar lacks their day

 private:
  calendar::Calendar model_;
  std::vector<Record> records_;
  bool has_bounds_ = false, is_climatology_ = false;
  std::int64_t left_out_ = 0;
};

}  // namespace tailrace::input
