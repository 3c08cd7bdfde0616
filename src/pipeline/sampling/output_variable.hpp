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

// How a variable on a target grid of regridding gets its records.
enum class Regridded : std::uint8_t {
  no,          // its values are not regridded
  per_record,  // its windows are on the source grid; their records are regridded
  per_sample,  // its samples are regridded
  companion,   // of a per_record variable: the fraction that goes with each of its records
  coarsened,   // from the records of another variable
};

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
  int accumulated = -1;  // the field whose cells the accumulators have: `field`, or where regridding comes
                         // after them, its source
  int file_axis = -1;    // index into the file's time axes; -1: static, or put once
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
  Regridded regridded = Regridded::no;
  time::Stored record_type =
      model::DataType::float64;          // what the accumulators make; with per_record, on the source grid
  OutputVariable* companion = nullptr;   // with the valid fraction of each cell
  std::vector<OutputVariable*> coarser;  // whose records are made from those of this one

  std::size_t windows() const { return 1 + further_windows.size(); }
  Accumulators& window(std::size_t turn) { return turn == 0 ? first_window : further_windows[turn - 1]; }
  Accumulators& window_of(const time::TimeRecord& record) {
    return window(record.turn < 0 ? 0 : static_cast<std::size_t>(record.turn));
  }

  // Whether records are made by others, from those of another variable.
  bool has_no_samples() const {
    return regridded == Regridded::companion || regridded == Regridded::coarsened;
  }
  bool changes_nothing() const {
    const bool keeps_fill = !missing || missing->fill == record_type.fill;
    return reduction == time::ReductionKind::snapshot && input == record_type.type && !record_type.packing &&
           !at_end && keeps_fill;
  }
  time::Stored stored() const { return {output, fill_value, packing}; }
};

}  // namespace tailrace::pipeline::sampling
