#include "plan/axis_bank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/decimal_text.hpp"

namespace tailrace::plan {
namespace {

const std::vector<time::Share> no_shares;

std::string name_of(const AxisPlan& axis) {
  static constexpr std::array kinds{"instant", "window", "whole_samples", "at_end"};
  const bool is_standard = axis.convention == &time::standard_convention();
  std::string name = fmt::format("{}_{}_of_{}", kinds[static_cast<std::size_t>(axis.kind)], axis.every.name(),
                                 axis.cadence.name());
  if (!is_standard) name += fmt::format("_{}", axis.convention->name());
  if (axis.span.from != time::Span().from)
    name += fmt::format("_from_{}", base::decimal_text(axis.span.from));
  if (axis.span.until != time::Span().until)
    name += fmt::format("_until_{}", base::decimal_text(axis.span.until));
  return name;
}

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
      names_.push_back(name_of(axis));
      axes_.emplace_back(axis.rule(), plan.calendar, begin);
    }
    numbers_.push_back(std::move(numbers));
  }
  shares_.assign(axes_.size(), &no_shares);
}

void AxisBank::advance(const model::Tick& tick) {
  for (std::size_t i = 0; i < axes_.size(); ++i) shares_[i] = &axes_[i].advance(tick);
}

void AxisBank::save(model::NumberSaver saver) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) time::Axis::visit_state(axes_[i], saver.in(names_[i]));
}

void AxisBank::load(model::NumberLoader loader) {
  for (std::size_t i = 0; i < axes_.size(); ++i) time::Axis::visit_state(axes_[i], loader.in(names_[i]));
}

}  // namespace tailrace::plan
