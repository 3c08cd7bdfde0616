#include "plan/memory_needs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "output/format.hpp"

namespace tailrace::plan {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t mib = std::size_t{1} << 20;

// Two fields of 8 MiB on a plane of 512 x 2048, one of 100 numbers.
model::Declarations declared() {
  model::Declarations declarations;
  declarations.grids.resize(2);
  declarations.grids[0].shape = {512, 2048};
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

// One of two servers that have half of each grid; it writes the files of these numbers.
ServerShare half(std::vector<std::size_t> files) {
  return {.servers = 2,
          .cells = [](int grid) { return grid == 0 ? std::size_t{1} << 19 : std::size_t{50}; },
          .writes = [files](std::size_t file) { return std::ranges::count(files, file) > 0; }};
}

TEST(MemoryNeeds, are_those_of_the_clients_and_of_the_files_that_a_server_writes) {
  const Made made = make(
      "  a.nc: {variables: [{field: u, name: u_mean, time: mean, every: 4 s}, {field: u, every: 4 s}]}\n"
      "  b.nc: {access: series, variables: [{field: w, every: 1 s}]}\n");
  EXPECT_EQ(step_bytes(made.plan, declared()), 16 * mib);
  const MemoryNeeds first = memory_needs_of(made.plan, declared(), half({0}));
  EXPECT_EQ(first.windows.bytes, 4 * mib);
  EXPECT_EQ(first.windows.of, "\"u_mean\" of a.nc");
  EXPECT_EQ(first.open.bytes, 32 * mib);
  EXPECT_EQ(first.at_once.bytes, 16 * mib);
  EXPECT_EQ(first.at_once.most, 8 * mib);
  EXPECT_EQ(first.library.bytes, output::find_format("netcdf")->cache_bytes("a.nc"));
  const MemoryNeeds other = memory_needs_of(made.plan, declared(), half({}));
  EXPECT_EQ(other.windows.bytes, 4 * mib);
  EXPECT_EQ(other.at_once.bytes, 0u);
  EXPECT_EQ(other.library.bytes, 0u);
}

// A store holds its objects for itself, and so many stores are written at a time.
TEST(MemoryNeeds, are_those_of_each_store_that_is_written_side_by_side) {
  std::string files = "  a.nc: {variables: [{field: u, every: 1 s}]}\n";
  for (const char* const name : {"b", "c", "d"})
    files += fmt::format("  s3://bucket/{}: {{format: zarr, variables: [{{field: u, every: 1 s}}]}}\n", name);
  const Made made = make(files);
  const std::size_t each = output::find_format("zarr")->cache_bytes("s3://bucket/b");
  EXPECT_EQ(each, 128 * mib);
  const auto objects = [&](int commits, std::vector<std::size_t> written) {
    ServerShare share = half(std::move(written));
    share.commits = commits;
    const MemoryNeeds needs = memory_needs_of(made.plan, declared(), share);
    EXPECT_EQ(needs.library.bytes, output::find_format("netcdf")->cache_bytes("a.nc"));
    return needs.objects.bytes;
  };
  EXPECT_EQ(objects(4, {0}), 0u);
  EXPECT_EQ(objects(4, {0, 1, 3}), 2 * each);
  EXPECT_EQ(objects(2, {0, 1, 2, 3}), 2 * each);
  EXPECT_EQ(objects(commits_at_a_time(settings::Mode::inline_), {0, 1, 2, 3}), each);
}

TEST(MemoryNeeds, keep_a_window_for_each_month_of_a_climatology) {
  const Made made = make("  a.nc: {variables: [{field: u, operation: mean, each: month}]}\n",
                         "{memory: 256 MiB}\nmodel_time: {calendar: noleap, start: 2001-01-01}");
  EXPECT_EQ(memory_needs_of(made.plan, declared(), half({0})).windows.bytes, 12 * 4 * mib);
  EXPECT_EQ(memory_needs_of(made.plan, declared(), half({0})).at_once.bytes, 12 * 8 * mib) << "at the end";
}

TEST(MemoryNeeds, of_what_is_put_together_on_all_servers_include_a_share_elsewhere) {
  const Made made = make("  a.nc: {compression: zlib, variables: [{field: u, every: 4 s}]}\n");
  EXPECT_EQ(memory_needs_of(made.plan, declared(), half({})).at_once.bytes, 4 * mib);
}

TEST(MemoryNeeds, lack_memory_unless_an_eighth_is_left_for_what_moves) {
  MemoryNeeds needs;
  needs.windows.add(70 * mib, "\"u\" of a.nc");
  needs.at_once.add(7 * mib, "\"w\" of b.nc");
  needs.library.bytes = mib / 2;
  EXPECT_EQ(lack_of_memory(needs, 89 * mib), std::nullopt);
  EXPECT_EQ(lack_of_memory(needs, memory_for(needs.total())), std::nullopt);
  const auto lack = lack_of_memory(needs, 88 * mib);
  EXPECT_EQ(lack.value_or(""),
            "must hold 77.5 MiB at a time, 70 MiB of it for means, sums and the like, all the time (\"u\" of "
            "a.nc: 70 MiB)");
  EXPECT_EQ(memory_option(64 * mib), "64 MiB");
  EXPECT_EQ(memory_option(10239 * mib + 1), "10240 MiB");
  EXPECT_EQ(memory_option(149 * 1024 * mib + 1), "150 GiB");
  needs.windows.bytes = 40 * mib;
  EXPECT_EQ(lack_of_memory(needs, mib), std::nullopt) << "no less than 64 MiB are counted with";
}

TEST(MemoryNeeds, are_told_with_their_figures) {
  const std::string file =
      "  a.nc: {variables: [{field: u, time: mean, every: 4 s}, {field: w, every: 4 s}]}\n";
  const auto told = [&](const std::string& servers, const std::string& files) {
    const Made made = make(files, servers);
    return describe_memory(made.configuration.servers, made.plan, declared(), 4);
  };
  EXPECT_EQ(told("{memory: 256 MiB, count: 2}", file),
            "memory: about 22 MiB of the 256 MiB of a server\n"
            "├─ 4 MiB for means, sums and the like, all the time: \"u\" of a.nc\n"
            "├─ 16 MiB for what its files get at one step: 8 MiB for \"u\" of a.nc\n"
            "├─ 2 MiB for the caches of HDF5\n"
            "└─ 4 MiB of a step from each of 4 model ranks, in its buffer\n");
  std::string many = "  a.nc: {variables: [";
  for (int i = 0; i < 200; ++i)
    many += fmt::format("{}{{field: u, name: u{}, time: mean, every: {} s}}", i ? ", " : "", i, i + 2);
  many += "]}\n";
  EXPECT_THAT(told("{memory: 256 MiB, count: 2}", many),
              HasSubstr("refused in ready: expected `servers: {memory: 2746 MiB}` or more"));
  EXPECT_THAT(told("{memory: 2746 MiB, count: 2}", many), Not(HasSubstr("refused")));
  EXPECT_THAT(told("{count: 2}", many), HasSubstr("more than `memory` where it is not given"));
  EXPECT_EQ(told("{mode: 'off'}", file), "");
}

}  // namespace
}  // namespace tailrace::plan
