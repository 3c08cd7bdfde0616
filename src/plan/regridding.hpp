// Regridded variables: which grids and fields they add to the declarations, and what makes their values.
//
// A regridded field is a field of its own on a target grid, as a diagnostic is. Its cells are dealt out over
// the parts of the model's ranks, so that layouts, routing, accumulators, state and formats treat it like any
// other field. These structs say where its values come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/plan.hpp"
#include "plan/projection.hpp"
#include "regrid/apply.hpp"
#include "regrid/options.hpp"
#include "regrid/source_cells.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// The prefix of the name of a grid that regridding makes.
inline constexpr std::string_view regridded_grid = "regridded ";

// Rows of weights from the horizontal cells of a source grid to those of a target. Source grids that have the
// same horizontal cells (levels or not) share one.
struct WeightsPlan {
  int source_grid = -1;           // index into Regridding::declarations: the first of the grids that share it
  regrid::HorizontalDims source;  // of that grid
  int target_cells = -1;          // index into Regridding::targets: one with the horizontal dims alone
  regrid::Target target;
  regrid::Method method = regrid::Method::conservative;
  std::string weights;  // the path of Method::file
  // The source in the digest: the shape and the digests of its coordinates. It is empty where the
  // declarations do not tell (a mesh in parts): the geometry that the ranks send is then digested.
  std::string source_text;
  std::string target_text;  // the same for the target; of a file, its path, shape and identity
  // The place of the first variable that needs them, for messages.
  config::Location location;
  std::string config_path;
};

// Where a time operation is done.
enum class Stage : std::uint8_t {
  per_record,  // on the source grid; each finished record is regridded
  per_sample,  // each sample is regridded; the operation is done on the target grid
  coarsened,   // of a pyramid: each record is made of a record of the next finer level, as it is stored
};

// How the four cells of a finer level become one. Valid ones count, if their share reaches the coverage.
enum class Coarsening : std::uint8_t {
  mean,  // weighted by TargetGrid::row_areas; of `destarea` divided by the weights of all four
  maximum,
  minimum,
  most_frequent,  // of classes; the first of several
};

// One field on one target. Variables share it.
struct RegridPlan {
  int source_field = -1;    // index into Regridding::declarations; of `coarsened` a field of the finer target
  int target_field = -1;    // the same; VariablePlan::field of its variables
  int fraction_field = -1;  // that of companions with the valid share (float64, no missing value); -1: none
  int weights = -1;         // index into Regridding::weights; -1 where it is coarsened
  // For a component of a vector: the source has a further dim (vector_dim) with the three components along
  // the axes of the Earth, from which a target cell makes one.
  Projection projection = Projection::none;
  regrid::Rule rule;  // of `coarsened` the coverage and the normalisation
  Stage stage = Stage::per_record;
  // Its samples are laid over those of the plans before it that have the same `target_field`: those of a
  // parent domain, which is the first of them, and of children before this one.
  bool is_child = false;
  Coarsening coarsening = Coarsening::mean;  // of `coarsened`
};

// A grid of target cells, among the grids of `declarations`.
struct TargetGrid {
  int grid = -1;
  regrid::Target target;
  std::size_t first_dim = 0;  // index into the grid's dims of the first horizontal one
  std::size_t dims = 1;       // how many are horizontal: 1 or 2
  std::int64_t cells = 0;     // horizontal ones
  // Consecutive horizontal cells that stay in one part (regrid::share_of): of HEALPix 4^k, of others 2^k
  // rows, for k coarser levels that are made of them.
  std::int64_t unit = 1;
  int finer = -1;  // index into Regridding::targets: the one of which it is made; -1: of no pyramid
  // For a coarser level with rows: the areas of the finer rows, by which their cells are weighted. Empty: all
  // cells of the finer level have the same weight.
  std::vector<double> row_areas = {};
};

// A coordinate of a target whose values the servers give, part by part, as the blocks of a static field.
struct TargetCoordinate {
  enum class Kind : std::uint8_t {
    cell_number,  // of HEALPix: 0, 1, ... of int64
    lat,          // degrees, float64, and the following ones: regrid::read_target_cells
    lon,
    lat_corners,  // (cell, corner)
    lon_corners,
  };
  Kind kind = Kind::cell_number;
  int field = -1;    // the static field
  int weights = -1;  // whose file has the values; -1 for cell_number
};

struct Regridding {
  std::vector<WeightsPlan> weights;
  std::vector<RegridPlan> regrids;
  std::vector<TargetGrid> targets;
  std::vector<TargetCoordinate> coordinates;
  model::Declarations declarations;  // those of the model and of diagnostics, then those of targets
};

// The regions of all grids of `declarations`: those given, and behind them those of targets. Part p of P
// ranks has the cells regrid::share_of(cells, unit, p, P), and all indices along other dims; further parts
// have none. A pure function, so equal on every server. `decomposition`: after with_diagnostics.
model::Decomposition with_regridding(const Regridding& regridding, const model::Decomposition& decomposition);

// The field on whose grid the accumulators of a variable work: the source's where the operation comes before
// regridding, otherwise the variable's own. -1: its records are made of those of another variable.
int accumulated_field(const Plan& plan, const VariablePlan& variable);
// The fields of the model, or of diagnostics, from which a field is regridded: one, and those of children;
// the field itself if it is none on a target.
std::vector<int> sources_of(const Plan& plan, int field);

// In words, for people and for the comparison of runs: "healpix level 8 nested, conservative (coverage 0.5,
// fracarea)".
std::string text_of(const Regridding& regridding, const RegridPlan& regrid);
// Why the plan has chosen the stage: "the field has no missing values that may change".
std::string reason_of(const Plan& plan, const VariablePlan& variable);

}  // namespace tailrace::plan
