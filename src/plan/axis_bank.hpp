// The time axes of a plan, each kept once however many files and variables lie on it.
#pragma once

#include <vector>

#include "plan/plan.hpp"
#include "time/axis.hpp"

namespace tailrace::plan {

class AxisBank {
 public:
  // `plan` must live longer (the axes use its calendar).
  AxisBank(const Plan& plan, model::Tick begin);

  void advance(const model::Tick& tick);
  std::size_t size() const { return axes_.size(); }
  std::size_t number(std::size_t file, std::size_t axis) const { return numbers_[file][axis]; }
  // What the latest tick means for the variables on an axis; see time::Axis. Until the next advance.
  const std::vector<time::Share>& shares(std::size_t number) const { return *shares_[number]; }
  const time::Axis& axis(std::size_t number) const { return axes_[number]; }

  // Of an axis by what makes its records, so that other axes may come and go between two runs.
  void save(model::NumberSaver saver) const;
  void load(model::NumberLoader loader);

 private:
  std::vector<std::vector<std::size_t>> numbers_;  // [file][axis of the file]
  std::vector<time::Axis> axes_;
  std::vector<std::string> names_;  // by number
  std::vector<const std::vector<time::Share>*> shares_;
};

}  // namespace tailrace::plan
