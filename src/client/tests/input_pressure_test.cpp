// Records that come through a small channel, come late, or not at all.
#include <gmock/gmock.h>

#include "client/input/record_store.hpp"
#include "client/tests/input_bench.hpp"

namespace tailrace::client::testing {
namespace {

using input::OnTrouble;
using input::TimeRule;
using model::DataType;
using model::PacketKind;
using ::testing::HasSubstr;

constexpr std::size_t cells = 14;

std::vector<double> numbered(int field, std::int64_t record) {
  std::vector<double> values(cells);
  for (std::size_t i = 0; i < cells; ++i)
    values[i] = 1000.0 * field + 10.0 * static_cast<double>(record) + static_cast<double>(i) / 16;
  return values;
}

std::vector<double> every(double seconds, int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(seconds * i);
  return times;
}

InputBench bench_of(std::vector<input::PreparedField> fields, std::size_t buffer = 1 << 20) {
  std::vector<std::pair<std::string, DataType>> declared;
  for (std::size_t f = 0; f < fields.size(); ++f)
    declared.emplace_back("f" + std::to_string(f), DataType::float64);
  return InputBench(declared_inputs(declared), std::move(fields), numbered, buffer);
}

// A packet takes 64 + 64 + 112 bytes, rounded up to 256. There are records of a month, of six hours and of an
// hour, and one that does not change: in the order in which they come, those of the month are the oldest for
// long.
TEST(InputPressure, records_of_different_periods_never_stop_each_other) {
  for (const std::size_t packets : {4u, 7u, 12u, 40u}) {
    auto fixed = prepared(3, {0});
    fixed.request.time.rule = TimeRule::none;
    fixed.stays = true;
    InputBench bench =
        bench_of({prepared(0, every(720, 3)), prepared(1, every(6, 300)), prepared(2, every(1, 1600)), fixed},
                 packets * 256);
    for (double time = 0; time < 1400; time += 0.75) {
      bench.step(time);
      for (const int field : {0, 1, 2}) {
        const double record = time / (field == 0 ? 720 : field == 1 ? 6 : 1);
        ASSERT_NEAR(bench.get<double>(field, cells)[5], 1000 * field + 10 * record + 5.0 / 16, 1e-9)
            << "field " << field << " at " << time << " with room for " << packets;
      }
      ASSERT_EQ(bench.get<double>(3, cells)[5], 3000 + 5.0 / 16);
      bench.looks = 0;
    }
    // Three are of the month or do not change. Those of an hour stay in the channel if it has room for them.
    EXPECT_LE(bench.inputs->copied_bytes(), (packets < 12 ? 7u : 5u) * 176) << packets;
    EXPECT_EQ(bench.sends, 3 + 237 + 1403 + 1) << "each record once";
  }
}

TEST(InputPressure, a_channel_full_of_records_ahead_makes_room_for_one_that_is_waited_for) {
  InputBench bench = bench_of({prepared(0, every(1, 100)), prepared(1, every(1, 100))}, 8 * 256);
  bench.sends_at_step = false;
  std::int64_t ahead = 0;
  while (bench.send(0, ahead)) ++ahead;
  ASSERT_GE(ahead, 7);
  bench.step(0);
  bench.meanwhile = [&] { bench.send(1, 0); };
  EXPECT_EQ(bench.get<double>(1, cells)[0], 1000);
  EXPECT_LE(bench.inputs->copied_bytes(), 3 * 176u);
}

TEST(InputPressure, records_stay_in_the_channel_if_it_has_room) {
  InputBench bench = bench_of({prepared(0, every(1, 100)), prepared(1, every(1, 100))}, 64 * 256);
  for (double time = 0; time < 97; time += 0.3) {
    bench.step(time);
    bench.get<double>(0, cells);
    EXPECT_EQ(bench.inputs->copied_bytes(), 0u) << time;
  }
}

TEST(InputPressure, a_late_record_is_waited_for_and_counted) {
  InputBench bench = bench_of({prepared(0, every(10, 5)), prepared(1, every(10, 5))});
  bench.withheld = {{0, 2}};
  int looks = 0;
  bench.meanwhile = [&] {
    if (++looks == 3) bench.withheld.clear();
  };
  bench.step(5);
  bench.get<double>(0, cells);
  EXPECT_EQ(bench.counters.fields[0].wait.count.get(), 0u);
  bench.step(15);
  EXPECT_NEAR(bench.get<double>(0, cells)[0], 15, 1e-12);
  bench.get<double>(1, cells);
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(bench.counters.fields[0].wait.count.get(), 1u);
  EXPECT_EQ(bench.counters.fields[0].get.count.get(), 2u);
  EXPECT_GE(bench.counters.fields[0].get.nanoseconds.get(), bench.counters.fields[0].wait.nanoseconds.get());
  EXPECT_EQ(bench.counters.fields[0].got_bytes.get(), 2 * cells * sizeof(double));
  EXPECT_EQ(bench.counters.fields[1].wait.count.get(), 0u) << "it does not hold another field";
}

TEST(InputPressure, a_server_that_is_gone_ends_the_wait) {
  InputBench bench = bench_of({prepared(0, every(10, 5))});
  bench.withheld = {{0, 2}, {0, 4}};
  bench.step(15);
  bench.meanwhile = [&] { bench.withheld = {{0, 4}}; };
  EXPECT_NEAR(bench.get<double>(0, cells)[0], 15, 1e-12);
  bench.meanwhile = [&] { throw Error(ErrorCode::lost, "server 1 is lost"); };
  bench.step(35);
  EXPECT_EQ(input_error([&] { bench.get<double>(0, cells); }, ErrorCode::lost), "server 1 is lost");
  bench.meanwhile = nullptr;
  bench.producer.reset();
  EXPECT_EQ(
      input_error([&] { bench.get<double>(0, cells); }, ErrorCode::lost),
      "input \"made up\" (run.yml:7:5), variable var: its server has ended without a record that is needed");
}

TEST(InputPressure, a_record_that_cannot_be_had_is_told_by_the_get_that_needs_it) {
  InputBench bench = bench_of({prepared(0, every(10, 5))});
  bench.withheld = {{0, 2}};
  bench.send_fault(0, 2, "forcing.nc was truncated");
  bench.step(10);
  EXPECT_EQ(bench.get<double>(0, cells)[0], 10) << "it needs record 1 alone";
  bench.step(15);
  EXPECT_EQ(input_error([&] { bench.get<double>(0, cells); }, ErrorCode::resource),
            "input \"made up\" (run.yml:7:5), variable var: forcing.nc was truncated");
  bench.step(31);
  EXPECT_NEAR(bench.get<double>(0, cells)[0], 31, 1e-12) << "the records behind it are there";
}

TEST(InputPressure, the_last_record_is_held_with_one_warning) {
  auto field = prepared(0, every(10, 5));
  field.on_trouble = OnTrouble::hold;
  InputBench bench = bench_of({field});
  bench.withheld = {{0, 2}, {0, 3}};
  bench.send_fault(0, 2, "forcing.nc was truncated");
  bench.send_fault(0, 3, "forcing.nc was truncated");
  ::testing::internal::CaptureStderr();
  bench.step(5);
  EXPECT_NEAR(bench.get<double>(0, cells)[0], 5, 1e-12);
  for (const double time : {15.0, 25.0}) {
    bench.step(time);
    EXPECT_EQ(bench.get<double>(0, cells)[0], 10) << time;
  }
  bench.step(35);
  EXPECT_NEAR(bench.get<double>(0, cells)[0], 25, 1e-12) << "between record 1, in place of 3, and record 4";
  bench.step(60);
  EXPECT_EQ(bench.get<double>(0, cells)[0], 40) << "behind the end";
  bench.step(70);
  EXPECT_EQ(bench.get<double>(0, cells)[0], 40);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log,
              HasSubstr("input \"made up\" (run.yml:7:5), variable var: forcing.nc was truncated; the last "
                        "record that has come is used (`on_trouble: hold`)"));
  EXPECT_EQ(log.find("on_trouble"), log.rfind("on_trouble"));
}

TEST(InputPressure, a_stream_is_waited_for_until_it_ends) {
  auto field = prepared(0, every(10, 2));
  field.may_grow = true;
  InputBench bench = bench_of({field});
  bench.step(15);
  bench.meanwhile = [&] {
    if (bench.looks != 2) return;
    base::ByteWriter writer;
    input::put_further(writer, {{"second step"}, {{1, 0, 20, 20, 20}}});
    bench.publish(PacketKind::input_timeline, 0, 0, writer.bytes());
    std::vector<std::byte> payload(sizeof(input::RecordHead) + cells * sizeof(double));
    const std::vector<double> values = numbered(0, 2);
    std::memcpy(payload.data() + sizeof(input::RecordHead), values.data(), cells * sizeof(double));
    bench.publish(PacketKind::input_record, 0, 2, payload);
  };
  EXPECT_NEAR(bench.get<double>(0, cells)[0], 15, 1e-12);
  bench.step(25);
  bench.send_fault(0, 3, "the stream \"sst\" has ended after step 2");
  EXPECT_EQ(
      input_error([&] { bench.get<double>(0, cells); }, ErrorCode::resource),
      "input \"made up\" (run.yml:7:5), variable var: a value is needed 25 s after the start of the run, but "
      "the last record ends 20 s after the start of the run: the stream \"sst\" has ended after step 2");
}

TEST(InputPressure, a_time_outside_names_the_field_and_the_times) {
  InputBench bench = bench_of({prepared(0, every(10, 5))});
  bench.step(41);
  EXPECT_EQ(
      input_error([&] { bench.get<double>(0, cells); }, ErrorCode::resource),
      "input \"made up\" (run.yml:7:5), variable var: a value is needed 41 s after the start of the run, but "
      "the last record ends 40 s after the start of the run");
  auto two = prepared(0, {0, 10});
  two.request.time.rule = TimeRule::none;
  EXPECT_EQ(
      input_error(
          [&] {
            InputFields({{two}, calendar::Calendar(), nullptr, {}, {}}, bench.declarer, bench.counters);
          },
          ErrorCode::configuration),
      "input \"made up\" (run.yml:7:5), variable var: there are 2 records, but `time: none` expects one");
}

}  // namespace
}  // namespace tailrace::client::testing
