#include "plan/memory/needs.hpp"

#include <gmock/gmock.h>

namespace tailrace::plan::memory {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t mib = std::size_t{1} << 20;

// Two fields of 8 MiB on a plane of 1024 x 1024, one of 100 numbers.
model::Declarations declared() {
  model::Declarations declarations;
  declarations.grids.resize(2);
  declarations.grids[0].shape = {1024, 1024};
  declarations.grids[1].shape = {100};
  for (model::Grid& grid : declarations.grids) {
    grid.name = grid.shape.size() == 1 ? "line" : "plane";
    grid.kind = model::GridKind::block;
    for (std::size_t d = 0; d < grid.shape.size(); ++d) grid.dims.push_back(grid.name + std::to_string(d));
  }
  for (const char* name : {"u", "w", "profile"}) {
    model::Field field;
    field.name = name;
    field.grid = name[0] == 'p' ? 1 : 0;
    declarations.fields.push_back(field);
  }
  return declarations;
}

struct Made {
  settings::Configuration configuration;
  Plan plan;
};

Made make(const std::string& files, const std::string& servers = "{memory: 256 MiB, count: 2}") {
  const std::map<std::string, std::string> none;
  auto configuration = settings::parse_configuration(
      {{"run.yaml", "tailrace: 1\nservers: " + servers +
                        "\nfields: {state: {names: [u, w, profile]}}\noutput:\n" + files}},
      &none);
  Plan plan = make_plan(configuration, declared());
  return {std::move(configuration), std::move(plan)};
}

TEST(OpenChunks, share_an_eighth_of_the_memory_and_leave_room_for_the_users_own) {
  const Made one = make("  a.nc: {access: series, variables: [{field: u, every: 1 s}]}\n");
  EXPECT_EQ(one.plan.files[0].open_bytes, 32 * mib);
  const Made two =
      make("  a.nc: {access: series, variables: [{field: u, every: 1 s}, {field: w, every: 1 s}]}\n");
  EXPECT_EQ(two.plan.files[0].open_bytes, 16 * mib);
  const Made own = make(
      "  a.nc: {access: series, variables: [{field: u, every: 1 s}]}\n"
      "  b.nc: {variables: [{field: w, every: 1 s, chunk: [3, 64, 64]}]}\n");
  EXPECT_EQ(own.plan.files[0].open_bytes, 8 * mib);
  const Made small =
      make("  a.nc: {access: series, variables: [{field: u, every: 1 s}, {field: profile, every: 1 s}]}\n");
  EXPECT_EQ(small.plan.files[0].open_bytes, 32 * mib) << "small records are soon whole chunks";
}

TEST(Needs, counts_each_field_once_and_each_variable) {
  const Made made = make(
      "  a.nc: {variables: [{field: u, name: u_mean, time: mean, every: 4 s}, {field: u, every: 4 s}]}\n"
      "  b.nc: {access: series, variables: [{field: w, every: 1 s}]}\n");
  const Needs needs = needs_of(made.plan, declared());
  EXPECT_EQ(needs.step, 16 * mib);
  EXPECT_EQ(needs.windows, 8 * mib);
  EXPECT_EQ(needs.open, 64 * mib);
  EXPECT_EQ(needs.at_once, 16 * mib);
  EXPECT_EQ(needs.largest_file, "a.nc");
}

TEST(Needs, are_told_with_their_figures) {
  const std::string file = "  a.nc: {variables: [{field: u, time: mean, every: 4 s}]}\n";
  const auto told = [&](const std::string& servers) {
    const Made made = make(file, servers);
    return describe_memory(made.configuration.servers, made.plan, declared(), 4);
  };
  EXPECT_EQ(told("{memory: 256 MiB, count: 2}"),
            "memory: about 16 MiB of the 256 MiB of a server\n"
            "├─ 4 MiB for the fields of a step\n"
            "├─ 4 MiB for means, sums and the like, all the time\n"
            "├─ 8 MiB for what a.nc gets at one step, on its server\n"
            "└─ 2 MiB of a step from each of 4 model ranks, in its buffer\n");
  EXPECT_THAT(told("{memory: 10 MiB, count: 2}"),
              HasSubstr("a server will hold more than servers.memory allows"));
  EXPECT_THAT(told("{memory: 17 MiB, count: 2}"), Not(HasSubstr("more than servers.memory")));
  EXPECT_EQ(told("{mode: 'off'}"), "");
}

}  // namespace
}  // namespace tailrace::plan::memory
