// What the accumulators of one stream hold, as arrays over the cells of its grid.
#pragma once

#include <string>

#include "model/declarations.hpp"
#include "model/state.hpp"
#include "pipeline/sampling/accumulators.hpp"

namespace tailrace::pipeline::sampling {

class OutputVariableState {
 public:
  // `prefix`: of the arrays' names. `regions`: of the grid, by client. `may_lack_samples`: clients may have
  // combined different samples, so how many there are is saved for each cell and not once. The references
  // must live longer.
  OutputVariableState(std::string prefix, const model::Grid& grid, const model::Regions& regions,
                      bool may_lack_samples);

  void save(model::StateSaver& saver, const Accumulators& accumulators) const;
  // Into accumulators of this decomposition. Throws Error(resource) where the cells of one client have
  // different samples behind them, which an accumulator cannot hold.
  void load(const model::StateLoader& loader, const Accumulators& accumulators) const;

 private:
  model::StateArray array(const std::string& name, model::DataType type) const;
  const model::Region& region(int client) const { return regions_[static_cast<std::size_t>(client)]; }
  void save_totals(model::StateSaver& saver, int client, const time::Totals& totals) const;
  time::Totals load_totals(const model::StateLoader& loader, int client) const;
  template <class T>
  void save_everywhere(model::StateSaver& saver, const char* name, int client, T value) const;
  template <class T>
  T load_common(const model::StateLoader& loader, const char* name, int client) const;

  std::string prefix_;
  const model::Grid& grid_;
  const model::Regions& regions_;
  bool may_lack_samples_;
};

}  // namespace tailrace::pipeline::sampling
