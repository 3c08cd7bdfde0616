// Diagnostics between the configuration and the rooms: expressions become a graph, and each diagnostic a
// field like those that the model declares, so that everything behind need not know the difference.
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
#include "settings/configuration.hpp"

namespace tailrace::plan {

// What the name of a grid that a diagnostic brought starts with; the diagnostic's own follows.
inline constexpr std::string_view diagnostic_grid = "diagnostic ";

// A field in a file with stations or trajectories: indices into Analysis::declarations.
struct AtStations {
  std::string file;  // its path
  int field = -1;
  int at_stations = -1;
};

struct Analysis {
  analytics::Graph graph;
  // Index into `declarations`: of a coordinate in parts the static field; -1 for one that all know.
  std::vector<int> field_of_input;
  std::vector<analytics::EngineInput> inputs;  // regions only where a decomposition was given
  std::vector<int> field_of_diagnostic;        // index into `declarations`
  model::Declarations declarations;            // the model's, then those of diagnostics
  std::vector<AtStations> at_stations;
  // By path of a file with trajectories: what the coordinates along these are, without dims and values.
  std::map<std::string, std::vector<model::Coordinate>> places;
  std::vector<std::string> warnings, details;  // as in Plan
};

// `decomposition` may be null (a model rank knows only its own part): then which dimensions are split is a
// guess, which changes where things are computed but not what. Mistakes are added to `problems`. Null where
// there are no diagnostics, and no files with stations.
std::shared_ptr<const Analysis> analyse(const settings::Configuration& configuration,
                                        const model::Declarations& declarations,
                                        const model::Decomposition* decomposition,
                                        config::Problems& problems);

// The regions of the model's grids, then of those that diagnostics brought. Pure, so equal on every server.
model::Decomposition with_diagnostics(const Analysis& analysis, const model::Decomposition& decomposition);

}  // namespace tailrace::plan
