#include "cf/volume.hpp"

#include <gmock/gmock.h>

namespace tailrace::cf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string described(const std::string& variables, const std::optional<Speed>& speed) {
  model::Declarations declarations;
  model::Grid& grid = declarations.grids.emplace_back();
  grid.name = "globe";
  grid.kind = model::GridKind::block;
  grid.dims = {"z", "y", "x"};
  grid.shape = {2, 5, 7};
  model::Field field;
  field.name = "u";
  field.grid = 0;
  declarations.fields.push_back(field);
  const std::map<std::string, std::string> none;
  const auto configuration = settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\nmodel_time: {calendar: standard, start: 2026-01-01}\nfields: {state: {names: [u]}}\n"
        "output:\n" +
            variables}},
      &none);
  return describe_volume(plan::make_plan(configuration, declarations), configuration, declarations, speed);
}

TEST(Volume, is_told_for_a_day_of_model_time) {
  EXPECT_EQ(described("  a.nc: {variables: [{field: u, every: 6 h, operation: mean, type: float32, chunk: "
                      "[3, 1, 5, 7]}]}\n"
                      "  b.nc: {variables: [{field: u, every: 1 d, chunk: [1, 2, 5, 7]}]}\n",
                      std::nullopt),
            "volume, not compressed: 1.641 KiB a day of model time\n"
            "├─ a.nc: 1.094 KiB a day of model time\n"
            "│  └─ u: chunks of 3 x 1 x 5 x 7, 420 B\n"
            "└─ b.nc: 560 B a day of model time\n"
            "   └─ u: chunks of 1 x 2 x 5 x 7, 560 B\n");
}

TEST(Volume, names_the_compression) {
  EXPECT_THAT(
      described("  a.nc: {compression: zlib, variables: [{field: u, every: 1 d, chunk: [1, 2, 5, 7]}]}\n",
                std::nullopt),
      HasSubstr("u: chunks of 1 x 2 x 5 x 7, 560 B before zlib of level 1\n"));
}

TEST(Volume, is_told_for_an_hour_of_wall_clock_where_the_pace_is_known) {
  const std::string daily = "  a.nc: {variables: [{field: u, every: 1 d}]}\n";
  // 10 days a second, so 36,000 records of 560 B an hour.
  EXPECT_THAT(described(daily, Speed{.model_seconds = 864000.0, .steps = 20.0}),
              HasSubstr("a.nc: 560 B a day of model time, 19.23 MiB an hour of wall clock\n"));
  const std::string by_steps = "  a.nc: {variables: [{field: u, every: 4 steps}]}\n";
  EXPECT_THAT(described(by_steps, std::nullopt), HasSubstr("a.nc: 136.7 KiB in 1000 steps\n"));
  // 20 steps a second are 2 a day and 5 records a second.
  EXPECT_THAT(described(by_steps, Speed{.model_seconds = 864000.0, .steps = 20.0}),
              HasSubstr("a.nc: 280 B a day of model time, 9.613 MiB an hour of wall clock\n"));
}

TEST(Volume, of_a_month_is_that_of_a_mean_one) {
  EXPECT_THAT(
      described("  a.nc: {variables: [{field: u, every: 12 months, operation: mean}]}\n", std::nullopt),
      HasSubstr("a.nc: 1.533 B a day of model time\n"));
}

TEST(Volume, files_are_counted_where_a_dataset_has_many) {
  EXPECT_EQ(described("  a.zarr: {format: zarr, variables: [{field: u, every: 1 h, chunk: [3, 1, 5, 4]}]}\n",
                      std::nullopt),
            "volume, not compressed: 13.12 KiB a day of model time\n"
            "└─ a.zarr: 13.12 KiB a day of model time\n"
            "   ├─ u: chunks of 3 x 1 x 5 x 4, 480 B\n"
            "   └─ files: 32 a day of model time\n");
  const auto single = [](const std::string& options) {
    return described(
        "  a.zarr: {format: zarr, " + options + "variables: [{field: u, every: 1 s, chunk: [1, 1, 1, 1]}]}\n",
        std::nullopt);
  };
  EXPECT_THAT(
      single("zarr: {shards: false}, "),
      HasSubstr("warning: files: 6.048e+06 a day of model time; file systems become slow with so many: "
                "expected larger shards (`zarr: {shard_size: 256 MiB}`, `shard_records`)"));
  EXPECT_THAT(single(""), HasSubstr("warning: files: 86400 a day of model time"));
  const std::string by_minute = single("write_every: 1 min, ");
  EXPECT_THAT(by_minute,
              HasSubstr("u: chunks of 1 x 1 x 1 x 1, 8 B, in shards of 60 x 2 x 5 x 7, 32.81 KiB\n"));
  EXPECT_THAT(by_minute, HasSubstr("files: 1440 a day of model time\n"));
  EXPECT_THAT(by_minute, Not(HasSubstr("warning")));
}

TEST(Volume, warns_of_what_a_kill_would_cost) {
  const Speed slow{.model_seconds = 864.0, .steps = 2.0};  // a day in 100 s
  const auto daily = [](const std::string& options) {
    return "  a.nc: {" + options + "variables: [{field: u, every: 1 d}]}\n";
  };
  const std::string quarter = daily("write_every: 90 d, ");
  EXPECT_THAT(
      described(quarter, slow),
      HasSubstr("warning: run.yaml:5:23: `write_every: 90 d` commits once in 2.5 h of wall clock: a "
                "job that is killed loses up to 49.22 KiB; expected a shorter one, or none: then once "
                "a minute\n"));
  EXPECT_THAT(described(daily("write_every: 1000 steps, "), slow), HasSubstr("once in 8 min of wall clock"));
  EXPECT_THAT(described(daily("write_every: 90 d, file_per_write: true, "), slow),
              HasSubstr("expected `new_file_every` in its place"));
  EXPECT_THAT(described(daily("write_every: never, "), std::nullopt),
              HasSubstr("`write_every: never` commits only at the end of a file"));
  for (const std::string& shorter :
       {daily("write_every: 2 d, "), daily(""), daily("new_file_every: 1 year, ")})
    EXPECT_THAT(described(shorter, slow), Not(HasSubstr("warning")));
  EXPECT_THAT(described(quarter, std::nullopt), Not(HasSubstr("warning")));
}

TEST(Volume, of_no_file_is_nothing) { EXPECT_EQ(described("  {}\n", std::nullopt), ""); }

}  // namespace
}  // namespace tailrace::cf
