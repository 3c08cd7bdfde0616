#include "plan/merging.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "model/agenda.hpp"
#include "plan/memory_needs.hpp"
#include "plan/regridding.hpp"
#include "plan/restart/description.hpp"
#include "tailrace/error.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

model::Coordinate coordinate(const std::string& name, const std::string& units, std::vector<double> values,
                             double half) {
  model::Coordinate made;
  made.name = name;
  made.dims = {name};
  made.units = units;
  made.values = std::move(values);
  for (const double value : made.values) made.bounds.insert(made.bounds.end(), {value - half, value + half});
  return made;
}

// With levels of these pressures in hPa, unless there are none.
model::Grid grid(const std::string& name, std::vector<double> levels, double half, double east) {
  model::Grid made;
  made.name = name;
  made.kind = model::GridKind::block;
  made.dims = {"lat", "lon"};
  made.shape = {4, 3};
  const auto place = [half](double number) { return 2 * half * number; };
  made.coordinates = {coordinate("lat", "degrees_north", {place(0), place(1), place(2), place(3)}, half),
                      coordinate("lon", "degrees_east", {east, east + place(1), east + place(2)}, half)};
  if (levels.empty()) return made;
  made.dims.insert(made.dims.begin(), "lev");
  made.shape.insert(made.shape.begin(), std::ssize(levels));
  made.coordinates.push_back(coordinate("lev", "hPa", std::move(levels), 5));
  return made;
}

model::Declarations domains() {
  model::Declarations declarations;
  model::Grid bare = grid("bare", {100, 500}, 1, 40);
  bare.coordinates.clear();
  declarations.grids = {grid("globe", {100, 500}, 5, 30), grid("nest", {100, 500}, 1, 40),
                        grid("coarse", {100, 600}, 1, 40), grid("flat", {}, 1, 40), bare};
  const auto add = [&](const std::string& name, int on, const std::string& units = "K",
                       model::DataType type = model::DataType::float32) {
    model::Field field;
    field.name = name;
    field.grid = on;
    field.type = type;
    field.units = units;
    declarations.fields.push_back(field);
  };
  add("t", 0);
  add("t_nest", 1);
  add("t_inner", 1);
  add("t_coarse", 2);
  add("t_flat", 3);
  add("t_bare", 4);
  add("t_degc", 1, "degC");
  add("t_double", 1, "K", model::DataType::float64);
  add("t_slow", 1);
  add("t_once", 1);
  add("t_last", 1);
  add("u", 0, "m s-1");
  add("v", 0, "m s-1");
  add("u_nest", 1, "m s-1");
  add("v_nest", 1, "m s-1");
  return declarations;
}

Plan plan_of(const std::string& regrid, const std::string& variables = "{field: t, time: mean, every: 4 h}") {
  const std::map<std::string, std::string> options;
  const settings::Configuration configuration = settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\nfields:\n"
        "  state: {every: 1 h, names: [t, t_nest, t_inner, t_coarse, t_flat, t_bare, t_degc, t_double, u, v, "
        "u_nest, v_nest]}\n"
        "  slow: {every: 2 h, names: [t_slow]}\n"
        "  fixed: {every: once, names: [t_once]}\n"
        "  last: {every: 1 h, also_at_end: true, names: [t_last]}\n"
        "  absent: {every: 1 h, names: [t_absent], optional: true}\n"
        "output:\n  a.nc:\n    regrid: {to: {healpix: {level: 2}}, " +
            regrid + "}\n    variables: [" + variables + "]\n"}},
      &options);
  return make_plan(configuration, domains());
}

std::string complaint(const std::string& regrid) {
  try {
    plan_of(regrid);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(Merging, LaysSamplesOfChildrenOverThoseOfTheParent) {
  const Plan plan = plan_of("merge: [[t, t_nest, t_inner]]");
  const VariablePlan& variable = plan.files.at(0).variables.at(0);
  EXPECT_THAT(sources_of(plan, variable.field), ElementsAre(0, 1, 2));
  const std::vector<RegridPlan>& all = plan.regridding->regrids;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(all[0].is_child);
  EXPECT_EQ(all[0].stage, Stage::per_sample) << "the mean alone would be made first";
  for (const std::size_t child : {1u, 2u}) {
    EXPECT_TRUE(all[child].is_child);
    EXPECT_EQ(all[child].stage, Stage::per_sample);
    EXPECT_EQ(all[child].target_field, all[0].target_field);
    EXPECT_NE(all[child].weights, all[0].weights);
    EXPECT_TRUE(plan.fields.at(child).used);
  }
  EXPECT_EQ(all[1].weights, all[2].weights) << "of one grid";
  EXPECT_EQ(reason_of(plan, variable), "each sample: fields of children are merged");
  EXPECT_EQ(text_of(*plan.regridding, all[0]),
            "healpix level 2 nested, conservative (coverage 0.5, fracarea), t_nest over it, t_inner over it");
}

TEST(Merging, AsksTheModelForChildrenWheneverTheParentIsSampled) {
  const Plan plan = plan_of("merge: [[t, t_nest]]");
  const auto agenda = make_agenda(plan, domains(), {0, 0.0});
  std::vector<unsigned char> wanted(domains().fields.size());
  agenda->advance({1, 3600.0}, wanted);
  EXPECT_THAT(std::vector(wanted.begin(), wanted.begin() + 3), ElementsAre(1, 1, 0));
}

TEST(Merging, IsDoneOnceForVariablesThatAgree) {
  const Plan plan =
      plan_of("merge: [[t, t_nest]], with_fraction: true",
              "{field: t, time: mean, every: 4 h}, {field: t, name: most, time: max, every: 4 h}, "
              "{field: t, name: plain, time: mean, every: 4 h, regrid: {to: {healpix: {level: 2}}}}, "
              "{field: t, name: other, time: max, every: 4 h, regrid: {to: {healpix: {level: 2}}, merge: "
              "[[t, t_inner]]}}");
  const auto regrid = [&](std::size_t variable) { return plan.files.at(0).variables.at(variable).regrid; };
  EXPECT_EQ(regrid(0), regrid(2)) << "behind the first is its companion";
  EXPECT_NE(regrid(0), regrid(4));
  EXPECT_NE(regrid(0), regrid(5)) << "another child";
  const std::vector<RegridPlan>& all = plan.regridding->regrids;
  EXPECT_EQ(all[base::index(regrid(4))].stage, Stage::per_record);
  EXPECT_GE(all[1].fraction_field, 0);
  EXPECT_EQ(all[1].fraction_field, all[0].fraction_field);
}

TEST(Merging, MatchesRunsThatMergeTheSame) {
  const auto described = [](const std::string& regrid) {
    const Plan plan = plan_of(regrid);
    std::string all;
    for (const auto& [name, text] : describe_for_restart(plan, plan.regridding->declarations)) all += text;
    return all;
  };
  EXPECT_THAT(described("merge: [[t, t_nest]]"), HasSubstr("t_nest over it"));
  EXPECT_THAT(described("coverage: 0.5"), Not(HasSubstr("over it")));
}

TEST(Merging, LeavesOutChildrenThatTheModelMayLack) {
  const Plan plan = plan_of("merge: [[t, t_absent, t_nest]]");
  EXPECT_THAT(sources_of(plan, plan.files.at(0).variables.at(0).field), ElementsAre(0, 1));
}

TEST(Merging, NeedsVectorsOnBothSides) {
  const std::string wind = "{field: u, every: 1 h}";
  const Plan plan = plan_of("vectors: [[u, v], [u_nest, v_nest]], merge: [[u, u_nest]]", wind);
  ASSERT_EQ(plan.regridding->regrids.size(), 2u);
  EXPECT_EQ(plan.regridding->regrids[1].projection, Projection::east);
  const auto about = [&](const std::string& regrid) {
    try {
      plan_of(regrid, wind);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(
      about("vectors: [[u, v]], merge: [[u, u_nest]]"),
      HasSubstr("\"u\" and its child \"u_nest\" are not the same component of vectors; expected the pairs"));
  EXPECT_THAT(about("vectors: [[u, v], [u_nest, v_nest]], merge: [[u, v_nest]]"),
              HasSubstr("not the same component"));
}

TEST(Merging, RefusesChildrenThatDoNotFit) {
  EXPECT_THAT(
      complaint("merge: [[t, t_nst]]"),
      HasSubstr("run.yaml:10:53  output.a.nc.regrid.merge: \"t_nst\" is neither listed under `fields`"));
  EXPECT_THAT(complaint("merge: [[t, t_nst]]"), HasSubstr("Did you mean \"t_nest\"?"));
  EXPECT_THAT(
      complaint("merge: [[u, u_nest]]"),
      HasSubstr("run.yaml:10:50  output.a.nc.regrid.merge: no variable with these options is of \"u\", "
                "the parent in this list; expected a parent that is written (known: t)"));
  EXPECT_THAT(complaint("merge: [[t, t_slow]]"),
              HasSubstr("run.yaml:10:53  output.a.nc.regrid.merge: \"t\" is sent every 1 h and its child "
                        "\"t_slow\" every 2 h; expected a child that is sent whenever its parent is"));
  EXPECT_THAT(complaint("merge: [[t, t_once]]"),
              HasSubstr("\"t_once\" is sent only once; expected fields that are sent with a period alone"));
  EXPECT_THAT(complaint("merge: [[t, t_last]]"), HasSubstr("\"t_last\" is sent at the end of the run too;"));
  EXPECT_THAT(complaint("merge: [[t, t_flat]]"),
              HasSubstr("\"t\" has the dimensions (lev: 2, cells), and its child \"t_flat\" has (cells)"));
  EXPECT_THAT(complaint("merge: [[t, t_coarse]]"), HasSubstr("have different values of \"lev\""));
  EXPECT_THAT(
      complaint("merge: [[t, t_degc]]"),
      HasSubstr("\"t\" has the unit \"K\", and its child \"t_degc\" has \"degC\"; expected the same"));
  EXPECT_THAT(complaint("merge: [[t, t_double]]"), HasSubstr("\"t\" has the type float32, and its child"));
  EXPECT_THAT(complaint("merge: [[t, t_bare]]"),
              HasSubstr("run.yaml:10:53  output.a.nc.regrid.merge: field \"t_bare\": grid \"bare\""));
}

}  // namespace
}  // namespace tailrace::plan
