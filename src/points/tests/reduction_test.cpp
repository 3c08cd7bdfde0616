// Values at points, from blocks, compared with a loop over the whole array.
#include "points/reduction.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "analytics/testing/use.hpp"
#include "base/index.hpp"

namespace tailrace::points {
namespace {

using namespace analytics;
using namespace analytics::testing;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// y and x are the plane; z between them is kept.
const Dims yzx = {{"y", 3, true}, {"z", 2, true}, {"x", 5, true}};
const Dims plane = {{"y", 3, true}, {"x", 5, true}};
const std::vector<Shares> cells = {
    {{7, 1.0}}, {{0, 0.25}, {1, 0.25}, {5, 0.25}, {6, 0.25}}, {{14, 0.5}, {7, 0.5}}, {{7, 1.0}}};

Array numbered() {
  std::vector<double> values(30);
  std::iota(values.begin(), values.end(), 100.0);
  return array_of(yzx, std::move(values));
}

double value(const Array& a, std::int64_t cell, std::int64_t z) {
  return a.values[base::index((cell / 5 * 2 + z) * 5 + cell % 5)];
}

std::vector<double> by_loop(const Array& a) {
  std::vector<double> expected;
  for (const Shares& shares : cells)
    for (std::int64_t z = 0; z < 2; ++z) {
      double sum = 0.0;
      for (const Share& share : shares) sum += share.weight * value(a, share.cell, z);
      expected.push_back(sum);
    }
  return expected;
}

// Blocks along all dims, with the order of a list in x, as on an indexed grid.
std::vector<Array> blocks_of(const Array& whole) {
  const std::vector<model::Runs> y = {{{0, 1}}, {{1, 2}}}, z = {{{0, 1}}, {{1, 1}}},
                                 x = {{{3, 2}, {0, 1}}, {{1, 2}}};
  std::vector<Array> blocks;
  for (const auto& in_y : y)
    for (const auto& in_z : z)
      for (const auto& in_x : x) {
        Array& block = blocks.emplace_back(Array{model::Region({in_y, in_z, in_x}), {}});
        for (const model::Run& a : in_y)
          for (std::int64_t i = a.start; i < a.start + a.count; ++i)
            for (const model::Run& b : in_x)
              for (std::int64_t j = b.start; j < b.start + b.count; ++j)
                block.values.push_back(value(whole, i * 5 + j, in_z[0].start));
      }
  return blocks;
}

TEST(Points, AreComputedFromBlocksInAnyOrder) {
  const auto op = make_reduction({"station", plane, cells});
  const Call call = call_of({yzx}, {"y", "x"});
  EXPECT_EQ(dims_of(op->infer(call)), "station:4 z:2");
  const Array whole = numbered();
  const auto all = op->start(call);
  for (const Array& block : blocks_of(whole)) {
    const auto one = op->start(call);
    const std::vector<ConstArray> arguments{block.view()};
    one->add(arguments);
    all->merge(one->to_bytes());
  }
  expect_values(all->finish().values, by_loop(whole), 1e-12);
  all->clear();
  const std::vector<ConstArray> arguments{whole.view()};
  all->add(arguments);
  expect_values(all->finish().values, by_loop(whole), 1e-12);
}

TEST(Points, AreMissingIfACellIs) {
  const auto op = make_reduction({"station", plane, cells});
  Array whole = numbered();
  whole.values[1] = nan;  // cell 1, z 0
  const auto partial = op->start(call_of({yzx}, {"y", "x"}));
  const std::vector<ConstArray> arguments{whole.view()};
  partial->add(arguments);
  expect_values(partial->finish().values, by_loop(whole), 1e-12);
  EXPECT_TRUE(std::isnan(partial->finish().values[2]));
}

TEST(Points, NeedTheNameOfTheirDimension) {
  try {
    make_reduction({"z", plane, cells})->infer(call_of({yzx}, {"y", "x"}));
    FAIL();
  } catch (const CallProblem& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("has a dimension \"z\" already"));
  }
}

}  // namespace
}  // namespace tailrace::points
