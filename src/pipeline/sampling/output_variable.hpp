// One variable of one file on one server, on its way from samples to records.
#pragma once

#include <cmath>
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
  // What each sample needs comes first, in one line of the cache.
  std::size_t axis = 0;  // number in the axis bank
  bool copies = false;   // whether values are passed on as they are
  // Of the window that is open, or of each one of a cycle; none where values are passed on.
  Accumulators first_window;  // of most streams the only one
  std::vector<Accumulators> further_windows;

  std::size_t number = 0;    // among the streams; the same on every server
  std::size_t file = 0;      // index into the plan's files
  std::size_t variable = 0;  // index into the layout's variables
  int field = -1;            // index into the declarations' fields
  int file_axis = -1;        // index into the file's time axes; -1: static, or put once
  time::ReductionKind reduction = time::ReductionKind::snapshot;
  model::DataType input = model::DataType::float64;
  model::DataType output = model::DataType::float64;
  bool once = false;        // a fixed field: one value, without time
  bool diagnostic = false;  // computed here, not put
  bool at_end = false;      // the sample that came last is kept until the run ends
  double fill_value = 0.0;
  std::vector<std::byte> fill;  // the same as one element
  std::optional<model::Packing> packing;
  std::optional<time::Missing> missing;  // of a field that has missing values

  std::size_t windows() const { return 1 + further_windows.size(); }
  Accumulators& window(std::size_t turn) { return turn == 0 ? first_window : further_windows[turn - 1]; }
  Accumulators& window_of(const time::TimeRecord& record) {
    return window(record.turn < 0 ? 0 : static_cast<std::size_t>(record.turn));
  }

  bool changes_nothing() const {
    return reduction == time::ReductionKind::snapshot && input == output && !packing && !at_end &&
           keeps_fill();
  }
  // Whether what stands for a missing value stays as it is.
  bool keeps_fill() const {
    return !missing || missing->fill == fill_value || (std::isnan(missing->fill) && std::isnan(fill_value));
  }
  time::Stored stored() const { return {output, fill_value, packing}; }
};

}  // namespace tailrace::pipeline::sampling
