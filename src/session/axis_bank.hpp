// The time axes of a plan, each kept once however many files and variables lie on it.
#pragma once

#include <vector>

#include "session/plan.hpp"
#include "time/axis.hpp"

namespace tailrace::session {

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

 private:
  std::vector<std::vector<std::size_t>> numbers_;  // [file][axis of the file]
  std::vector<time::Axis> axes_;
  std::vector<const std::vector<time::Share>*> shares_;
};

}  // namespace tailrace::session
