// The configuration resolved against what a component declared: which field goes where, when and how. Every
// client and server computes the same plan from the same words, so no plan is ever sent.
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

namespace tailrace::plan {

struct AxisPlan {
  time::AxisKind kind = time::AxisKind::instant;
  time::Period every = time::Period::of_steps(1);
  time::Period cadence = time::Period::of_steps(1);  // of the fields on it; for windows too
  std::string dim;  // `time` where the file has one axis, else such as time_10s, time_instant_5s
  std::string wish = std::string();  // the user's name for `dim`
  const time::Convention* convention = &time::standard_convention();
  time::Span span = {};
  time::Cycle cycle = time::Cycle::none;
  // Of a file that goes on in another one: the records of each file are numbered from a multiple of this,
  // which is one of all chunks along the axis.
  std::int64_t chunk_alignment = 1;
  time::Continued continued = {};  // where the file goes on with what an earlier run wrote
  bool also_at_end = false;        // of instants: one more record, where the run ends between two

  time::AxisRule rule() const {
    return {.kind = kind,
            .every = every,
            .cadence = cadence,
            .convention = convention,
            .span = span,
            .cycle = cycle,
            .also_at_end = also_at_end};
  }
  // Whether the same ticks make the same records, whatever they are called.
  bool has_records_of(const AxisPlan& other) const { return rule() == other.rule(); }
};

struct VariablePlan {
  std::string name;
  int field = -1;  // index into Declarations::fields
  std::string field_name;
  int axis = -1;  // index into DatasetPlan::axes; -1: of a fixed field, without time
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
  std::optional<double> fill_value = {};       // in place of the field's
  int split = -1;                  // index of a dim of the grid: one variable for each cell along it,
  std::vector<std::string> parts;  // called so, in that order
  bool at_stations = false;        // `field` is that of the user at the stations or trajectories of the file
};

struct OptionTablePlan {
  std::string name, dimension;
  std::vector<std::pair<std::string, std::string>> entries;  // sorted; at least one
  int width = 0;                                             // characters of each text at least
};

// Where a file stood when the state was saved from which the run goes on.
struct RestoredFile {
  // Nothing was in it, or nothing that grows: it is written anew. Of a series: the file that was open.
  bool is_empty = false;
  std::vector<std::int64_t> records;  // in the open file, by axis
  std::string part;                   // of a series: its path, where it was known
};

struct DatasetPlan {
  settings::OutputEntry entry;  // path, format, write_every, on_error, ...
  const time::Convention* convention = &time::standard_convention();  // of its axes and its series
  settings::TimeStamp time_stamp = settings::TimeStamp::middle;
  time::Span span = {};  // of all its axes
  std::vector<AxisPlan> axes;
  std::vector<VariablePlan> variables;
  std::vector<OptionTablePlan> option_tables;
  std::vector<model::Coordinate> places;  // of trajectories: what their coordinates are, as Fix::at has them
  // Of each variable whose chunks have a chosen shape: what they may take until they are full.
  std::size_t open_bytes = SIZE_MAX;
  bool continues = false;  // what an earlier run wrote, as far as its axes say
  std::optional<RestoredFile> restored = {};
  bool is_unsaved = false;  // the run goes on from saved state that knows no such file, and begins it
};

struct Analysis;

struct FieldPlan {
  time::Period cadence = time::Period::of_steps(1);
  bool used = false;  // some variable needs it
  bool optional = false;
  bool at_end = false;       // it may be put at any step; what came last is the record
  bool also_at_end = false;  // the same between the steps of its period, for one more record
  bool once = false;         // put once, in the first step or before it
  bool kept = false;         // part of a checkpoint
};

struct Plan {
  calendar::Calendar calendar;
  std::vector<FieldPlan> fields;  // by index into Declarations::fields; of diagnostics behind those
  std::shared_ptr<const Analysis> analysis;  // null without diagnostics
  std::vector<DatasetPlan> files;            // those that have a variable
  time::Period checkpoint_every = time::Period::never();
  bool has_checkpoints = false;
  bool checkpoint_on_signal = false;
  bool checkpoint_at_end = false;
  std::vector<int> masks;  // by grid, the field that is its mask; -1: none
  std::vector<std::string>
      warnings;                      // a line each, for one rank to log: optional fields that are absent, ...
  std::vector<std::string> details;  // for who wants to know all: what a warning only counts
};

// Throws Error(configuration) with all mistakes: unknown fields or groups with the nearest name, duplicate
// variables, periods that no step can meet, chunks that do not fit the grid, fields put on no schedule.
// The plan's fields are those of `declarations`, then one for each diagnostic (Analysis::declarations).
// `decomposition` may be null; see analyse(). `declarations`: as apply_overrides() gives them.
Plan make_plan(const settings::Configuration& configuration, const model::Declarations& declarations,
               const model::Decomposition* decomposition = nullptr);

// A tree for people: files, axes, variables, periods.
std::string describe(const settings::Configuration& configuration, const Plan* plan);

// The same for what all this needs of the memory of the servers. `ranks`: of the model.
std::string describe_memory(const settings::ServersOptions& servers, const Plan& plan,
                            const model::Declarations& declarations, std::size_t ranks);

// Whether a checkpoint is due at a tick, of ticks in order; none where there are no checkpoints. `plan` must
// live longer.
std::function<bool(const model::Tick&)> checkpoint_schedule(const Plan& plan, model::Tick begin);

// Which fields are wanted at a tick: the union of what all axes need.
// `saved`: the state from which the run goes on, of which the plan is marked (restart/restored.hpp).
std::unique_ptr<model::Agenda> make_agenda(const Plan& plan, const model::Declarations& declarations,
                                           model::Tick begin, const model::StateLoader* saved = nullptr);

}  // namespace tailrace::plan
