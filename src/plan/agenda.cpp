#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "plan/analysis.hpp"
#include "plan/axis_bank.hpp"
#include "plan/model_clock.hpp"
#include "plan/plan.hpp"
#include "plan/regridding.hpp"

namespace tailrace::plan {
namespace {

// Each distinct axis advances once per tick, however many files have it.
class AxisAgenda : public model::Agenda {
 public:
  AxisAgenda(const Plan& plan, const model::Declarations& declarations, const model::Tick& begin_of_model,
             const model::StateLoader* saved)
      : calendar_(plan.calendar),
        clock_(make_clock(plan, calendar_, begin_of_model)),
        fields_(declarations.fields.size()) {
    const model::Tick& begin = clock_.begin();
    for (const int mask : plan.masks)
      if (mask >= 0) fixed_.push_back(static_cast<std::size_t>(mask));
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;
    for (const DatasetPlan& file : plan.files) {
      for (const VariablePlan& variable : file.variables) {
        std::vector<int> fields = fields_of(plan, variable);
        std::erase_if(fields, [&](int field) {
          return declarations.fields[base::index(field)].is_static;  // Tailrace writes them itself
        });
        for (const int field : fields)
          if (is_fixed(plan, field)) fixed_.push_back(static_cast<std::size_t>(field));
        if (variable.axis < 0) continue;
        const AxisPlan& lies_on = file.axes[base::index(variable.axis)];
        const std::size_t axis = file.restored && saved != nullptr
                                     ? restored_axis(axis_state_name(file, lies_on), lies_on, begin, *saved)
                                     : axis_index(lies_on, begin);
        for (const int field : fields) {
          if (is_fixed(plan, field)) continue;
          const Use use{static_cast<std::uint32_t>(field), static_cast<std::uint32_t>(axis)};
          if (known.insert({use.field, use.axis}).second) uses_.push_back(use);
        }
      }
    }
  }
  AxisAgenda(const AxisAgenda&) = delete;  // the axes point to the calendar

  void begin(std::span<unsigned char> wanted) override {
    TAILRACE_ASSERT(wanted.size() == fields_, "one flag for each declared field");
    std::fill(wanted.begin(), wanted.end(), static_cast<unsigned char>(0));
    for (const std::size_t field : fixed_) wanted[field] = 1;
  }

  void advance(const model::Tick& given, std::span<unsigned char> wanted) override {
    TAILRACE_ASSERT(wanted.size() == fields_, "one flag for each declared field");
    const model::Tick tick = clock_.read(given);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      due_[axis] = when_due(axis, axes_[axis].advance(tick));
    }
    if (std::exchange(begun_, true))
      std::fill(wanted.begin(), wanted.end(), static_cast<unsigned char>(0));
    else
      begin(wanted);
    for (const Use& use : uses_)
      if (wanted[use.field] != 1 && due_[use.axis] != 0) wanted[use.field] = due_[use.axis];
  }

 private:
  unsigned char when_due(std::size_t axis, const std::vector<time::Share>& shares) const {
    if (shares.empty()) return 0;
    return shares.front().closes ? 1 : when_due_[axis];
  }

  static bool is_fixed(const Plan& plan, int field) { return plan.fields[base::index(field)].once; }

  // A field that is sampled on an axis.
  struct Use {
    std::uint32_t field = 0, axis = 0;
  };

  // The model's fields that a variable is made from.
  std::vector<int> fields_of(const Plan& plan, const VariablePlan& variable) const {
    std::vector<int> fields;
    for (const int source : sources_of(plan, variable.field)) {
      if (static_cast<std::size_t>(source) < fields_) {
        fields.push_back(source);
        continue;
      }
      const Analysis& analysis = *plan.analysis;
      const auto place =
          std::find(analysis.field_of_diagnostic.begin(), analysis.field_of_diagnostic.end(), source);
      for (const int input :
           analysis.graph.diagnostics[base::index(place - analysis.field_of_diagnostic.begin())].inputs)
        if (const int field = analysis.field_of_input[base::index(input)]; field >= 0)
          fields.push_back(field);
    }
    return fields;
  }

  // The next wanted tick follows from the saved position of the axis.
  std::size_t restored_axis(const std::string& name, const AxisPlan& plan, model::Tick begin,
                            const model::StateLoader& saved) {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return i;
    const std::size_t added = add_axis(plan, begin, name);
    time::Axis::visit_state(axes_[added], model::NumberLoader(saved, "axes/" + name + "/"));
    return added;
  }

  std::size_t axis_index(const AxisPlan& plan, model::Tick begin) {
    for (std::size_t i = 0; i < plans_.size(); ++i)
      if (names_[i].empty() && plans_[i].has_records_of(plan)) return i;
    return add_axis(plan, begin, "");
  }

  std::size_t add_axis(const AxisPlan& plan, model::Tick begin, const std::string& name) {
    plans_.push_back(plan);
    names_.push_back(name);
    axes_.emplace_back(plan.rule(), calendar_, begin);
    when_due_.push_back(plan.kind == time::AxisKind::at_end || plan.also_at_end ? 2 : 1);
    due_.push_back(0);
    return axes_.size() - 1;
  }

  const calendar::Calendar calendar_;
  time::Clock clock_;
  std::vector<AxisPlan> plans_;
  std::vector<std::string> names_;  // of restored ones, in the state; by axis
  std::vector<time::Axis> axes_;
  // The data that each step reads, by axis and by use. They are dense, since the step runs with cold caches
  // between two steps of the model.
  // Both hold the values of model::Agenda: for a tick at which no record closes, and for this tick.
  std::vector<unsigned char> when_due_, due_;
  std::vector<Use> uses_;
  std::vector<std::size_t> fixed_;  // fields that are put once
  bool begun_ = false;
  std::size_t fields_;
};

}  // namespace

std::unique_ptr<model::Agenda> make_agenda(const Plan& plan, const model::Declarations& declarations,
                                           model::Tick begin, const model::StateLoader* saved) {
  return std::make_unique<AxisAgenda>(plan, declarations, begin, saved);
}

}  // namespace tailrace::plan
