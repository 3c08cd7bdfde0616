#include "points/track.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tailrace::points {

namespace {

// Starts from the nearer end, so that the result is exact at both ends.
double between(double before, double way, double after, double share) {
  return share < 0.5 ? before + share * way : after - (1.0 - share) * way;
}

// Across the seam the result is moved into the user's range: up to 180 if one end is negative, otherwise up
// to 360.
double longitude_between(double before, double after, double share) {
  const double way = std::remainder(after - before, 360.0);
  const double here = between(before, way, after, share);
  if (std::abs(after - before) <= 180.0) return here;
  const double highest = std::min(before, after) < 0.0 ? 180.0 : 360.0;
  return here > highest ? here - 360.0 : here < highest - 360.0 ? here + 360.0 : here;
}

}  // namespace

std::optional<std::vector<double>> place_at(const Trajectories& trajectories, const Trajectory& one,
                                            double seconds) {
  const auto after = std::ranges::lower_bound(one.points, seconds, {}, &TrackPoint::time);
  if (after == one.points.end() || (after == one.points.begin() && seconds < after->time))
    return std::nullopt;
  if (after->time == seconds) return after->at;
  const TrackPoint& before = *(after - 1);
  const double share = (seconds - before.time) / (after->time - before.time);
  std::vector<double> place;
  for (std::size_t i = 0; i < before.at.size(); ++i) {
    const bool turns = i < 2 && trajectories.coordinates[i] == "longitude";
    place.push_back(turns ? longitude_between(before.at[i], after->at[i], share)
                          : between(before.at[i], after->at[i] - before.at[i], after->at[i], share));
  }
  return place;
}

std::vector<std::vector<double>> places_in(const Trajectories& trajectories,
                                           const std::vector<time::TimeRecord>& records,
                                           const std::vector<double>& stamps, double missing) {
  std::vector<std::vector<double>> places(trajectories.all.front().points.front().at.size());
  for (std::size_t r = 0; r < records.size(); ++r)
    for (const Trajectory& one : trajectories.all) {
      const double first = one.points.front().time, last = one.points.back().time;
      const double low = std::min(records[r].begin, stamps[r]), high = std::max(records[r].end, stamps[r]);
      std::optional<std::vector<double>> place;
      if (first <= high && low <= last)
        place = place_at(trajectories, one, std::clamp(stamps[r], first, last));
      for (std::size_t i = 0; i < places.size(); ++i) places[i].push_back(place ? (*place)[i] : missing);
    }
  return places;
}

}  // namespace tailrace::points
