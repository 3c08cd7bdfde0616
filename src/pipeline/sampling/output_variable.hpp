// The state of one variable of one file on one server, while samples become records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/data_type.hpp"
#include "pipeline/sampling/accumulators.hpp"
#include "time/accumulator.hpp"
#include "time/axis.hpp"

namespace tailrace::pipeline::sampling {

struct OutputVariable {
  // The members that each sample needs come first, in one cache line.
  std::size_t axis = 0;  // number in the axis bank
  bool copies = false;   // values are passed on unchanged
  // The accumulators of the open window, or of each window of a cycle (a climatology); unused if `copies`.
  Accumulators first_window;  // most variables have only this one
  std::vector<Accumulators> further_windows;

  std::size_t number = 0;    // among the output variables; identical on all servers
  std::size_t file = 0;      // index into the plan's files
  std::size_t variable = 0;  // index into the layout's variables
  int field = -1;            // index into the declarations' fields
  int file_axis = -1;        // index into the file's time axes; -1: static, or put once
  time::ReductionKind reduction = time::ReductionKind::snapshot;
  model::DataType input = model::DataType::float64;
  model::DataType output = model::DataType::float64;
  bool once = false;        // a fixed field: one value, without time
  bool diagnostic = false;  // computed by the servers, not put
  bool at_end = false;      // the last sample is kept until the run ends
  model::FillValue fill_value;
  std::vector<std::byte> fill;  // fill_value as one element
  std::optional<model::Packing> packing;
  std::optional<time::Missing> missing;  // if the field has missing values

  std::size_t windows() const { return 1 + further_windows.size(); }
  Accumulators& window(std::size_t turn) { return turn == 0 ? first_window : further_windows[turn - 1]; }
  Accumulators& window_of(const time::TimeRecord& record) {
    return window(record.turn < 0 ? 0 : static_cast<std::size_t>(record.turn));
  }

  bool changes_nothing() const {
    return reduction == time::ReductionKind::snapshot && input == output && !packing && !at_end &&
           keeps_fill();
  }
  // The fill value of the field is also that of the variable.
  bool keeps_fill() const { return !missing || missing->fill == fill_value; }
  time::Stored stored() const { return {output, fill_value, packing}; }
};

}  // namespace tailrace::pipeline::sampling
