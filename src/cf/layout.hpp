// From plan to datasets: the CF metadata of each file, the shape of its chunks, and who owns which chunk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "model/declarations.hpp"
#include "output/dataset.hpp"
#include "plan/plan.hpp"

namespace tailrace::cf {

// Where a planned variable (or a static field: coordinate, connectivity) lives in the dataset.
struct VariableLayout {
  int variable = -1;                // index into DatasetSpec::variables; of those it is split into, the first
  int field = -1;                   // index into Declarations::fields
  int plan = -1;                    // index into DatasetPlan::variables; -1 for a static field
  std::vector<std::int64_t> shape;  // of one record: the grid's dims
  std::vector<std::int64_t> chunk;  // of one record, same rank (whole shape for contiguous variables)
  std::int64_t records_per_chunk = 1;
  int split = -1;  // index into `shape`, where the chunk has 1: cell i along it belongs to variable + i
};

struct AxisLayout {
  int dim = -1;              // index into DatasetSpec::dims
  int time_variable = -1;    // index into DatasetSpec::variables
  int bounds_variable = -1;  // -1 for instants
  std::vector<int> places;   // those of the coordinates along trajectories, as DatasetPlan::places
};

class Conventions;

struct DatasetLayout {
  const Conventions* conventions = nullptr;  // that of the file
  calendar::Calendar calendar;
  output::DatasetSpec dataset;
  std::vector<VariableLayout> variables;  // planned ones first, in the order of the plan, then static fields
  std::vector<AxisLayout> axes;           // as DatasetPlan::axes
  std::vector<output::PlainValues> constants;  // coordinates whose values are known from the declarations

  // As DatasetSpec::kept has them: `records` by axis.
  std::map<int, std::int64_t> kept(const std::vector<std::int64_t>& records) const {
    std::map<int, std::int64_t> by_dim;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) by_dim[axes[axis].dim] = records[axis];
    return by_dim;
  }
};

// `history` is the line for the history attribute (time stamp and command). Pure, so equal on every server.
// Chunk shapes follow from the configuration and the global shape alone, so the file is the same, byte for
// byte, whatever the decomposition.
DatasetLayout make_layout(const plan::DatasetPlan& file, const settings::Configuration& configuration,
                          const model::Declarations& declarations, const model::Decomposition& decomposition,
                          const std::string& history);

// The part of a variable that is a file of its own in this format, in cells along the records and the dims of
// VariableLayout::shape; empty where the dataset is one file, or none.
std::vector<std::int64_t> cells_of_file(const output::Format& format, const output::DatasetSpec& dataset,
                                        const VariableLayout& variable);

// Chunks of what is split are given to their variables.
void split_chunks(const DatasetLayout& layout, output::Commit& commit);

// The value of a record on the time axis in the units of the file.
double time_stamp(const time::TimeRecord& record, settings::TimeStamp where);

}  // namespace tailrace::cf
