// The ends and the names of the files of a series, as a pure function of the model's ticks. In the standard
// convention a file ends with the first sample at or past each multiple of its period (`write_every` with a
// file per write, otherwise `new_file_every`). The files that a model opens end between two ticks, and have
// the names that it gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "settings/file_name.hpp"

namespace tailrace::plan {

class SeriesClock {
 public:
  // `calendar` must live longer.
  SeriesClock(const DatasetPlan& file, const calendar::Calendar& calendar, model::Tick begin);

  // The model gives names and ends; it has opened files of that name, or closed them (an empty path).
  bool is_of_model() const { return of_model_; }
  void name(std::string path) { path_ = std::move(path); }

  // True if the file ends with this tick. Call it once for each tick, in order.
  bool ends(const model::Tick& tick);
  // The multiple at which the file ended, in seconds of model time. Windows that begin then or later belong
  // to the next file, even if the same tick closes them. Infinite if all records of the tick belong to the
  // ended file.
  double next_from() const;
  // The path of the file that the last ends() ended.
  std::string ended() const { return of_model_ ? path_ : path_of(last_.index); }
  // The path of the open file if the last tick is `last`: it ends at the next multiple.
  std::string open(const model::Tick& last) const;
  // The path of a file that contains only the last step of a run.
  std::string of_last_step(const model::Tick& last) const;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit) {
    time::visit_edge(self.last_, visit.in("edge"));
    for (std::size_t i = 0; i < self.samples_.size(); ++i)
      time::Cadence::visit_state(self.samples_[i], visit.in("cadence/" + std::to_string(i)));
  }

 private:
  std::string path_of(std::int64_t index) const;
  settings::FileLimits limits_of(std::int64_t index) const;
  std::string number_of(std::int64_t index) const;

  settings::FileName name_;
  std::string path_;  // if the name has no limits; of a model: of its open file
  bool of_model_;
  bool each_write_;
  time::Period every_;
  const calendar::Calendar* calendar_;
  const time::Convention* convention_;
  std::vector<time::Cadence> samples_;  // when fields of the file are sampled
  time::Ruler ruler_;
  time::LastEdge last_;  // the edge that ended the last file
};

// out/a.nc becomes out/a_100.0.nc.
std::string path_of_part(const std::string& path, const std::string& part,
                         const time::Convention& convention);

// The path of a single file, or of the file of a series that receives the first records of a run that begins
// at that tick.
std::string first_path(const DatasetPlan& file, const calendar::Calendar& calendar, const model::Tick& begin);

}  // namespace tailrace::plan
