#include "client/buffer_size.hpp"

#include <gtest/gtest.h>

#include <string>

#include "telemetry/counters.hpp"

namespace tailrace::client {
namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

struct Model {
  Declarer declarer{"model", 0, 1};

  explicit Model(std::int64_t cells) {
    GridArguments grid;
    grid.name = "line";
    grid.dims = {"x"};
    grid.shape = {3 * cells};
    grid.offset = {cells};
    grid.count = {cells};
    declarer.grid(grid);
    for (const char* name : {"u", "v"}) {
      model::Field field;
      field.name = name;
      declarer.field("line", field);
    }
  }
};

TEST(SuitableBuffer, HoldsSeveralSteps) {
  const Model model(100000);
  const std::size_t bytes = suitable_buffer(model.declarer, {true, true}, 256 * mib);
  EXPECT_GE(bytes, 16U * 2 * 800000);
  EXPECT_LE(bytes, 17U * 2 * 800000);
}

TEST(SuitableBuffer, LeavesOutWhatNoFileNeeds) {
  const Model model(100000);
  EXPECT_LE(suitable_buffer(model.declarer, {false, true}, 256 * mib), 17U * 800000);
}

TEST(SuitableBuffer, IsSmallForAFieldOf1KB) {
  EXPECT_EQ(suitable_buffer(Model(128).declarer, {true, true}, 256 * mib), mib);
}

// They are the last packet.
TEST(SuitableBuffer, HoldsTheCountersOfManyFields) {
  Model model(1);
  telemetry::ClientCounters counters;
  for (int f = 0; f < 50000; ++f) {
    model::Field field;
    field.name = "state_variable_" + std::to_string(f);
    model.declarer.field("line", field);
  }
  const auto& fields = model.declarer.declarations().fields;
  std::vector<bool> used(fields.size(), false);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    auto& counted = counters.fields.emplace_back();
    counted.name = fields[f].name;
    used[f] = f % 100 == 0;
    for (std::uint64_t took = 100; used[f] && took < 1000000; took += took / 3) counted.put.record(took);
  }
  EXPECT_GE(suitable_buffer(model.declarer, used, 256 * mib), 2 * counters.to_bytes().size());
}

TEST(SuitableBuffer, IsTheSameForARankOfWhichOnlyTheNumberOfCellsIsKnown) {
  const Model model(100000);
  const auto cells = [](std::size_t) { return std::int64_t{100000}; };
  const auto& fields = model.declarer.declarations().fields;
  for (const std::vector<bool>& used : {std::vector<bool>{true, true}, {false, true}})
    EXPECT_EQ(suitable_buffer(fields, cells, used, 256 * mib),
              suitable_buffer(model.declarer, used, 256 * mib));
}

TEST(SuitableBuffer, StaysWithinItsBound) {
  EXPECT_EQ(suitable_buffer(Model(10000000).declarer, {true, true}, 256 * mib), 256 * mib);
  EXPECT_EQ(suitable_buffer(Model(128).declarer, {true, true}, 64 * kib), 64 * kib);
}

}  // namespace
}  // namespace tailrace::client
