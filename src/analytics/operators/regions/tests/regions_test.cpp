// Connected regions are compared with repeated flooding, their statistics with loops; tracking is checked by
// its rules.
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "analytics/testing/use.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using List = std::vector<double>;

const double nan = std::nan("");

Array picture(const std::vector<std::string>& rows) {
  List values;
  for (const std::string& row : rows)
    for (const char c : row) values.push_back(c == '.' ? 0.0 : c == '?' ? nan : 1.0);
  return array_of({{"y", std::ssize(rows), true}, {"x", std::ssize(rows[0]), true}}, values);
}
Dims dims(const Array& a) { return {{"y", a.region.count(0), true}, {"x", a.region.count(1), true}}; }

// Propagates labels to neighbours until nothing changes; the lowest first cell wins. Then numbers them in
// order.
List naive_labels(const Array& a, bool periodic_x) {
  const auto ny = static_cast<int>(a.region.count(0)), nx = static_cast<int>(a.region.count(1));
  std::vector<int> first(a.values.size());
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = a.values[i] == 1.0 ? static_cast<int>(i) : -1;
  for (bool changed = true; changed;) {
    changed = false;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        for (const auto& [j, i] : {std::pair{y, x + 1}, {y + 1, x}}) {
          if (j >= ny || (i >= nx && !periodic_x)) continue;
          int& one = first[base::index(y * nx + x)];
          int& other = first[base::index(j * nx + i % nx)];
          if (one < 0 || other < 0 || one == other) continue;
          one = other = std::min(one, other);
          changed = true;
        }
  }
  std::map<int, double> numbers;
  List labels;
  for (const int cell : first) {
    if (cell >= 0) numbers.emplace(cell, double(numbers.size() + 1));
    labels.push_back(cell < 0 ? 0.0 : numbers[cell]);
  }
  return labels;
}

TEST(Regions, are_numbered_by_first_cells) {
  const Array a = picture({"##..#", ".#..#", "#....", "#.##?"});
  const List expected = {1, 1, 0, 0, 2, 0, 1, 0, 0, 2, 3, 0, 0, 0, 0, 3, 0, 4, 4, 0};
  expect_values(result_of("regions", call_of({dims(a)}), {a}), expected);
  expect_values(naive_labels(a, false), expected);
  const List across = {1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 3, 3, 0};
  expect_values(result_of("regions", call_of({dims(a)}, {"y", "x"}, {{"periodic", "x"}}), {a}), across);
  const List by_row = {1, 1, 0, 0, 2, 0, 1, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, 2, 2, 0};
  expect_values(result_of("regions", call_of({dims(a)}, {"x"}), {a}), by_row);
}

TEST(Regions, of_random_pictures) {
  Random random(11);
  for (int i = 0; i < 50; ++i) {
    std::vector<std::string> rows(1 + random() % 9, std::string(1 + random() % 12, '.'));
    for (std::string& row : rows)
      for (char& c : row) c = random() % 5 < 3 ? '#' : '.';
    const Array a = picture(rows);
    expect_values(result_of("regions", call_of({dims(a)}), {a}), naive_labels(a, false));
    expect_values(result_of("regions", call_of({dims(a)}, {}, {{"periodic", "x"}}), {a}),
                  naive_labels(a, true));
  }
}

TEST(Regions, in_three_dimensions) {
  const Dims zyx = {{"z", 2, false}, {"y", 2, true}, {"x", 2, true}};
  const Array a = array_of(zyx, {1, 0, 0, 1, 1, 0, 0, 0});  // (0,0,0)-(1,0,0) and (0,1,1)
  expect_values(result_of("regions", call_of({zyx}), {a}), {1, 0, 0, 2, 1, 0, 0, 0});
  const Call call = call_of({zyx}, {"y", "x"}, {{"periodic", "z"}});
  EXPECT_THAT(problem_of("regions", call),
              HasSubstr("periodic: periodic dimension \"z\" is not a dimension of the regions"));
}

TEST(RegionStatistics, of_each_region) {
  const Array a = picture({"##..#", ".#..#", "#....", "#.##?"});
  List values(20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = double(i * i);
  values[15] = nan;
  const Array v = array_of(dims(a), values);
  const auto of = [&](const std::string& name, bool with_values, Parameters parameters = {}) {
    parameters["max"] = 5.0;
    return with_values ? result_of(name, call_of({dims(a), dims(a)}, {}, parameters), {a, v})
                       : result_of(name, call_of({dims(a)}, {}, parameters), {a});
  };
  expect_values(of("region_count", false), {4});
  expect_values(of("region_size", false), {3, 2, 2, 2, nan});
  expect_values(of("region_label", false), {1, 2, 3, 4, nan});
  expect_values(of("region_sum", true), {0 + 1 + 36, 16 + 81, nan, 17 * 17 + 18 * 18, nan});
  expect_values(of("region_mean", true), {37.0 / 3, 97.0 / 2, nan, 613.0 / 2, nan});
  expect_values(of("region_min", true), {0, 16, nan, 289, nan});
  expect_values(of("region_max", true), {36, 81, nan, 324, nan});
  expect_values(of("region_centroid", false, {{"along", "y"}}), {1.0 / 3, 0.5, 2.5, 3, nan});
  expect_values(of("region_centroid", false, {{"along", "x"}}), {2.0 / 3, 4, 0, 2.5, nan});
}

TEST(RegionStatistics, of_each_level_and_of_few_slots) {
  const Array a = picture({"#.#.#", ".....", "###.."});
  expect_values(result_of("region_count", call_of({dims(a)}, {"x"}), {a}), {3, 0, 1});
  const Call call = call_of({dims(a)}, {"x"}, {{"max", 2.0}});
  EXPECT_EQ(dims_of(shape_of("region_size", call)), "y:3 region:2");
  expect_values(result_of("region_size", call, {a}), {1, 1, nan, nan, 3, nan});
  expect_values(result_of("region_centroid", call, {a}), {0, 2, nan, nan, 1, nan});
}

TEST(RegionStatistics, centroid_across_a_periodic_end) {
  const Array a = picture({"#...##", "#....#"});
  const auto along = [&](const char* dim) {
    return result_of("region_centroid",
                     call_of({dims(a)}, {}, {{"along", dim}, {"periodic", "x"}, {"max", 1.0}}), {a});
  };
  // cells at x = 0, -1, -2 and 0, -1: the mean is -4/5
  expect_values(along("x"), {6.0 - 0.8}, 1e-15);
  expect_values(along("y"), {0.4}, 1e-15);
}

TEST(RegionStatistics, of_given_labels) {
  const Dims x = {{"x", 6, true}};
  const Array labels = array_of(x, {7, 7, 0, 3, nan, 3});
  const Array values = array_of(x, {1, 2, 100, 4, 100, 8});
  const Parameters parameters = {{"labels", 1.0}, {"max", 3.0}};
  expect_values(result_of("region_label", call_of({x}, {}, parameters), {labels}), {3, 7, nan});
  expect_values(result_of("region_mean", call_of({x, x}, {}, parameters), {labels, values}), {6, 1.5, nan});
}

TEST(RegionStatistics, say_what_is_wrong) {
  const Dims x = {{"x", 6, true}}, y = {{"y", 6, true}};
  EXPECT_THAT(problem_of("region_mean", call_of({x})), HasSubstr("takes 2 arguments, not 1"));
  EXPECT_THAT(problem_of("region_mean", call_of({x, y})), HasSubstr("dimensions of the condition"));
  EXPECT_THAT(problem_of("region_size", call_of({x}, {}, {{"max", 0.0}})), HasSubstr("from 1 to"));
  EXPECT_THAT(problem_of("region_centroid", call_of({{{"y", 2, true}, {"x", 2, true}}})),
              HasSubstr("needs along"));
}

class Tracking : public ::testing::Test {
 protected:
  List step(const std::string& row) {
    const Dims x = {{"x", std::ssize(row), true}};
    const auto* track = dynamic_cast<const Kernel*>(find_operator("track"));
    EXPECT_EQ(track->memories(call_of({x})).size(), 2U);
    if (!run_) run_ = track->start(call_of({x}));
    List values;
    for (const char c : row) values.push_back(c == '#' ? 1.0 : 0.0);
    const Array a = array_of(x, values);
    return run_->compute(std::vector{a.view()}).values;
  }
  std::unique_ptr<KernelRun> run_;
};

TEST_F(Tracking, follows_moving_regions) {
  EXPECT_THAT(step("##...##."), ElementsAre(1, 1, 0, 0, 0, 2, 2, 0));
  EXPECT_THAT(step("#...##.."), ElementsAre(1, 0, 0, 0, 2, 2, 0, 0));
  EXPECT_THAT(step("....#.##"), ElementsAre(0, 0, 0, 0, 2, 0, 3, 3));
  EXPECT_THAT(step("........"), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(step("#......."), ElementsAre(4, 0, 0, 0, 0, 0, 0, 0));
}

TEST_F(Tracking, the_larger_part_keeps_the_number_of_a_split) {
  step("#######.");
  EXPECT_THAT(step("##.####."), ElementsAre(2, 2, 0, 1, 1, 1, 1, 0));
}

TEST_F(Tracking, the_larger_overlap_names_a_merger) {
  EXPECT_THAT(step("##.###.#"), ElementsAre(1, 1, 0, 2, 2, 2, 0, 3));
  EXPECT_THAT(step("######.#"), ElementsAre(2, 2, 2, 2, 2, 2, 0, 3));
  EXPECT_THAT(step("##.....#"), ElementsAre(2, 2, 0, 0, 0, 0, 0, 3));
}

TEST_F(Tracking, of_equal_overlaps_the_lower_number_and_the_first_region) {
  step("##.##...");
  EXPECT_THAT(step(".###...."), ElementsAre(0, 1, 1, 1, 0, 0, 0, 0));
  step("########");
  EXPECT_THAT(step("##....##"), ElementsAre(1, 1, 0, 0, 0, 0, 3, 3));
}

}  // namespace
}  // namespace tailrace::analytics
