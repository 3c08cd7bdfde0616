// Small files as a whole; those of the netcdf format stand in for files of other programs.
#include "input/plain_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "output/format.hpp"

namespace tailrace::input {
namespace {

using ::testing::ElementsAre;

std::string written() {
  const std::string path = ::testing::TempDir() + "plain_file_" + std::to_string(getpid()) + ".nc";
  output::DatasetSpec spec;
  spec.path = path;
  spec.dims = {{"time", 0, true}, {"name", 2, false}, {"character", 3, false}};
  spec.variables = {
      {"time", model::DataType::float64, {0}, {4}, {}, {}, {{"units", std::string("s")}}},
      {"level", model::DataType::int32, {0}, {4}, {"zlib", 1, true}, -1.0, {{"valid_min", 2.0}}}};
  spec.texts = {{"label", {1, 2}, {"abc", "d"}, {}}};
  const auto dataset = output::find_format("netcdf")->create(spec);
  const std::vector<double> times{0.5, 1.5};
  const auto bytes = std::as_bytes(std::span(times));
  output::Commit commit;
  commit.lengths = {{0, 2}};
  commit.values = {{0, 0, {bytes.begin(), bytes.end()}}};
  dataset->commit(commit);
  dataset->close();
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  return content.str();
}

TEST(PlainFile, gives_all_variables_by_name) {
  const std::string bytes = written();
  EXPECT_TRUE(is_netcdf4(bytes));
  EXPECT_FALSE(is_classic_netcdf(bytes));
  const auto variables = variables_of(bytes);
  ASSERT_EQ(variables.size(), 3u) << "bare dimensions are none";
  const PlainVariable &label = variables[0], &level = variables[1], &time = variables[2];
  EXPECT_EQ(label.name, "label");
  EXPECT_THAT(label.dims, ElementsAre("name"));
  EXPECT_THAT(label.texts, ElementsAre("abc", "d"));
  EXPECT_EQ(level.name, "level");
  EXPECT_EQ(level.fill_value, -1.0);
  EXPECT_THAT(level.numbers, ElementsAre(-1.0, -1.0));
  EXPECT_TRUE(level.attributes.empty()) << "its attributes are numbers";
  EXPECT_THAT(time.dims, ElementsAre("time"));
  EXPECT_THAT(time.shape, ElementsAre(2));
  EXPECT_THAT(time.numbers, ElementsAre(0.5, 1.5));
  EXPECT_EQ(time.attributes.at("units"), "s");
  EXPECT_FALSE(time.fill_value);
}

TEST(PlainFile, damage_is_an_error) {
  const std::string bytes = written();
  EXPECT_THROW(variables_of(bytes.substr(0, 100)), Error);
  EXPECT_THROW(variables_of("CDF\1"), Error);
  EXPECT_TRUE(is_classic_netcdf("CDF\1"));
  EXPECT_FALSE(is_netcdf4("CDF\1"));
}

}  // namespace
}  // namespace tailrace::input
