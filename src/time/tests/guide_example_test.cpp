// The worked example of docs/guide/time.md, through axis and accumulators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "time/accumulator.hpp"
#include "time/axis.hpp"

namespace tailrace::time {
namespace {

using model::DataType;
using testing::DoubleEq;
using testing::ElementsAre;

const std::vector<model::Tick> ticks{{1, 4.0}, {2, 12.0}, {3, 13.0}, {4, 35.0}};
const std::vector<double> values{1.0, 2.0, 3.0, 4.0};

double finished(Accumulator& accumulator) {
  double value = 0.0;
  accumulator.finish(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::vector<double> records(AxisKind axis_kind, ReductionKind reduction) {
  const calendar::Calendar none;
  Axis axis({.kind = axis_kind, .every = Period::of_seconds(10.0), .cadence = Period::of_steps(1)}, none, {});
  const auto accumulator = make_accumulator(reduction, DataType::float64, DataType::float64, 1);
  std::vector<double> all;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    for (const Share& share : axis.advance(ticks[i])) {
      accumulator->combine(std::as_bytes(std::span(&values[i], 1)), share.weight, share.fraction);
      if (share.closes) all.push_back(finished(*accumulator));
    }
  }
  if (axis.finish()) all.push_back(finished(*accumulator));
  return all;
}

TEST(GuideExample, comes_out_as_written) {
  EXPECT_THAT(records(AxisKind::window, ReductionKind::mean), ElementsAre(1.6, 3.5, 4.0, 4.0));
  EXPECT_THAT(records(AxisKind::window, ReductionKind::min), ElementsAre(1.0, 2.0, 4.0, 4.0));
  EXPECT_THAT(records(AxisKind::window, ReductionKind::max), ElementsAre(2.0, 4.0, 4.0, 4.0));
  EXPECT_THAT(records(AxisKind::window, ReductionKind::sum),
              ElementsAre(DoubleEq(2.5), DoubleEq(0.5 + 3.0 + 4.0 * 7.0 / 22.0), DoubleEq(4.0 * 10.0 / 22.0),
                          DoubleEq(4.0 * 5.0 / 22.0)));
  EXPECT_THAT(records(AxisKind::instant, ReductionKind::snapshot), ElementsAre(2.0, 4.0));
}

}  // namespace
}  // namespace tailrace::time
