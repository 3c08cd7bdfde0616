#include "plan/append/write_amplification.hpp"

#include <gmock/gmock.h>

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A plane of 2 MiB and a number.
std::vector<std::string> details(const std::string& file) {
  model::Declarations declarations;
  declarations.grids.resize(2);  // the second has no dims
  model::Grid& grid = declarations.grids[0];
  grid.name = "plane";
  grid.kind = model::GridKind::block;
  grid.dims = {"y", "x"};
  grid.shape = {256, 1024};
  for (const int on : {0, 1}) {
    model::Field field;
    field.name = on == 0 ? "u" : "energy";
    field.grid = on;
    declarations.fields.push_back(field);
  }
  const std::map<std::string, std::string> none;
  return make_plan(settings::parse_configuration(
                       {{"run.yaml", "tailrace: 1\nfields: {state: {names: [u, energy]}}\noutput: {a.nc: {" +
                                         file + "}}\n"}},
                       &none),
                   declarations)
      .details;
}

TEST(Waste, is_told_of_small_commits) {
  EXPECT_THAT(
      details("write_every: 1 step, variables: [{field: energy, every: 1 step}]"),
      ElementsAre(HasSubstr("run.yaml:3:30  output.a.nc.write_every: a commit every step brings 8 bytes of "
                            "values and writes some 445 of headers; expected a period 186 times as long")));
  EXPECT_THAT(details("variables: [{field: energy, every: 1 step}]"), IsEmpty())
      << "they wait for each other";
  EXPECT_THAT(details("write_every: 5000 steps, variables: [{field: energy, every: 1 step}]"), IsEmpty());
  EXPECT_THAT(details("write_every: 1 min, variables: [{field: energy, every: 1 s}]"),
              ElementsAre(HasSubstr("every 1 min")));
  EXPECT_THAT(details("write_every: 1 h, variables: [{field: energy, every: 1 s}]"), IsEmpty());
  EXPECT_THAT(details("format: zarr, write_every: 1 h, variables: [{field: energy, every: 1 s}]"),
              ElementsAre(HasSubstr("writes some 8792 of headers")));
  EXPECT_THAT(details("write_every: 1 s, variables: [{field: u, every: 1 s}]"), IsEmpty());
  EXPECT_THAT(details("write_every: 1 step, variables: [{field: energy, every: 1 s}]"), IsEmpty())
      << "nobody knows";
}

TEST(Waste, is_told_of_compressed_chunks_that_are_not_full) {
  const auto of = [](const std::string& every, const std::string& codec) {
    return details("write_every: " + every + ", compression: " + codec +
                   ", variables: [{field: u, every: 1 s, chunk: [8, 64, 64]}]");
  };
  EXPECT_THAT(of("2 s", "zlib"),
              ElementsAre(HasSubstr("chunks of \"u\" hold 8 records and are compressed when they "
                                    "are full, but a commit every 2 s brings 2")));
  EXPECT_THAT(of("16 s", "zlib"), IsEmpty());
  EXPECT_THAT(of("2 s", "none"), IsEmpty());
  const auto series = [](const std::string& file) {
    return details(file + "access: series, compression: zlib, variables: [{field: u, every: 1 s}]");
  };
  EXPECT_THAT(series(""), ElementsAre(HasSubstr("run.yaml:3:10  output.a.nc.write_every: chunks of \"u\"")));
  EXPECT_THAT(series(""),
              ElementsAre(HasSubstr("their full size, and are written twice; expected commits of")));
  EXPECT_THAT(series("write_every: 1 s, "), IsEmpty()) << "chunks are made to fit";
  EXPECT_THAT(series("write_every: 12 s, "), IsEmpty());
}

}  // namespace
}  // namespace tailrace::plan
