#include "handshake/ready/found_cells.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/index.hpp"
#include "model/region.hpp"
#include "plan/masks.hpp"
#include "plan/points.hpp"

namespace tailrace::handshake {
namespace {

using points::Candidate;
using points::Reach;
using points::Search;

// The cells of a plane that this rank holds, as C-order indices.
std::vector<std::int64_t> own_cells(const client::Declarer& declarer, const Search& search) {
  const auto grid = static_cast<std::size_t>(*declarer.declarations().find_grid(search.grid->name));
  std::vector<std::int64_t> all;
  for (const model::Region& block : declarer.blocks(grid)) {
    if (block.size() == 0) continue;
    std::vector<std::int64_t> cells{0};
    for (const std::size_t d : search.plane.dims) {
      std::vector<std::int64_t> longer;
      for (const std::int64_t cell : cells)
        for (const model::Run& run : block.runs(d))
          for (std::int64_t i = run.start; i < run.start + run.count; ++i)
            longer.push_back(cell * search.grid->shape[d] + i);
      cells = std::move(longer);
    }
    all.insert(all.end(), cells.begin(), cells.end());
  }
  return all;
}

// The index into the values of a coordinate along some dims of the plane, for a cell of it.
std::int64_t place_of(const Search& search, const model::Coordinate& coordinate, std::int64_t cell) {
  std::int64_t place = 0, stride = 1;
  for (std::size_t k = search.plane.dims.size(); k-- > 0;) {
    const std::size_t d = search.plane.dims[k];
    const std::int64_t extent = search.grid->shape[d];
    if (std::ranges::count(coordinate.dims, search.grid->dims[d]) > 0) {
      place += cell % extent * stride;
      stride *= extent;
    }
    cell /= extent;
  }
  return place;
}

std::vector<double> values_at(const client::Declarer& declarer, const Search& search,
                              const model::Coordinate& coordinate, const std::vector<std::int64_t>& cells) {
  std::vector<double> values;
  if (!coordinate.field) {
    for (const std::int64_t cell : cells)
      values.push_back(coordinate.values[base::index(place_of(search, coordinate, cell))]);
    return values;
  }
  for (const client::StaticValues& given : declarer.statics()) {
    if (given.field != *coordinate.field) continue;
    values.resize(given.bytes.size() / sizeof(double));
    std::memcpy(values.data(), given.bytes.data(), values.size() * sizeof(double));
  }
  return values;
}

NearestOfRanks look_for(const client::Declarer& declarer, const Search& search) {
  const std::vector<std::int64_t> cells = own_cells(declarer, search);
  NearestOfRanks found;
  std::array<std::vector<double>, 2> at;
  for (std::size_t i = 0; i < 2; ++i) {
    at[i] = values_at(declarer, search, *search.plane.at[i], cells);
    // A rank that gave no values has none of the cells.
    if (at[i].size() != cells.size()) at = {};
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<double>& whole = search.plane.at[i]->values;  // which covers holes too
    found.reach.emplace_back().add(whole.empty() ? at[i] : whole);
  }
  const points::CellSearch lookup({at[0], at[1]}, search.plane.longitude);
  if (search.request.stations == nullptr) return found;
  for (const points::Station& station : search.request.stations->points) {
    Candidate best = lookup.nearest({station.at[0], station.at[1]});
    if (best.cell >= 0) best.cell = cells[base::index(best.cell)];
    found.cells.push_back(best);
  }
  return found;
}

}  // namespace

void NearestOfRanks::add(const NearestOfRanks& other) {
  TAILRACE_ASSERT(other.cells.size() == cells.size() && other.reach.size() == reach.size(),
                  "all ranks look for the same stations");
  for (std::size_t s = 0; s < cells.size(); ++s)
    if (other.cells[s].is_before(cells[s])) cells[s] = other.cells[s];
  for (std::size_t i = 0; i < reach.size(); ++i) {
    const std::array ends{other.reach[i].low, other.reach[i].high};
    if (ends[0] <= ends[1]) reach[i].add(ends);
  }
}

std::vector<NearestOfRanks> look_for_stations(const client::Declarer& declarer,
                                              const settings::Configuration& configuration) {
  std::vector<NearestOfRanks> all;
  const model::Declarations declarations = plan::with_marked_holes(configuration, declarer.declarations());
  for (const Search& search : points::searches(plan::point_requests(configuration), declarations))
    all.push_back(look_for(declarer, search));
  return all;
}

void put_nearest(base::ByteWriter& out, const std::vector<NearestOfRanks>& all) {
  out.put(static_cast<std::int64_t>(all.size()));
  for (const NearestOfRanks& one : all) {
    out.put_all(std::span<const Candidate>(one.cells));
    out.put_all(std::span<const Reach>(one.reach));
  }
}

std::vector<NearestOfRanks> get_nearest(base::ByteReader& in) {
  std::vector<NearestOfRanks> all;
  for (auto left = in.get<std::int64_t>(); left > 0; --left) {
    NearestOfRanks& one = all.emplace_back();
    one.cells = in.get_all<Candidate>();
    one.reach = in.get_all<Reach>();
  }
  return all;
}

void set_found_cells(model::Declarations& declarations, const settings::Configuration& configuration,
                     const std::vector<NearestOfRanks>& all) {
  std::vector<model::FoundCells> found;
  for (const Search& search : points::searches(plan::point_requests(configuration), declarations)) {
    const NearestOfRanks& best = all.at(found.size());
    model::FoundCells& added = found.emplace_back();
    added.file = search.request.dataset;
    added.fields = points::fields_of(search, declarations);
    for (const Candidate& candidate : best.cells) added.cells.push_back(candidate.cell);
    for (const Reach& reach : best.reach) added.reach.insert(added.reach.end(), {reach.low, reach.high});
  }
  declarations.found_cells = std::move(found);
}

}  // namespace tailrace::handshake
