// The configuration resolved against the declarations of a component: which field is written where, when and
// how. Every client and server computes the same plan from the same texts, so plans are never sent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/agenda.hpp"
#include "model/declarations.hpp"
#include "model/state.hpp"
#include "settings/configuration.hpp"
#include "time/axis.hpp"
#include "time/clock.hpp"

namespace tailrace::plan {

struct AxisPlan {
  time::AxisKind kind = time::AxisKind::instant;
  time::Period every = time::Period::of_steps(1);
  time::Period cadence = time::Period::of_steps(1);  // the sampling period of its fields, also for windows
  std::string dim;  // `time` if the file has one axis, otherwise time_10s, time_instant_5s, ...
  std::string wish = std::string();  // the user's name for `dim`
  const time::Convention* convention = &time::standard_convention();
  time::Span span = {};
  time::Cycle cycle = time::Cycle::none;
  // In a series, the records of each file are numbered from a multiple of this, which is a multiple of all
  // chunk lengths along the axis.
  std::int64_t chunk_alignment = 1;
  time::Continued continued = {};  // where the file continues that of an earlier run
  bool also_at_end = false;        // for instants: one more record if the run ends between two

  time::AxisRule rule() const {
    return {.kind = kind,
            .every = every,
            .cadence = cadence,
            .convention = convention,
            .span = span,
            .cycle = cycle,
            .also_at_end = also_at_end};
  }
  // True if the same ticks make the same records, whatever the names of the axes.
  bool has_records_of(const AxisPlan& other) const { return rule() == other.rule(); }
};

struct VariablePlan {
  std::string name;
  int field = -1;  // index into Declarations::fields
  std::string field_name;
  int axis = -1;  // index into DatasetPlan::axes; -1: a fixed field, without time
  time::ReductionKind reduction = time::ReductionKind::snapshot;
  bool propagates_missing = false;
  model::DataType type = model::DataType::float64;
  model::DataType unpacked =
      model::DataType::float64;  // float32 or float64: what readers make of packed ones
  std::optional<model::Packing> packing;
  codecs::CodecOptions codec;
  std::vector<std::int64_t> chunk;             // the user's: (records, then the grid's dims); empty: chosen
  output::Attributes attributes;               // the user's, after the field's own
  std::vector<model::Coordinate> coordinates;  // the user's: without dims
  std::optional<model::FillValue> fill_value = {};  // in place of the field's
  int split = -1;                  // index of a dim of the grid: one variable for each cell along it,
  std::vector<std::string> parts;  // called so, in that order
  bool at_stations = false;  // `field` holds the values at the stations or along the trajectories of the file
  // The index into Regridding::regrids of a regridded variable, whose `field` is on the target grid; -1: it
  // is not regridded.
  int regrid = -1;
  // The type of its values before and after they are regridded: that of the field, or of the records of a
  // window on the source grid. `type` is what the file has.
  model::DataType regridded_type = model::DataType::float64;
  // It holds the valid share of each cell of that variable of the same file, record by record; -1: none. Its
  // `field` is RegridPlan::fraction_field.
  int fraction_of = -1;
  // The variable whose records make those of a pyramid's coarser level; their axes are equal.
  struct Finer {
    int file = -1, variable = -1;  // indices into Plan::files and DatasetPlan::variables
  };
  Finer finer = {};
};

struct OptionTablePlan {
  std::string name, dimension;
  std::vector<std::pair<std::string, std::string>> entries;  // sorted; at least one
  int width = 0;                                             // the least number of characters of each text
};

// The position of a file in the saved state from which the run continues.
struct RestoredFile {
  // It had no records, so it is written again. For a series this concerns the open file.
  bool is_empty = false;
  std::vector<std::int64_t> records;  // in the open file, by axis
  std::string part;                   // of a series: its path, if it was known
};

struct DatasetPlan {
  settings::OutputEntry entry;  // path, format, write_every, on_error, ...
  const time::Convention* convention = &time::standard_convention();  // of its axes and its series
  settings::TimeStamp time_stamp = settings::TimeStamp::middle;
  time::Span span = {};  // of all its axes
  std::vector<AxisPlan> axes;
  std::vector<VariablePlan> variables;
  std::vector<OptionTablePlan> option_tables;
  std::vector<model::Coordinate> places;  // of trajectories: their coordinates, in the order of Fix::at
  // For each variable whose chunk shape Tailrace chooses: the bytes that incomplete chunks may hold.
  std::size_t open_bytes = SIZE_MAX;
  bool continues = false;  // it continues a file of an earlier run
  std::optional<RestoredFile> restored = {};
  bool is_unsaved = false;  // the saved state from which the run continues does not contain this file
};

struct Analysis;
struct Regridding;

struct FieldPlan {
  time::Period cadence = time::Period::of_steps(1);
  bool used = false;  // some variable needs it
  bool optional = false;
  bool at_end = false;       // it may be put at any step; the last values are the record
  bool also_at_end = false;  // the same between the steps of its period, for one more record
  bool once = false;         // put once, in the first step or before it
  bool kept = false;         // part of a checkpoint
};

// An input of the model that the configuration provides.
struct InputPlan {
  int field = -1;
  // How far the servers read ahead; none: a length of time, or the default.
  std::optional<std::int64_t> records_ahead = {};
  int levels_dim = -1;            // the dim of its grid along which it is interpolated; -1: none
  std::optional<int> needs = {};  // the field that the model must put at each step, for these levels
  bool is_regridded = false;      // unless its files have the cells of the model
};

struct Plan {
  calendar::Calendar calendar;
  // By index into Declarations::fields; those of diagnostics follow, and then those on target grids.
  std::vector<FieldPlan> fields;
  std::shared_ptr<const Analysis> analysis;      // null without diagnostics
  std::shared_ptr<const Regridding> regridding;  // null where nothing is regridded
  std::vector<DatasetPlan> files;                // those that have a variable
  std::optional<time::ClockState> clock;         // in the saved state from which the run continues
  time::Period checkpoint_every = time::Period::never();
  bool has_checkpoints = false;
  bool checkpoint_on_signal = false;
  bool checkpoint_at_end = false;
  std::vector<InputPlan> inputs;  // by field
  std::vector<int> masks;         // by grid, the field that is its mask; -1: none
  std::vector<std::string>
      warnings;                      // a line each, for one rank to log: optional fields that are absent, ...
  std::vector<std::string> details;  // the full lists that a warning only counts
};

// Throws Error(configuration) with all mistakes: unknown fields or groups with the nearest name, duplicate
// variables, periods that no step can meet, chunks that do not fit the grid, fields put on no schedule.
// The plan's fields are those of `declarations`, then one for each diagnostic (Analysis::declarations).
// `decomposition` may be null; see analyse(). `declarations` come from apply_overrides().
Plan make_plan(const settings::Configuration& configuration, const model::Declarations& declarations,
               const model::Decomposition* decomposition = nullptr);

// A tree for people: files, axes, variables, periods.
std::string describe(const settings::Configuration& configuration, const Plan* plan);

// The same for the memory that the plan needs on the servers. `ranks` is the number of model ranks.
std::string describe_memory(const settings::ServersOptions& servers, const Plan& plan,
                            const model::Declarations& declarations, std::size_t ranks);

// Tells whether a checkpoint is due at a tick; ticks must be passed in order. None is due where the run
// begins (a model may call step there), since its state is known already. Empty if there are no checkpoints.
// `plan` must live longer.
std::function<bool(const model::Tick&)> checkpoint_schedule(const Plan& plan, model::Tick begin);

// Decides which fields are wanted at a tick: the union of the needs of all axes.
// `saved` is the state from which the run continues; the plan is marked with it (restart/restored.hpp).
std::unique_ptr<model::Agenda> make_agenda(const Plan& plan, const model::Declarations& declarations,
                                           model::Tick begin, const model::StateLoader* saved = nullptr);

}  // namespace tailrace::plan
