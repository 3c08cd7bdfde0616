// The model times that the records of a field cover.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "input/timeline.hpp"

namespace tailrace::input {

// A stretch between two records in which there should be others, in seconds since the start of the run.
struct Gap {
  double begin = 0.0, end = 0.0;
  std::vector<std::string> files =
      {};  // that would have its records and are not there, if a template names them
  bool operator==(const Gap&) const = default;
};

struct Coverage {
  std::int64_t records = 0;
  double first = 0.0, last = 0.0;  // where the first record begins, and where the last one ends
  double step = 0.0;               // seconds between two records: the median; 0: there is only one
  bool is_regular = true;          // all distances but gaps are `step`, to a hundredth
  // With bounds: between two intervals. Without: distances of more than one and a half `step`, since months
  // and years have different lengths. None of a climatology, whose intervals lie in different years.
  std::vector<Gap> gaps = {};
};

// `timeline`: finished.
Coverage coverage_of(const Timeline& timeline);

// "365 records from 2026-01-01T12:00:00 to 2026-12-31T12:00:00, one in 1 d", with dates if the calendar has
// them.
std::string words_of(const Coverage& coverage, const calendar::Calendar& calendar);
// "no records from 2026-02-01T00:00:00 to 2026-03-01T00:00:00", and the first of its files.
std::string words_of(const Gap& gap, const calendar::Calendar& calendar);
std::string time_words(double time, const calendar::Calendar& calendar);
std::string length_words(double seconds);  // "2 d", "6 h", "90 s"

}  // namespace tailrace::input
