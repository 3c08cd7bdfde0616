// The cells nearest to moving points, from blocks, compared with a loop over the whole array.
#include "points/nearest_reduction.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "analytics/testing/use.hpp"
#include "base/index.hpp"

namespace tailrace::points {
namespace {

using namespace analytics;
using namespace analytics::testing;

// z is kept; along l points are between levels.
const Dims dims = {{"l", 3, true}, {"z", 2, true}, {"cell", 5, true}};
const std::vector<double> first = {0, 10, 20, 30, 30}, second = {0, 1, 2, 3, 3};

NearestPoints points() {
  NearestPoints made;
  made.dim = "trajectory";
  made.count = 3;
  made.plane = {{"cell", 5, true}};
  made.level = "l";
  made.position = [](double a, double b) { return Position{a, b, 0.0}; };
  made.places_at = [](double seconds) {
    return std::vector<std::optional<Place>>{Place{{seconds, 0, 0}, {{0, 0.25}, {2, 0.75}}}, std::nullopt,
                                             Place{{31, 3, 0}, {{1, 1.0}}}};
  };
  return made;
}

double value(std::int64_t l, std::int64_t z, std::int64_t cell) {
  return static_cast<double>(100 * l + 10 * z + cell);
}

// A list of cells and levels; l is split too.
struct Block {
  model::Region field, cells;
  std::vector<double> values, first, second;

  Block(const model::Runs& l, const model::Runs& of_cells)
      : field({l, {{0, 2}}, of_cells}), cells({of_cells}) {
    for (const model::Run& a : l)
      for (std::int64_t i = a.start; i < a.start + a.count; ++i)
        for (std::int64_t z = 0; z < 2; ++z)
          for (const model::Run& b : of_cells)
            for (std::int64_t c = b.start; c < b.start + b.count; ++c) values.push_back(value(i, z, c));
    for (const model::Run& b : of_cells)
      for (std::int64_t c = b.start; c < b.start + b.count; ++c) {
        first.push_back(points::first[base::index(c)]);
        second.push_back(points::second[base::index(c)]);
      }
  }
  void add_to(Partial& partial) const {
    const std::vector<ConstArray> arguments{{&field, values}, {&cells, first}, {&cells, second}};
    partial.add(arguments);
  }
};

TEST(Nearest, IsFoundInBlocksInAnyOrder) {
  const auto op = make_reduction(points());
  const Dims cell = {{"cell", 5, true}};
  const Call call = call_of({dims, cell, cell}, {"cell", "l"});
  EXPECT_EQ(dims_of(op->infer(call)), "trajectory:3 z:2");
  const std::vector<Block> blocks = {
      {{{2, 1}}, {{4, 1}, {1, 1}}}, {{{0, 2}}, {{4, 1}, {1, 1}}}, {{{0, 3}}, {{0, 1}, {2, 2}}}};
  const auto all = op->start(call);
  for (const double seconds : {0.0, 12.0, 26.0}) {
    all->clear();
    all->begin_step(seconds);
    for (const Block& block : blocks) {
      const auto one = op->start(call);
      one->begin_step(seconds);
      block.add_to(*one);
      all->merge(one->to_bytes());
    }
    const std::int64_t here = static_cast<std::int64_t>(std::lround(seconds / 10.0));
    std::vector<double> expected;
    for (std::int64_t z = 0; z < 2; ++z)
      expected.push_back(0.25 * value(0, z, here) + 0.75 * value(2, z, here));
    expected.insert(expected.end(), {std::nan(""), std::nan("")});
    for (std::int64_t z = 0; z < 2; ++z) expected.push_back(value(1, z, 3));  // the first of two equally near
    expect_values(all->finish().values, expected, 1e-12);
  }
}

TEST(Moving, TakesTheCellsOfItsTime) {
  const Dims yx = {{"y", 2, true}, {"x", 3, true}};
  const auto op =
      make_reduction(MovingPoints{"trajectory", 2, yx, [](double seconds) {
                                    const auto cell = static_cast<std::int64_t>(seconds);
                                    return std::vector<Shares>{{{cell, 0.5}, {cell + 1, 0.5}}, {}};
                                  }});
  const Call call = call_of({yx}, {"y", "x"});
  EXPECT_EQ(dims_of(op->infer(call)), "trajectory:2");
  std::vector<double> values(6);
  std::iota(values.begin(), values.end(), 0.0);
  const Array whole = array_of(yx, values);
  const auto partial = op->start(call);
  for (const double seconds : {4.0, 1.0}) {
    partial->begin_step(seconds);
    const std::vector<ConstArray> arguments{whole.view()};
    partial->add(arguments);
    expect_values(partial->finish().values, {seconds + 0.5, std::nan("")}, 1e-12);
    partial->clear();
  }
}

}  // namespace
}  // namespace tailrace::points
