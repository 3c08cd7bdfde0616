// Compiles the diagnostics of a configuration: expressions become a graph, and each diagnostic becomes a
// field like those that the model declares, so that the rest of the program treats both alike.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analytics/engine.hpp"
#include "analytics/graph.hpp"
#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/vectors.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// The prefix of the name of a grid that belongs to a diagnostic; the diagnostic's name follows.
inline constexpr std::string_view diagnostic_grid = "diagnostic ";

// A field in a file with stations or trajectories: indices into Analysis::declarations.
struct AtStations {
  std::string file;  // its path
  int field = -1;
  int at_stations = -1;
};

struct Analysis {
  analytics::Graph graph;
  // By input, the index into `declarations`; for a coordinate given in parts its static field; -1 for a
  // coordinate that all ranks know.
  std::vector<int> field_of_input;
  std::vector<analytics::EngineInput> inputs;  // with regions only if a decomposition was given
  std::vector<int> field_of_diagnostic;        // index into `declarations`
  model::Declarations declarations;            // the model's, then those of diagnostics
  std::vector<AtStations> at_stations;
  // By path of a file with trajectories: the coordinates along them, without dims and values.
  std::map<std::string, std::vector<model::Coordinate>> places;
  std::vector<std::string> warnings, details;  // as in Plan
};

// `decomposition` may be null (a model rank knows only its own part): the split dimensions are then a guess,
// which changes where values are computed but not the values. Mistakes are added to `problems`. Null if there
// are no diagnostics and no files with points. `named`: further inputs that expressions may name.
std::shared_ptr<const Analysis> analyse(const settings::Configuration& configuration,
                                        const model::Declarations& declarations,
                                        const model::Decomposition* decomposition,
                                        const std::vector<NamedCoordinate>& named,
                                        config::Problems& problems);

// The regions of the model's grids, then of those of diagnostics. A pure function, so equal on every server.
model::Decomposition with_diagnostics(const Analysis& analysis, const model::Decomposition& decomposition);

}  // namespace tailrace::plan
