// Saves and loads the accumulators of one output variable as arrays over the cells of its grid.
#pragma once

#include <string>

#include "base/index.hpp"
#include "model/declarations.hpp"
#include "model/state.hpp"
#include "pipeline/sampling/accumulators.hpp"

namespace tailrace::pipeline::sampling {

class OutputVariableState {
 public:
  // `prefix`: that of the arrays' names. `regions`: those of the grid, by client. `may_lack_samples`: clients
  // may have combined different samples, so the number of samples is saved for each cell. The references must
  // live longer.
  OutputVariableState(std::string prefix, const model::Grid& grid, const model::Regions& regions,
                      bool may_lack_samples);

  void save(model::StateSaver& saver, const Accumulators& accumulators) const;
  // Loads into accumulators of the current decomposition. Throws Error(resource) if the cells of one client
  // have different numbers of samples, which an accumulator cannot represent.
  void load(const model::StateLoader& loader, const Accumulators& accumulators) const;

 private:
  model::StateArray array(const std::string& name, model::DataType type) const;
  const model::Region& region(int client) const { return regions_[base::index(client)]; }
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
