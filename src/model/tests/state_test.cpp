#include "model/state.hpp"

#include <gmock/gmock.h>

#include "model/memory_state.hpp"
#include "tailrace/error.hpp"

namespace tailrace::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

const StateArray plane{"w", DataType::float64, {"y", "x"}, {2, 3}};

template <class Act>
std::string complaint(const Act& act, ErrorCode expected = ErrorCode::resource) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected);
    return error.what();
  }
  return "none";
}

TEST(MemoryState, PutsPartsTogetherAndGivesOthers) {
  MemoryState state;
  state.save(plane, Region({{{0, 2}}, {{2, 1}, {0, 1}}}), bytes(std::vector<double>{2, 0, 12, 10}));
  state.save(plane, Region::of_box({{0, 1}, {2, 1}}), bytes(std::vector<double>{1, 11}));
  std::vector<double> row(3);
  state.load(plane, Region::of_box({{1, 0}, {1, 3}}), std::as_writable_bytes(std::span(row)));
  EXPECT_THAT(row, ElementsAre(10, 11, 12));
}

TEST(MemoryState, SaysWhatDoesNotFit) {
  MemoryState state;
  const Region corner = Region::of_box({{0, 0}, {1, 1}});
  state.save(plane, corner, bytes(std::vector<double>{1}));
  state.save(plane, corner, bytes(std::vector<double>{1}));  // from another server that knows it too
  EXPECT_THAT(
      complaint([&] { state.save(plane, corner, bytes(std::vector<double>{2})); }, ErrorCode::internal),
      HasSubstr("two servers saved different values of cell 0"));
  StateArray other = plane;
  other.shape = {2, 4};
  EXPECT_EQ(complaint([&] { state.save(other, corner, bytes(std::vector<double>{1})); }, ErrorCode::internal),
            "state \"w\" is saved as float64(y=2, x=3) and as float64(y=2, x=4)");
  std::vector<double> values(6);
  const auto load = [&](const StateArray& array, const Region& region) {
    return complaint([&] { state.load(array, region, std::as_writable_bytes(std::span(values))); });
  };
  EXPECT_EQ(load(other, corner),
            "the saved state has \"w\" as float64(y=2, x=3), but float64(y=2, x=4) is expected");
  EXPECT_EQ(load(plane, Region::of_box({{0, 0}, {2, 3}})), "cell 1 of \"w\" is missing in the saved state");
  other.name = "v";
  EXPECT_THAT(load(other, corner), HasSubstr("the saved state has no \"v\""));
}

struct Numbers {
  std::int64_t step = 0;
  double time = 0.0;
  bool open = false;
  std::vector<double> edges;
  std::vector<int> counts;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor visit) {
    visit("step", self.step);
    visit("time", self.time);
    visit("open", self.open);
    visit("edges", self.edges);
    visit("counts", self.counts);
  }
};

TEST(Numbers, GoOneWayAndTheOther) {
  const Numbers saved{-7, 0.1, true, {1.5, 2.5}, {}};
  MemoryState state;
  Numbers::visit(saved, NumberSaver(state, "axis/").in("2"));
  EXPECT_THAT(state.names(),
              ElementsAre("axis/2/counts", "axis/2/edges", "axis/2/open", "axis/2/step", "axis/2/time"));
  Numbers loaded;
  loaded.counts = {4};
  Numbers::visit(loaded, NumberLoader(state, "axis/").in("2"));
  EXPECT_EQ(loaded.step, -7);
  EXPECT_EQ(loaded.time, 0.1);
  EXPECT_TRUE(loaded.open);
  EXPECT_THAT(loaded.edges, ElementsAre(1.5, 2.5));
  EXPECT_TRUE(loaded.counts.empty());
  EXPECT_THAT(complaint([&] { Numbers::visit(loaded, NumberLoader(state, "axis/3/")); }),
              HasSubstr("the saved state has no \"axis/3/step\""));
}

}  // namespace
}  // namespace tailrace::model
