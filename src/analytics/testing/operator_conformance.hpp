// The contract of every reduction; the test of a new reduction is one call to check_reduction for each kind
// of call.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "analytics/operator.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::testing {

using Random = std::mt19937;

inline std::vector<std::int64_t> indices(const model::Runs& runs) {
  std::vector<std::int64_t> all;
  for (const model::Run& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) all.push_back(run.start + i);
  return all;
}

inline model::Region whole_region(const Shape& shape) {
  model::Box box;
  for (const Dim& dim : shape.dims) {
    box.offset.push_back(0);
    box.count.push_back(dim.extent);
  }
  return model::Region::of_box(box);
}

// The part of a whole array in `region`, in the order of the region's cells.
inline Array part_of(const Array& whole, const model::Region& region) {
  Array part{region, {}};
  part.values.resize(static_cast<std::size_t>(region.size()));
  std::vector<std::vector<std::int64_t>> along;
  for (std::size_t d = 0; d < region.rank(); ++d) along.push_back(indices(region.runs(d)));
  for (std::size_t i = 0; i < part.values.size(); ++i) {
    std::size_t rest = i;
    std::int64_t at = 0;
    std::int64_t step = 1;
    for (std::size_t d = region.rank(); d-- > 0;) {
      at += step * along[d][rest % along[d].size()];
      rest /= along[d].size();
      step *= whole.region.count(d);
    }
    part.values[i] = whole.values[base::index(at)];
  }
  return part;
}

inline void cut(const model::Region& region, int cuts, Random& random, std::vector<model::Region>& parts) {
  std::vector<std::size_t> long_ones;
  for (std::size_t d = 0; d < region.rank(); ++d)
    if (region.count(d) > 1) long_ones.push_back(d);
  if (cuts == 0 || long_ones.empty()) return parts.push_back(region);
  const std::size_t d = long_ones[random() % long_ones.size()];
  std::vector<std::int64_t> all = indices(region.runs(d));
  if (random() % 4 == 0) std::shuffle(all.begin(), all.end(), random);  // as on an indexed grid
  const auto middle = 1 + random() % (all.size() - 1);
  for (const bool second : {false, true}) {
    std::vector<model::Runs> runs;
    for (std::size_t e = 0; e < region.rank(); ++e) runs.push_back(region.runs(e));
    runs[d] =
        model::compress(std::span(all).subspan(second ? middle : 0, second ? all.size() - middle : middle));
    cut(model::Region(runs), cuts - 1, random, parts);
  }
}

// Irregular blocks that cover a global array, in random order.
inline std::vector<model::Region> random_blocks(const Shape& shape, int cuts, Random& random) {
  std::vector<model::Region> parts;
  cut(whole_region(shape), cuts, random, parts);
  std::shuffle(parts.begin(), parts.end(), random);
  return parts;
}

enum class Kind { smooth, wide, special, missing };

inline Array random_array(const Shape& shape, Kind kind, Random& random) {
  Array array{whole_region(shape), std::vector<double>(static_cast<std::size_t>(shape.size()))};
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double specials[] = {0.0,   -0.0,   1.0, -1.0, std::numeric_limits<double>::infinity(),
                             1e308, 5e-324, 2.0};
  for (double& value : array.values) {
    value = uniform(random);
    if (kind == Kind::wide) value = std::ldexp(value, static_cast<int>(random() % 120) - 60);
    if (kind == Kind::special) value = specials[random() % std::size(specials)];
    if (kind == Kind::missing && random() % 3 == 0)
      value = random() % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : -std::nan("7");
  }
  return array;
}

inline std::vector<std::uint64_t> bits(const Array& array) {
  std::vector<std::uint64_t> all;
  for (const double value : array.values) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}

inline void expect_same(const Array& got, const Array& expected) {
  EXPECT_EQ(got.region, expected.region);
  EXPECT_EQ(bits(got), bits(expected));
}

struct ReductionCheck {
  const Reduction& reduction;
  Call call;
  Random random{20240229};

  void add(Partial& partial, const std::vector<Array>& wholes, const model::Region& region) const {
    std::vector<Array> parts;
    std::vector<ConstArray> views;
    for (const Array& whole : wholes) parts.push_back(part_of(whole, region));
    for (const Array& part : parts) views.push_back(part.view());
    partial.add(views);
  }

  Array of_one_block(const std::vector<Array>& wholes) const {
    const auto partial = reduction.start(call);
    add(*partial, wholes, wholes[0].region);
    return partial->finish();
  }

  // Blocks distributed over `ranks` partial results, some of which may get none, merged in any order.
  Array of_ranks(const std::vector<Array>& wholes, std::size_t ranks) {
    std::vector<std::unique_ptr<Partial>> partials;
    for (std::size_t r = 0; r < ranks; ++r) partials.push_back(reduction.start(call));
    for (const model::Region& block :
         random_blocks(call.arguments[0], static_cast<int>(random() % 5), random))
      add(*partials[random() % ranks], wholes, block);
    std::shuffle(partials.begin(), partials.end(), random);
    for (std::size_t r = 1; r < ranks; ++r) {
      Partial& into = *partials[random() % r];
      into.merge(partials[r]->to_bytes());
      partials[r]->clear();
      if (&into != partials[0].get()) {  // a tree of merges: passes its result on and starts again
        partials[0]->merge(into.to_bytes());
        into.clear();
      }
    }
    return partials[0]->finish();
  }

  void order_and_grouping(const std::vector<Array>& wholes) {
    const Array expected = of_one_block(wholes);
    EXPECT_EQ(expected.values.size(), static_cast<std::size_t>(reduction.infer(call).size()));
    EXPECT_EQ(expected.region, whole_region(reduction.infer(call)));
    for (int i = 0; i < 12; ++i) expect_same(of_ranks(wholes, 1 + random() % 5), expected);
  }

  void nothing() const {
    const auto partial = reduction.start(call);
    const Array untouched = partial->finish();
    for (const double value : untouched.values) EXPECT_TRUE(value == 0.0 || std::isnan(value)) << value;
    Array empty;  // a block without cells
    std::vector<model::Runs> runs(call.arguments[0].dims.size());
    for (std::size_t d = 0; d < runs.size(); ++d)
      runs[d] = {{0, d == 0 ? 0 : call.arguments[0].dims[d].extent}};
    empty.region = model::Region(runs);
    if (!runs.empty()) partial->add(std::vector<ConstArray>(call.arguments.size(), empty.view()));
    partial->merge(reduction.start(call)->to_bytes());  // a rank without blocks
    expect_same(partial->finish(), untouched);
  }

  void clearing(const std::vector<Array>& wholes) {
    const auto partial = reduction.start(call);
    const std::vector<std::byte> fresh = partial->to_bytes();
    const Array untouched = partial->finish();
    add(*partial, wholes, wholes[0].region);
    partial->clear();
    EXPECT_EQ(partial->to_bytes(), fresh) << "cleared cells are not sent";
    expect_same(partial->finish(), untouched);
    add(*partial, wholes, wholes[0].region);
    expect_same(partial->finish(), of_one_block(wholes));
  }

  // Adds values row by row and cell by cell, like a fused program.
  void fused(const std::vector<Array>& wholes) {
    if (!reduction.fusible()) return;
    const auto partial = reduction.start(call);
    auto& fusible = dynamic_cast<FusiblePartial&>(*partial);
    const Dims& dims = call.arguments[0].dims;
    for (const model::Region& block : random_blocks(call.arguments[0], 3, random)) {
      const Array part = part_of(wholes[0], block);
      std::vector<model::Runs> kept;
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (!consumes(d)) kept.push_back(block.runs(d));
      fusible.begin(model::Region(kept));
      for (std::size_t i = 0; i < part.values.size(); ++i) {
        const std::span<const double> one(&part.values[i], 1);
        random() % 2 == 0 ? fusible.add_row(kept_cell(block, i), one)
                          : fusible.add_cells(kept_cell(block, i), one);
      }
    }
    expect_same(partial->finish(), of_one_block(wholes));
  }

  bool consumes(std::size_t d) const {
    const std::string& name = call.arguments[0].dims[d].name;
    return call.dims.empty() || std::count(call.dims.begin(), call.dims.end(), name) > 0;
  }
  std::size_t kept_cell(const model::Region& block, std::size_t i) const {
    std::size_t cell = 0;
    std::size_t step = 1;
    for (std::size_t d = block.rank(); d-- > 0;) {
      const auto extent = static_cast<std::size_t>(block.count(d));
      if (!consumes(d)) {
        cell += step * (i % extent);
        step *= extent;
      }
      i /= extent;
    }
    return cell;
  }
};

// `call`: its dimensions and parameters are used; its arguments are replaced by arrays of several shapes with
// dimensions z, y, x, which call.dims may name.
inline void check_reduction(const std::string& name, Call call, std::size_t arguments = 1) {
  const auto* reduction = dynamic_cast<const Reduction*>(find_operator(name));
  ASSERT_NE(reduction, nullptr) << name << " is not a reduction";
  const Dims shapes[] = {{{"z", 3, false}, {"y", 5, true}, {"x", 7, true}},
                         {{"z", 1, false}, {"y", 1, true}, {"x", 1, true}},
                         {{"x", 4, true}, {"z", 6, true}, {"y", 1, false}},
                         {{"y", 2, true}, {"x", 33, true}, {"z", 2, true}}};
  for (const Dims& dims : shapes)
    for (const Kind kind : {Kind::smooth, Kind::wide, Kind::special, Kind::missing}) {
      SCOPED_TRACE(name + ", first extent " + std::to_string(dims[0].extent) + ", kind " +
                   std::to_string(static_cast<int>(kind)));
      call.arguments.assign(arguments, Shape{dims, std::nullopt});
      ReductionCheck check{*reduction, call};
      std::vector<Array> wholes;
      for (std::size_t a = 0; a < arguments; ++a)
        wholes.push_back(random_array(call.arguments[a], kind, check.random));
      check.order_and_grouping(wholes);
      check.nothing();
      check.clearing(wholes);
      check.fused(wholes);
    }
}

}  // namespace tailrace::analytics::testing
