// Brings the places of cells that only ranks know to the servers that regrid input to them, before these read
// the headers of files: each server passes those of its clients on.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "input/regridding/cells_of_ranks.hpp"
#include "pipeline/control/control_channel.hpp"
#include "regrid/rank_cells.hpp"

namespace tailrace::server {

// Communication thread only; nothing blocks.
class CellsGathering {
 public:
  // `readers`: the servers that regrid input to such grids, ascending; none: nothing is gathered. `cells` is
  // filled on those.
  CellsGathering(pipeline::ControlChannel& control, std::set<int> readers,
                 std::shared_ptr<input::CellsOfRanks> cells);
  CellsGathering(const CellsGathering&) = delete;

  void accept(regrid::RankCells cells);  // of a client of this server
  // All clients of this server have invited, or one could not. Further calls do nothing.
  void pass_on(const std::optional<base::Fault>& fault);
  void lose(int server);
  // No cells are awaited here: all have come, unless there is a fault.
  bool over() const { return awaited_.empty(); }
  const std::optional<base::Fault>& fault() const { return fault_; }

 private:
  void hear(int from, const messaging::Bytes& message);

  pipeline::ControlChannel& control_;
  std::set<int> readers_;
  std::shared_ptr<input::CellsOfRanks> cells_;
  std::vector<regrid::RankCells> own_;
  bool is_passed_on_ = false;
  std::set<int> awaited_;  // servers
  std::optional<base::Fault> fault_;
};

}  // namespace tailrace::server
