// Fields at stations and along trajectories: the diagnostics that datasets with points need.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analytics/compile.hpp"
#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/analysis.hpp"
#include "points/point_set.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// The requests of datasets with points, in their order. The configuration must live longer.
std::vector<points::Request> point_requests(const settings::Configuration& configuration);

// A field at the stations or along the trajectories of a dataset.
struct SampledField {
  const settings::OutputEntry* file = nullptr;
  int field = -1;       // index into Analysis::declarations: the field that is sampled
  int diagnostic = -1;  // index into the graph's diagnostics: the result
};

// The index of the input for a coordinate of a grid, which is added if there is none yet.
using CoordinateInput = std::function<int(const model::Grid& grid, const model::Coordinate& coordinate)>;

// Appends a diagnostic for each field of these datasets to the graph of `analysis`, which has its other
// diagnostics and their fields already. `inputs` are those of the graph.
std::vector<SampledField> sample_fields(const settings::Configuration& configuration,
                                        const std::vector<analytics::Input>& inputs,
                                        const CoordinateInput& input_of, Analysis& analysis,
                                        config::Problems& problems);

// The field of the result, without its grid.
model::Field field_of(const SampledField& sampled, const Analysis& analysis);
// Adds the coordinates that the grid of the result has besides those that operators give it.
void add_coordinates(const SampledField& sampled, const Analysis& analysis, model::Grid& grid);

}  // namespace tailrace::plan
