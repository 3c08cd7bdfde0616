// The conformance tests of every convention; the test of a new one calls check_convention.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "time/convention.hpp"

namespace tailrace::time::testing {

inline std::vector<model::Tick> uneven_ticks() {
  std::vector<model::Tick> ticks;
  double time = 0.0;
  for (std::int64_t step = 1; step <= 400; ++step)
    ticks.push_back({step, time += 0.5 + 3.0 * std::abs(std::sin(static_cast<double>(step)))});
  return ticks;
}

using Ends = bool (Convention::*)(const Ruler&, const model::Tick&, LastEdge&) const;

// The edge is the complete state: of two series with the same ticks, one continues from a copy of the edge at
// each tick. Both end where a single one does, and no more often than periods have passed.
inline void check_ends(const Convention& convention, Ends ends, const Period& every) {
  SCOPED_TRACE(every.name());
  const calendar::Calendar calendar("standard", calendar::parse_date("2026-01-01"));
  const Ruler ruler(every, calendar);
  LastEdge alone = convention.first_edge(ruler, {});
  LastEdge kept = convention.first_edge(ruler, {});
  EXPECT_EQ(alone, kept);
  std::int64_t number = 0;
  std::vector<model::Tick> ticks = uneven_ticks();
  for (const model::Tick& tick : ticks) {
    LastEdge continued = kept;
    const std::int64_t before = alone.index;
    const bool ended = (convention.*ends)(ruler, tick, alone);
    ASSERT_EQ((convention.*ends)(ruler, tick, continued), ended) << tick.time;
    EXPECT_EQ(continued, alone);
    EXPECT_EQ(alone.index > before, ended) << tick.time;
    kept = continued;
    number += ended ? 1 : 0;
  }
  EXPECT_GT(number, 0);
  EXPECT_LE(number, alone.index);  // names come once
  const std::int64_t passed = ruler.place(ticks.back()).index - ruler.place({}).index;
  EXPECT_LE(number, passed);
  EXPECT_FALSE((convention.*ends)(ruler, ticks.back(), alone)) << "a period has a length";
}

// Each sample has a positive weight if time has advanced; the weight does not depend on other windows.
inline void check_weights(const Convention& convention) {
  const calendar::Calendar calendar;
  const Ruler ruler(Period::of_seconds(20.0), calendar);
  LastEdge last = convention.first_edge(ruler, {});
  WholeSample sample;
  for (const model::Tick& tick : uneven_ticks()) {
    sample.time = tick.time;
    const double weight = convention.weight(ruler, sample, last);
    EXPECT_GT(weight, 0.0) << tick.time;
    EXPECT_EQ(convention.weight(ruler, sample, last), weight);
    sample.gathered = convention.ends_record(ruler, tick, last) ? 0.0 : sample.gathered + weight;
    sample.before = tick.time;
  }
  sample.gathered = 1.0;
  EXPECT_EQ(convention.weight(ruler, sample, {}), 0.0) << "no time went by";
}

inline void check_place_of_number(const Convention& convention) {
  for (const std::string path :
       {"a.nc", "out/a.nc", "./run.1/a.b.nc", "run.1/a", "a", ".hidden", "run.1/.hidden.nc", "../x/a.nc"}) {
    const std::size_t place = convention.place_of_number(path);
    EXPECT_GT(place, path.find_last_of('/') + 1) << path;  // something is left to begin the name
    EXPECT_LE(place, path.size()) << path;
    EXPECT_TRUE(place == path.size() || path[place] == '.') << path;
  }
}

inline void check_words(const Convention& convention) {
  EXPECT_FALSE(convention.name().empty());
  for (const Period& every : {Period::of_seconds(20.0), Period::of_steps(5), Period::of_months(1)}) {
    const std::string instants = convention.instants_in_words(every, Period::of_steps(1));
    EXPECT_NE(instants.find(every.length()), std::string::npos) << instants;
    const std::string windows = convention.windows_in_words(every, true);
    EXPECT_NE(windows.find(every.length()), std::string::npos) << windows;
  }
}

inline void check_convention(const Convention& convention) {
  SCOPED_TRACE(convention.name());
  for (const Ends ends : {&Convention::ends_record, &Convention::ends_file})
    for (const Period& every : {Period::of_seconds(20.0), Period::of_seconds(0.7), Period::of_steps(7)})
      check_ends(convention, ends, every);
  check_weights(convention);
  check_place_of_number(convention);
  check_words(convention);
}

}  // namespace tailrace::time::testing
