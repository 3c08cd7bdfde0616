// The time axes of a plan, each stored once for all its files and variables, and the ends of the files of
// series.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "plan/series_clock.hpp"
#include "time/axis.hpp"

namespace tailrace::plan {

// The name under which the state of an axis of a file is saved. It depends only on what makes its records, so
// that other axes and files may be added or removed between two runs.
std::string axis_state_name(const DatasetPlan& file, const AxisPlan& axis);

// The clock in the saved state of an AxisBank; none in states of versions that had none.
std::optional<time::ClockState> saved_clock(const model::NumberLoader& loader);

class AxisBank {
 public:
  // `plan` must live longer (the axes use its calendar).
  AxisBank(const Plan& plan, const model::Tick& begin);

  void advance(const model::Tick& tick);
  // The files that the model opens end after the latest tick: the next records are those of new ones, which
  // get their names by name_file().
  void end_files_of_model();
  void name_file(std::size_t file, std::string path) { parts_[file].clock->name(std::move(path)); }
  const model::Tick& begin() const { return clock_.begin(); }  // with its exact time
  const model::Tick& tick() const { return tick_; }            // the latest, with its exact time
  std::optional<std::string> take_clock_warning() { return clock_.take_warning(); }
  std::size_t size() const { return axes_.size(); }
  std::size_t number(std::size_t file, std::size_t axis) const { return numbers_[file][axis]; }
  // The shares of the latest tick for variables on an axis (see time::Axis); valid until the next advance.
  const std::vector<time::Share>& shares(std::size_t number) const { return *shares_[number]; }
  const time::Axis& axis(std::size_t number) const { return axes_[number]; }

  // The clock of a series; null for a single file.
  const SeriesClock* series(std::size_t file) const;
  // If a file ended with the latest tick, the number of the first record of the next one. It is a multiple of
  // AxisPlan::chunk_alignment, so that chunks count from the start of each file.
  bool file_ended(std::size_t file) const { return parts_[file].ended; }
  std::int64_t begin_of_file(std::size_t file, std::size_t axis) const { return parts_[file].begins[axis]; }

  void save(model::NumberSaver saver) const;
  void load(model::NumberLoader loader);  // except for files that the state does not contain

 private:
  struct Part {
    std::optional<SeriesClock> clock;
    std::string name;                     // of its state
    std::vector<std::string> axis_names;  // the same, by axis of the file
    bool is_unsaved = false;
    bool ended = false;
    std::vector<std::int64_t> units, begins;  // by axis of the file
  };
  void end_file(std::size_t file);

  time::Clock clock_;
  model::Tick tick_;
  std::vector<Part> parts_;                        // by file
  std::vector<std::vector<std::size_t>> numbers_;  // [file][axis of the file]
  std::vector<time::Axis> axes_;
  std::vector<const std::vector<time::Share>*> shares_;
};

}  // namespace tailrace::plan
