#include <gmock/gmock.h>

#include "env/topology.hpp"
#include "plan/plan.hpp"
#include "settings/testing/whole.hpp"

namespace tailrace::plan {
namespace {

using settings::testing::whole;
using ::testing::HasSubstr;

std::string described(const std::string& variable, const std::string& further) {
  const std::map<std::string, std::string> none;
  return describe(settings::parse_configuration({{"run.yaml",
                                                  "tailrace: 1\nfields: {state: {names: [u, w]}}\n"
                                                  "output: {a.nc: {variables: [{" +
                                                      variable + "}]}}\n" + further}},
                                                &none),
                  nullptr);
}

TEST(Describe, ShowsSuffixes) {
  EXPECT_THAT(described("group: g, suffix: _2_mean, time: mean, every: 1 s", "groups: {g: [u, w]}\n"),
              HasSubstr("group g with the suffix _2_mean: mean every 1 s"));
  EXPECT_THAT(described("field: u, name: v, suffix: _max, time: max, every: 1 s", ""),
              HasSubstr("u as v_max: max every 1 s"));
}

TEST(Describe, ShowsWhatAVariableGets) {
  EXPECT_THAT(
      described("field: u, every: 1 s, compression: {codec: zstd, keep: {absolute: 0.1}}", ""),
      HasSubstr("u: snapshot every 1 s, zstd level 1 with shuffle, kept: absolute 0.1 (a chunk that fails "
                "its check is stored exactly)"));
}

TEST(Describe, SaysWhetherDomainsAreKnown) {
  const std::string variable = "field: u, every: 1 s";
  EXPECT_THAT(described(variable, "servers: {per_node: 3}\n"), HasSubstr("servers: 3 a node (dedicated"));
  const std::string source = env::topology_source();
  EXPECT_THAT(described(variable, "servers: {per_domain: 2}\n"),
              HasSubstr(source.empty() ? "2 a node, as this build lacks hwloc"
                                       : "2 a NUMA domain, as " + source + " tells (dedicated"));
}

TEST(Describe, DrawsATreeWithoutAModel) {
  EXPECT_EQ(
      describe(settings::parse_configuration({{"run.yaml", whole}}, nullptr), nullptr),
      "tailrace\n"
      "├─ servers: 2 (dedicated ranks)\n"
      "│  ├─ buffer 64 MiB per client, when full: spill\n"
      "│  ├─ memory 1 GiB per server\n"
      "│  └─ after SIGTERM or SIGINT the files are closed within 20 s; model ranks without a handler end at "
      "once\n"
      "├─ time: calendar standard, from " +
          calendar::format_date({2026, 1, 1, 0, 0, 0.0}) +
          "\n"
          "├─ fields that the model is asked for\n"
          "│  ├─ state, every step: u, w, theta\n"
          "│  └─ budget, every 5 steps, optional: scalar.vwp\n"
          "├─ output\n"
          "│  └─ profiles_{case}.nc (netcdf, zlib level 1 with shuffle), written every 100 s, on error: "
          "retry\n"
          "│     ├─ scalar.vwp as vwp: mean every 10 s\n"
          "│     ├─ group three_d: snapshot every 5 s, zstd level 1 with shuffle\n"
          "│     ├─ readers of zstd need: netCDF-C: version 4.9 or later with its plugin for zstd; h5py: the "
          "package hdf5plugin\n"
          "│     └─ 2 time axes, of which many readers know the first only; as 2 files each has one, "
          "`time`:\n"
          "│        ├─ scalar.vwp\n"
          "│        └─ group three_d\n"
          "└─ unresolved, set by the model: case, nz (periods and numbers that depend on it are shown with "
          "their defaults)\n");
}

}  // namespace
}  // namespace tailrace::plan
