// What files with stations or trajectories need of the graph: for each of their fields a diagnostic, which is
// the field there.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analytics/compile.hpp"
#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/analysis.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan::stations {

bool has_stations(const settings::Configuration& configuration);

// A field at the stations or along the trajectories of a file.
struct Sampled {
  const settings::OutputEntry* file = nullptr;
  int field = -1;       // index into Analysis::declarations: what is sampled
  int diagnostic = -1;  // index into the graph's diagnostics: the result
};

// The input that a coordinate of a grid is; one more where there is none yet.
using CoordinateInput = std::function<int(const model::Grid& grid, const model::Coordinate& coordinate)>;

// Appends to the graph of `analysis`, which has its other diagnostics and their fields. `inputs`: of the
// graph.
std::vector<Sampled> sample(const settings::Configuration& configuration,
                            const std::vector<analytics::Input>& inputs, const CoordinateInput& input_of,
                            Analysis& analysis, config::Problems& problems);

// The field that the result is, without its grid; and what this grid has besides what operators say of it.
model::Field field_of(const Sampled& sampled, const Analysis& analysis);
void add_coordinates(const Sampled& sampled, const Analysis& analysis, model::Grid& grid);

}  // namespace tailrace::plan::stations
