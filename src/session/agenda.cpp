#include <algorithm>

#include "base/error.hpp"
#include "session/analysis.hpp"
#include "session/plan.hpp"

namespace tailrace::session {
namespace {

// Each distinct axis is stepped once a tick, however many files have it.
class AxisAgenda : public model::Agenda {
 public:
  AxisAgenda(const Plan& plan, std::size_t fields, model::Tick begin)
      : calendar_(plan.calendar), axes_of_(fields) {
    for (const FilePlan& file : plan.files) {
      for (const VariablePlan& variable : file.variables) {
        const std::size_t axis = axis_index(file.axes[static_cast<std::size_t>(variable.axis)], begin);
        for (const int field : fields_of(plan, variable)) {
          auto& axes = axes_of_[static_cast<std::size_t>(field)];
          if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
        }
      }
    }
  }
  AxisAgenda(const AxisAgenda&) = delete;  // the axes point to the calendar

  void advance(const model::Tick& tick, std::span<unsigned char> wanted) override {
    TAILRACE_ASSERT(wanted.size() == axes_of_.size(), "one flag for each declared field");
    for (time::Axis& axis : axes_) axis.advance(tick);
    for (std::size_t field = 0; field < axes_of_.size(); ++field) {
      const auto& axes = axes_of_[field];
      const auto due = [&](bool at_end) {
        return std::any_of(axes.begin(), axes.end(), [&](std::size_t axis) {
          return axes_[axis].wanted() && (plans_[axis].kind == time::AxisKind::at_end) == at_end;
        });
      };
      wanted[field] = due(false) ? 1 : due(true) ? 2 : 0;
    }
  }

 private:
  // The model's fields that a variable is made from.
  std::vector<int> fields_of(const Plan& plan, const VariablePlan& variable) const {
    if (static_cast<std::size_t>(variable.field) < axes_of_.size()) return {variable.field};
    const Analysis& analysis = *plan.analysis;
    const auto place =
        std::find(analysis.field_of_diagnostic.begin(), analysis.field_of_diagnostic.end(), variable.field);
    std::vector<int> fields;
    for (const int input :
         analysis.graph.diagnostics[static_cast<std::size_t>(place - analysis.field_of_diagnostic.begin())]
             .inputs)
      if (const int field = analysis.field_of_input[static_cast<std::size_t>(input)]; field >= 0)
        fields.push_back(field);
    return fields;
  }

  std::size_t axis_index(const AxisPlan& plan, model::Tick begin) {
    for (std::size_t i = 0; i < plans_.size(); ++i)
      if (plans_[i].has_records_of(plan)) return i;
    plans_.push_back(plan);
    axes_.emplace_back(plan.kind, plan.every, plan.cadence, calendar_, begin, plan.edges);
    return axes_.size() - 1;
  }

  const calendar::Calendar calendar_;
  std::vector<AxisPlan> plans_;
  std::vector<time::Axis> axes_;
  std::vector<std::vector<std::size_t>> axes_of_;  // by field
};

}  // namespace

std::unique_ptr<model::Agenda> make_agenda(const Plan& plan, const model::Declarations& declarations,
                                           model::Tick begin) {
  return std::make_unique<AxisAgenda>(plan, declarations.fields.size(), begin);
}

}  // namespace tailrace::session
