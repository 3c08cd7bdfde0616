// The cells nearest to stations, where coordinates are given in parts: each rank looks among its own cells,
// and the best of all is found up the tree. With it goes how far the coordinates reach.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "client/declarer.hpp"
#include "model/declarations.hpp"
#include "plan/stations/cells.hpp"
#include "plan/stations/nearest_cell.hpp"
#include "settings/configuration.hpp"

namespace tailrace::handshake {

// Of one plan::stations::Search.
struct NearestOfRanks {
  std::vector<plan::stations::Candidate> cells;  // by station
  std::vector<plan::stations::Reach> reach;      // of the two coordinates

  void add(const NearestOfRanks& other);
};

// Of this rank, in the order of the searches. Of a rank that has no cells there are no candidates.
std::vector<NearestOfRanks> look_for_stations(const client::Declarer& declarer,
                                              const settings::Configuration& configuration);
void put_nearest(base::ByteWriter& out, const std::vector<NearestOfRanks>& all);
std::vector<NearestOfRanks> get_nearest(base::ByteReader& in);

// `all`: the best of all ranks.
void set_found_cells(model::Declarations& declarations, const settings::Configuration& configuration,
                     const std::vector<NearestOfRanks>& all);

}  // namespace tailrace::handshake
