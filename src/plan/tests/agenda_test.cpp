#include <gmock/gmock.h>

#include "plan/plan.hpp"

namespace tailrace::plan {
namespace {

AxisPlan axis(time::AxisKind kind, time::Period every, time::Period cadence) {
  return {kind, every, cadence, "time"};
}

VariablePlan variable(int field, int axis) {
  VariablePlan plan;
  plan.field = field;
  plan.axis = axis;
  return plan;
}

// Field 0: instants every 2 s, of each step. Field 1: the same axis in another file, and a mean over 10 s of
// samples each 3 steps. Field 2: nobody needs it.
Plan some_plan() {
  using time::AxisKind;
  using time::Period;
  const AxisPlan instants = axis(AxisKind::instant, Period::of_seconds(2), Period::of_steps(1));
  Plan plan;
  plan.fields.resize(3);
  plan.files.resize(2);
  plan.files[0].axes = {instants};
  plan.files[0].variables = {variable(0, 0)};
  plan.files[1].axes = {axis(AxisKind::window, Period::of_seconds(10), Period::of_steps(3)), instants};
  plan.files[1].variables = {variable(1, 0), variable(1, 1)};
  return plan;
}

TEST(Agenda, WantsAFieldWhenAnyAxisDoes) {
  model::Declarations declarations;
  declarations.fields.resize(3);
  std::unique_ptr<model::Agenda> agenda;
  {
    const Plan plan = some_plan();
    agenda = make_agenda(plan, declarations, {0, 0.0});
  }  // the agenda keeps what it needs
  std::vector<unsigned char> wanted(3, 7);
  std::vector<std::string> seen;
  for (std::int64_t step = 1; step <= 8; ++step) {
    agenda->advance({step, 0.75 * static_cast<double>(step)}, wanted);
    seen.push_back(std::to_string(wanted[0]) + std::to_string(wanted[1]) + std::to_string(wanted[2]));
  }
  // Times 0.75 1.5 2.25* 3 3.75 4.5* 5.25 6*: instants at the first step at or past 2, 4 and 6 s; steps 3
  // and 6.
  EXPECT_THAT(seen, testing::ElementsAre("000", "000", "110", "000", "000", "110", "000", "110"));
}

TEST(Agenda, WantsFixedFieldsFromTheBeginningUntilTheFirstStep) {
  Plan plan = some_plan();
  plan.fields[2].once = true;
  plan.files[0].variables.push_back(variable(2, -1));
  model::Declarations declarations;
  declarations.fields.resize(3);
  const auto agenda = make_agenda(plan, declarations, {0, 0.0});
  std::vector<unsigned char> wanted(3, 7);
  agenda->begin(wanted);
  EXPECT_THAT(wanted, testing::ElementsAre(0, 0, 1));
  agenda->advance({1, 2.5}, wanted);
  EXPECT_THAT(wanted, testing::ElementsAre(1, 1, 1));
  agenda->advance({2, 4.5}, wanted);
  EXPECT_THAT(wanted, testing::ElementsAre(1, 1, 0));
}

}  // namespace
}  // namespace tailrace::plan
