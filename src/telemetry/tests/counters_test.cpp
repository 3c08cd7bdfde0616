#include "telemetry/counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tailrace/error.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::telemetry {
namespace {

TEST(Counter, shared_ones_lose_nothing_between_threads) {
  SharedTimings timings;
  SharedCounter level;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 1; t <= 4; ++t) {
      threads.emplace_back([&, t] {
        for (int k = 0; k < 10000; ++k) {
          timings.record(t);
          level.add(3);
          level.subtract(2);
        }
      });
    }
  }
  EXPECT_EQ(timings.count.get(), 40000u);
  EXPECT_EQ(timings.nanoseconds.get(), 10000u * (1 + 2 + 3 + 4));
  EXPECT_EQ(timings.most_nanoseconds.get(), 4u);
  EXPECT_EQ(level.get(), 40000u);
}

TEST(Timings, histogram_and_median) {
  Timings timings;
  EXPECT_EQ(timings.median_seconds(), 0.0);
  for (int k = 0; k < 5; ++k) timings.record(1000);  // 2^9 <= 1000 < 2^10
  timings.record(0);
  timings.record(1'000'000);
  timings.record(~std::uint64_t{0} >> 8);  // longer than the last edge
  EXPECT_EQ(timings.histogram[Buckets::of(1000)], 5u);
  EXPECT_EQ(timings.histogram[0], 1u);
  EXPECT_EQ(timings.histogram[Buckets::of(1'000'000)], 1u);
  EXPECT_EQ(timings.histogram[Buckets::count - 1], 1u);
  EXPECT_NEAR(timings.median_seconds(), 1000e-9, 125e-9);
}

TEST(Timings, the_median_is_never_above_the_longest) {
  Timings timings;
  timings.record(600);
  EXPECT_DOUBLE_EQ(timings.median_seconds(), 600e-9);
}

TEST(Timings, merging_is_as_if_recorded_in_one) {
  Timings one, other, all;
  for (std::uint64_t duration : {5u, 70u, 900u}) {
    one.record(duration);
    all.record(duration);
  }
  for (std::uint64_t duration : {1u, 100000u}) {
    other.record(duration);
    all.record(duration);
  }
  one.merge(other);
  EXPECT_EQ(one.count.get(), all.count.get());
  EXPECT_EQ(one.nanoseconds.get(), 100976u);
  EXPECT_EQ(one.most_nanoseconds.get(), 100000u);
  for (std::size_t k = 0; k < Buckets::count; ++k) EXPECT_EQ(one.histogram[k], all.histogram[k]);
}

TEST(Buckets, follow_each_other_without_a_gap) {
  EXPECT_EQ(Buckets::of(0), 0u);
  for (std::size_t k = 1; k < Buckets::count; ++k) {
    EXPECT_EQ(Buckets::of(Buckets::lowest(k)), k);
    EXPECT_EQ(Buckets::of(Buckets::lowest(k) - 1), k - 1);
    EXPECT_LE(Buckets::lowest(k + 1),
              Buckets::lowest(k) + std::max<std::uint64_t>(1, Buckets::lowest(k) / 4));
  }
  EXPECT_EQ(Buckets::of(~std::uint64_t{0}), Buckets::count - 1);
}

TEST(Timings, the_median_of_times_that_are_much_alike_is_not_above_the_mean) {
  for (const std::uint64_t typical : {1030u, 1100u, 1290u, 1600u, 2040u, 70'001u}) {
    Timings timings;
    for (std::uint64_t k = 0; k < 99; ++k) timings.record(typical + k % 5);
    timings.record(typical + typical / 10);
    EXPECT_LE(timings.median_seconds(), timings.mean_seconds()) << typical;
    EXPECT_NEAR(timings.median_seconds() * 1e9, static_cast<double>(typical),
                0.13 * static_cast<double>(typical));
  }
}

TEST(Timings, the_median_is_where_half_of_them_are) {
  Timings timings;
  for (std::uint64_t k = 1; k <= 1000; ++k) timings.record(k * k);  // the mean is a third above the median
  EXPECT_NEAR(timings.median_seconds(), 500 * 500 * 1e-9, 500 * 500 * 1e-9 * 0.05);
}

TEST(Timings, that_never_ran_take_no_room_in_a_message) {
  ClientCounters none;
  none.fields.resize(1000);
  EXPECT_LT(none.to_bytes().size(), 100u * none.fields.size());
  none.fields[7].put.record(123'456);
  EXPECT_EQ(ClientCounters::from_bytes(none.to_bytes()).fields[7].put.histogram[Buckets::of(123'456)], 1u);
}

TEST(Timers, record_what_passed) {
  ServerCounters counters;
  Trace trace(true, "server 0", 0);
  {
    const PhaseTimer phase(counters, Phase::encode, &trace);
    const ScopedTimer timer(counters.lag);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(counters.phase(Phase::encode).count.get(), 1u);
  EXPECT_GE(counters.phase(Phase::encode).seconds(), 0.002);
  EXPECT_GE(counters.lag.seconds(), 0.002);
  EXPECT_EQ(counters.phase(Phase::write).count.get(), 0u);
}

TEST(Series, keeps_everything_while_there_is_room) {
  Series series(4);
  for (int k = 0; k < 4; ++k) series.add(k, 10.0 * k);
  ASSERT_EQ(series.points().size(), 4u);
  EXPECT_EQ(series.points()[3].at, 3.0);
  EXPECT_EQ(series.points()[3].value, 30.0);
}

TEST(Series, stays_bounded_and_keeps_the_peaks_in_their_place) {
  for (const std::size_t most : {2u, 5u, 64u}) {
    Series series(most);
    constexpr int peak = 7777;
    for (int k = 0; k < 10000; ++k) {
      series.add(k, k == peak ? 100.0 : 1.0);
      ASSERT_LE(series.points().size(), most);
    }
    double largest = 0.0, at = -1.0, last = -1.0;
    for (const Series::Point& point : series.points()) {
      EXPECT_GT(point.at, last);
      last = point.at;
      if (point.value > largest) largest = point.value, at = point.at;
    }
    EXPECT_EQ(largest, 100.0);
    EXPECT_EQ(at, peak);
    EXPECT_GE(series.points().size(), most / 2);
  }
}

ClientCounters some_client() {
  ClientCounters client;
  client.component = "bubble";
  client.rank = 3;
  client.host = "node7";
  client.fields.resize(2);
  client.fields[0].name = "w";
  client.fields[0].put.record(1234);
  client.fields[0].stall.record(999);
  client.fields[0].bytes.add(4096);
  client.fields[1].name = "scalar.vwp";
  client.fields[1].unwanted.add(17);
  client.fields[1].get.record(4321);
  client.fields[1].wait.record(888);
  client.fields[1].got_bytes.add(8192);
  client.step.record(55);
  client.ready_nanoseconds.set(1);
  client.finish_nanoseconds.set(2);
  client.run_nanoseconds.set(3);
  client.buffer_capacity_bytes.set(4);
  client.buffer_high_water_bytes.set(5);
  client.spilled_packets.set(6);
  client.spilled_bytes.set(7);
  client.resident_high_water_bytes.set(8);
  client.model_seconds = 86400.5;
  return client;
}

TEST(ClientCounters, survive_the_journey) {
  const ClientCounters sent = some_client();
  const std::vector<std::byte> bytes = sent.to_bytes();
  const ClientCounters got = ClientCounters::from_bytes(bytes);
  EXPECT_EQ(got.to_bytes(), bytes);
  EXPECT_EQ(got.component, "bubble");
  EXPECT_EQ(got.rank, 3);
  EXPECT_EQ(got.host, "node7");
  ASSERT_EQ(got.fields.size(), 2u);
  EXPECT_EQ(got.fields[0].put.nanoseconds.get(), 1234u);
  EXPECT_EQ(got.fields[0].stall.most_nanoseconds.get(), 999u);
  EXPECT_EQ(got.fields[1].unwanted.get(), 17u);
  EXPECT_EQ(got.fields[1].get.nanoseconds.get(), 4321u);
  EXPECT_EQ(got.fields[1].wait.most_nanoseconds.get(), 888u);
  EXPECT_EQ(got.fields[1].got_bytes.get(), 8192u);
  EXPECT_EQ(got.resident_high_water_bytes.get(), 8u);
  EXPECT_EQ(got.model_seconds, 86400.5);
}

TEST(ClientCounters, a_cut_message_is_noticed) {
  std::vector<std::byte> bytes = some_client().to_bytes();
  bytes.pop_back();
  EXPECT_THROW(ClientCounters::from_bytes(bytes), Error);
  EXPECT_THROW(ClientCounters::from_bytes({}), Error);
}

TEST(ServerCounters, survive_the_journey) {
  ServerCounters sent;
  sent.rank = 1;
  sent.host = "node8";
  sent.threads = 4;
  sent.phase(Phase::write).record(77);
  sent.bytes_in.add(100);
  sent.burst_buffer.seconds.record(78);
  sent.burst_buffer.bytes.add(101);
  sent.burst_buffer.high_water_bytes.set(102);
  sent.burst_buffer.overflowed.add(103);
  sent.committed(1.5, 0.25);
  sent.committed(2.5, 0.125);
  DatasetCounters& file = sent.add_file("profiles.nc");
  file.last_model_time = 600.0;
  file.write.record(9);
  const std::vector<std::byte> bytes = sent.to_bytes();
  const ServerCounters got = ServerCounters::from_bytes(bytes);
  EXPECT_EQ(got.to_bytes(), bytes);
  EXPECT_EQ(got.phase(Phase::write).nanoseconds.get(), 77u);
  EXPECT_EQ(got.burst_buffer.seconds.nanoseconds.get(), 78u);
  EXPECT_EQ(got.burst_buffer.bytes.get(), 101u);
  EXPECT_EQ(got.burst_buffer.high_water_bytes.get(), 102u);
  EXPECT_EQ(got.burst_buffer.overflowed.get(), 103u);
  EXPECT_EQ(got.commits.get(), 2u);
  EXPECT_EQ(got.lag.most_nanoseconds.get(), 250'000'000u);
  EXPECT_EQ(got.last_lag_nanoseconds.get(), 125'000'000u);
  ASSERT_EQ(got.lag_series.points().size(), 2u);
  EXPECT_EQ(got.lag_series.points()[1].at, 2.5);
  ASSERT_EQ(got.files.size(), 1u);
  EXPECT_EQ(got.files[0].path, "profiles.nc");
  EXPECT_EQ(got.files[0].last_model_time, 600.0);
}

}  // namespace
}  // namespace tailrace::telemetry
