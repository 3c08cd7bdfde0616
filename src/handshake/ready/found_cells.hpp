// The cells nearest to stations if coordinates are given in parts: each rank searches its own cells, and the
// nearest of all is found by a reduction up the tree, together with the extents of the coordinates.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "client/declarer.hpp"
#include "model/declarations.hpp"
#include "points/nearest_cell.hpp"
#include "points/station_cells.hpp"
#include "settings/configuration.hpp"

namespace tailrace::handshake {

// The result of one points::Search over some ranks.
struct NearestOfRanks {
  std::vector<points::Candidate> cells;  // by station
  std::vector<points::Reach> reach;      // extents of the two coordinates

  void add(const NearestOfRanks& other);
};

// The results of this rank, in the order of the searches. A rank without cells has no candidates.
std::vector<NearestOfRanks> look_for_stations(const client::Declarer& declarer,
                                              const settings::Configuration& configuration);
void put_nearest(base::ByteWriter& out, const std::vector<NearestOfRanks>& all);
std::vector<NearestOfRanks> get_nearest(base::ByteReader& in);

// `all`: the results of all ranks.
void set_found_cells(model::Declarations& declarations, const settings::Configuration& configuration,
                     const std::vector<NearestOfRanks>& all);

}  // namespace tailrace::handshake
