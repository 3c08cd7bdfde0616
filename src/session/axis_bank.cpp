#include "session/axis_bank.hpp"

#include <algorithm>

namespace tailrace::session {
namespace {

const std::vector<time::Share> no_shares;

}  // namespace

AxisBank::AxisBank(const Plan& plan, model::Tick begin) {
  std::vector<AxisPlan> known;
  for (const FilePlan& file : plan.files) {
    std::vector<std::size_t> numbers;
    for (const AxisPlan& axis : file.axes) {
      const auto same = std::find_if(known.begin(), known.end(),
                                     [&](const AxisPlan& other) { return other.has_records_of(axis); });
      numbers.push_back(static_cast<std::size_t>(same - known.begin()));
      if (same != known.end()) continue;
      known.push_back(axis);
      axes_.emplace_back(axis.kind, axis.every, axis.cadence, plan.calendar, begin, axis.edges);
    }
    numbers_.push_back(std::move(numbers));
  }
  shares_.assign(axes_.size(), &no_shares);
}

void AxisBank::advance(const model::Tick& tick) {
  for (std::size_t i = 0; i < axes_.size(); ++i) shares_[i] = &axes_[i].advance(tick);
}

}  // namespace tailrace::session
