#include "cf/option_tables.hpp"

#include <gmock/gmock.h>

#include "base/index.hpp"
#include "tailrace/error.hpp"

namespace tailrace::cf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

model::Declarations moist() {
  model::Declarations declarations;
  model::Grid grid;
  grid.name = "column";
  grid.kind = model::GridKind::replicated;
  grid.dims = {"z"};
  grid.shape = {3};
  model::Field field;
  field.name = "w";
  field.grid = 0;
  declarations.grids = {grid};
  declarations.fields = {field};
  declarations.options = {{"dt", "0.25"}, {"q_indicies.rain", "2"}, {"q_indicies.vapour", "1"}};
  return declarations;
}

// A file with these tables. Their names are on line 4.
settings::Configuration configured(const std::string& tables) {
  const std::map<std::string, std::string> options;
  return settings::parse_configuration(
      {{"run.yaml", "tailrace: 1\nfields: {state: {names: [w]}}\noutput: {a.nc: {option_tables:\n  {" +
                        tables + "},\n  variables: [{field: w, every: 1 step}]}}\n"}},
      &options);
}

DatasetLayout laid_out(const std::string& tables) {
  const settings::Configuration configuration = configured(tables);
  const plan::Plan plan = plan::make_plan(configuration, moist());
  return make_layout(plan.files.at(0), configuration, moist(), {}, "");
}

std::string complaint(const std::string& tables) {
  try {
    laid_out(tables);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(OptionTables, HoldNamesAndValues) {
  const DatasetLayout layout = laid_out("all: {prefix: \"\", dimension: number_options}, q_indicies: {}");
  ASSERT_EQ(layout.dataset.texts.size(), 2U);
  const auto& [all, of_q] = std::tie(layout.dataset.texts[0], layout.dataset.texts[1]);
  EXPECT_EQ(all.name, "all");
  EXPECT_THAT(all.values, ElementsAre("dt", "0.25", "q_indicies.rain", "2", "q_indicies.vapour", "1"));
  EXPECT_THAT(of_q.values, ElementsAre("rain", "2", "vapour", "1"));
  const auto dims = [&](const output::TextSpec& text) {
    std::vector<std::string> said;
    for (const int dim : text.dims) {
      const output::DimensionSpec& found = layout.dataset.dims[base::index(dim)];
      said.push_back(found.name + " " + std::to_string(found.size));
    }
    return said;
  };
  EXPECT_THAT(dims(all), ElementsAre("number_options 3", "kvp 2", "string 17"));
  EXPECT_THAT(dims(of_q), ElementsAre("q_indicies_entry 2", "kvp 2", "string 17"));
}

TEST(OptionTables, LackTheOptionsOfOtherTables) {
  const DatasetLayout layout = laid_out("all: {prefix: \"\", without: [q_indicies., other.]}");
  ASSERT_EQ(layout.dataset.texts.size(), 1U);
  EXPECT_THAT(layout.dataset.texts[0].values, ElementsAre("dt", "0.25"));
  EXPECT_EQ(laid_out("q_indicies: {without: [q_indicies.rain]}").dataset.texts[0].values.size(), 2U);
  EXPECT_THAT(complaint("q_indicies: {without: [q_indicies.]}"), HasSubstr("the model gave no option"));
}

TEST(OptionTables, WithoutEntriesAreMistakesUnlessOptional) {
  EXPECT_EQ(complaint("maps: {}"),
            "run.yaml:4:4  output.a.nc.option_tables.maps: the model gave no option whose name begins with "
            "\"maps.\"; set `optional: true` to leave the table out in this case. (known: q_indicies.)");
  EXPECT_THAT(complaint("q_indices: {}"), HasSubstr("in this case. Did you mean \"q_indicies.\"?"));
  const DatasetLayout layout = laid_out("maps: {optional: true}");
  EXPECT_TRUE(layout.dataset.texts.empty());
  EXPECT_TRUE(std::ranges::none_of(layout.dataset.dims, [](const auto& dim) { return dim.name == "kvp"; }));
}

TEST(OptionTables, AreDescribed) {
  const settings::Configuration configuration =
      configured("all: {prefix: \"\"}, q_indicies: {}, dt: {prefix: dt}");
  EXPECT_THAT(
      plan::describe(configuration, nullptr),
      HasSubstr("all: all options of the model\n      ├─ q_indicies: the model's options that begin with "
                "q_indicies."));
  const plan::Plan plan = plan::make_plan(configuration, moist());
  EXPECT_THAT(plan::describe(configuration, &plan), HasSubstr("q_indicies: 2 options of the model\n"));
  EXPECT_THAT(plan::describe(configuration, &plan), HasSubstr("dt: 1 option of the model\n"));
}

TEST(OptionTables, HaveNamesOfTheirOwn) {
  EXPECT_THAT(complaint("w: {prefix: dt}"),
              HasSubstr("run.yaml:4:4  output.a.nc.option_tables.w: \"w\" is the "
                        "name of a variable of the file"));
  EXPECT_THAT(complaint("z: {prefix: dt}"), HasSubstr("\"z\" is the name of a coordinate or dimension"));
  EXPECT_THAT(complaint("1st: {prefix: dt}"), HasSubstr("not starting with a digit, but got \"1st\""));
  EXPECT_THAT(complaint("q_indicies: {prefixes: dt}"),
              HasSubstr("this key is unknown. Did you mean \"prefix\"?"));
}

}  // namespace
}  // namespace tailrace::cf
