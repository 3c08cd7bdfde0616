// The contract of every kernel; the test of a new kernel is one call to check_kernel for each kind of call.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analytics/testing/use.hpp"

namespace tailrace::analytics::testing {

inline const Dims sample_dims = {{"z", 3, false}, {"y", 5, true}, {"x", 6, true}};

struct KernelCheck {
  const Kernel& kernel;
  const Call& call;
  Random random{20240229};

  Array compute(const std::vector<Array>& arguments) const {
    const auto run = kernel.start(call);
    return compute(*run, arguments);
  }
  static Array compute(KernelRun& run, const std::vector<Array>& arguments) {
    std::vector<ConstArray> views;
    for (const Array& argument : arguments) views.push_back(argument.view());
    return run.compute(views);
  }

  std::vector<Array> random_arguments(Kind kind) {
    std::vector<Array> arguments;
    for (const Shape& shape : call.arguments) arguments.push_back(random_array(shape, kind, random));
    return arguments;
  }

  void shape(const Array& result) const {
    const Shape promised = kernel.infer(call);
    EXPECT_EQ(result.region, whole_region(promised));
    EXPECT_EQ(result.values.size(), static_cast<std::size_t>(promised.size()));
    for (const std::string& name : kernel.needs_whole(call)) {
      const auto place = call.arguments[0].find(name);
      ASSERT_TRUE(place) << name << " is not a dimension of the first argument";
      EXPECT_TRUE(call.arguments[0].dims[*place].split) << name << " is whole already";
    }
  }

  // A kernel without a state gives the same result whatever was computed before; one with a state gives the
  // same result after the same history.
  void again(const std::vector<Array>& arguments, const Array& expected) {
    const auto run = kernel.start(call);
    if (kernel.memories(call).empty()) compute(*run, random_arguments(Kind::wide));
    expect_same(compute(*run, arguments), expected);
  }

  // A run with the copied state of another continues like that one.
  void restored(const std::vector<Array>& arguments) {
    const std::vector<Memory> memories = kernel.memories(call);
    if (memories.empty()) return;
    const model::Region region = whole_region(kernel.infer(call));
    const auto before = kernel.start(call), after = kernel.start(call);
    compute(*before, arguments);
    const auto from = before->memories(region), to = after->memories(region);
    ASSERT_EQ(from.size(), memories.size());
    for (std::size_t m = 0; m < memories.size(); ++m) {
      ASSERT_EQ(from[m].size(), static_cast<std::size_t>(Shape{memories[m].dims, {}}.size()) *
                                    model::size_of(memories[m].type));
      ASSERT_EQ(to[m].size(), from[m].size());
      std::ranges::copy(from[m], to[m].begin());
    }
    const std::vector<Array> next = random_arguments(Kind::wide);
    expect_same(compute(*after, next), compute(*before, next));
  }

  // Some cells of each dimension that may be split, in any order; perhaps none.
  std::map<std::string, model::Runs> some_cells() {
    std::map<std::string, model::Runs> cells;
    const std::vector<std::string> whole = kernel.needs_whole(call);
    for (const Shape& argument : call.arguments)
      for (const Dim& dim : argument.dims) {
        if (!dim.split || std::find(whole.begin(), whole.end(), dim.name) != whole.end()) continue;
        if (cells.contains(dim.name)) continue;
        std::vector<std::int64_t> all(static_cast<std::size_t>(dim.extent));
        std::iota(all.begin(), all.end(), 0);
        if (random() % 2 == 0) std::shuffle(all.begin(), all.end(), random);
        all.resize(random() % (all.size() + 1));
        cells[dim.name] = model::compress(all);
      }
    return cells;
  }

  static model::Region cut(const Shape& shape, const std::map<std::string, model::Runs>& cells) {
    std::vector<model::Runs> runs;
    for (const Dim& dim : shape.dims) {
      const auto some = cells.find(dim.name);
      runs.push_back(some == cells.end() ? model::Runs{{0, dim.extent}} : some->second);
    }
    return model::Region(runs);
  }

  // Blocks along the dimensions that need not be whole give their parts of the result.
  void blocks(const std::vector<Array>& arguments, const Array& expected) {
    const auto cells = some_cells();
    std::vector<Array> parts;
    for (std::size_t a = 0; a < arguments.size(); ++a)
      parts.push_back(part_of(arguments[a], cut(call.arguments[a], cells)));
    const model::Region region = cut(kernel.infer(call), cells);
    expect_same(compute(parts), part_of(expected, region));
  }
};

// `call`: with whole shapes, whose split dimensions may come in blocks, and parameters.
inline void check_kernel(const std::string& name, const Call& call) {
  const auto* kernel = dynamic_cast<const Kernel*>(find_operator(name));
  ASSERT_NE(kernel, nullptr) << name << " is not a kernel";
  KernelCheck check{*kernel, call};
  for (const Kind kind : {Kind::smooth, Kind::wide, Kind::special, Kind::missing}) {
    SCOPED_TRACE(name + ", kind " + std::to_string(static_cast<int>(kind)));
    const std::vector<Array> arguments = check.random_arguments(kind);
    const Array result = check.compute(arguments);
    check.shape(result);
    check.again(arguments, result);
    check.restored(arguments);
    for (int i = 0; i < 8; ++i) check.blocks(arguments, result);
  }
}

}  // namespace tailrace::analytics::testing
