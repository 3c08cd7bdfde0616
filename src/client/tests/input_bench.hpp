// Input fields whose server is the test itself: it sends the records of made-up files through a loopback
// channel, as far ahead as the channel has room.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "client/input_fields.hpp"
#include "input/time_rule.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::client::testing {

inline const double missing = std::numeric_limits<double>::quiet_NaN();

// Two blocks of "les" (y: 5, x: 7), the whole of "column" (z: 4), and no cell of "empty".
inline Declarer declared_inputs(const std::vector<std::pair<std::string, model::DataType>>& fields,
                                const std::string& on = "les") {
  Declarer declarer("bubble", 1, 2);
  GridArguments les;
  les.name = "les";
  les.dims = {"y", "x"};
  les.shape = {5, 7};
  les.offset = {0, 1};
  les.count = {4, 3};
  declarer.grid(les);
  declarer.add_block("les", {3, 5}, {2, 1});
  GridArguments column;
  column.name = "column";
  column.dims = {"z"};
  column.shape = {4};
  declarer.grid(column);
  GridArguments empty = les;
  empty.name = "empty";
  empty.offset = {0, 0};
  empty.count = {0, 0};
  declarer.grid(empty);
  for (const auto& [name, type] : fields) {
    model::Field field;
    field.name = name;
    field.type = type;
    declarer.field(on, field);
  }
  declarer.settle_coordinates();
  return declarer;
}

// The cells of "les" on this rank, as numbers in the whole grid.
inline std::vector<std::int64_t> cells_of_les() {
  return {1, 2, 3, 8, 9, 10, 15, 16, 17, 22, 23, 24, 26, 33};
}

inline input::PreparedField prepared(int field, std::vector<double> times, std::vector<double> bounds = {}) {
  std::vector<input::Record> records;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool bounded = !bounds.empty();
    records.push_back({0, static_cast<std::int64_t>(i) + 100, times[i], bounded ? bounds[2 * i] : times[i],
                       bounded ? bounds[2 * i + 1] : times[i]});
  }
  input::PreparedField one{
      .entry = "forcing",
      .request = {},
      .timeline = input::Timeline(calendar::Calendar(), std::move(records), !bounds.empty(), false, 0),
      .files = {"forcing.nc"},
      .vertical = {}};
  one.field = field;
  one.request.name = "made up";
  one.request.variable = "var";
  one.request.location = {"run.yml", 7, 5};
  return one;
}

class InputBench {
 public:
  // The values of a record on this rank, as many as its payload has.
  using Values = std::function<std::vector<double>(int field, std::int64_t record)>;

  InputBench(Declarer declared, std::vector<input::PreparedField> fields, Values values_of,
             std::size_t buffer = 1 << 20)
      : declarer(std::move(declared)), prepared_(fields), values_(std::move(values_of)) {
    auto ends = transport::loopback::make(
        {{.bytes = buffer, .at_most = false, .when_full = transport::WhenFull::fail}, {}}, *doorbell);
    producer = std::move(ends.producer);
    counters.fields.resize(declarer.declarations().fields.size());
    for (const auto& one : prepared_) {
      selectors_.emplace_back(one.timeline, one.request.time, calendar::Calendar());
      sent_.emplace_back();
    }
    inputs = std::make_unique<InputFields>(
        InputParts{std::move(fields), calendar::Calendar(), std::move(ends.consumer),
                   [this] {
                     if (++looks > 10'000) throw Error(ErrorCode::internal, "the record never comes");
                     if (meanwhile) meanwhile();
                     pump();
                   },
                   [this](int) { return present; }},
        declarer, counters);
  }

  void step(double time) {
    now_.time = time;
    ++now_.step;
    if (sends_at_step) pump();
    inputs->step(now_);
  }

  template <class T>
  std::vector<T> get(int field, std::size_t cells) {
    std::vector<T> values(cells);
    const auto extent = static_cast<std::int64_t>(cells);
    inputs->get(field, now_,
                {values.data(), model::data_type_of<T>(), std::span<const std::int64_t>(&extent, 1), {}});
    return values;
  }

  // Sends what the channel has room for, of all fields in turn, and in the order of the places.
  void pump() {
    for (std::int64_t ahead = 0; ahead <= lead; ++ahead)
      for (std::size_t n = 0; n < prepared_.size(); ++n) {
        if (prepared_[n].stays) {
          for (std::int64_t r = 0; r < std::ssize(prepared_[n].timeline.records()); ++r)
            if (!send(n, r)) return;
          continue;
        }
        const input::Places places = selectors_[n].places(now_.time, now_.time);
        const bool is_cycle = prepared_[n].request.time.cycle.kind != input::CycleKind::none;
        for (std::int64_t place = places.lowest; place <= places.highest + ahead; ++place)
          if (is_cycle || (place >= 0 && place < std::ssize(prepared_[n].timeline.records())))
            if (!send(n, place)) return;
      }
  }

  bool send(std::size_t n, std::int64_t place) {
    if (sent_[n].contains(place) || withheld.contains({n, place})) return true;
    const input::PreparedField& field = prepared_[n];
    const std::vector<double> values =
        values_(field.field, field.stays ? place : selectors_[n].record_at(place));
    std::size_t bytes = sizeof(input::RecordHead);
    const std::size_t levels = field.vertical && field.vertical->come_with_records ? values.size() / 2 : 0;
    bytes += (values.size() - levels) * model::size_of(field.travels_as) + levels * sizeof(double);
    std::span<std::byte> slot;
    try {
      slot = producer->reserve(bytes);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::full);
      return false;
    }
    input::RecordHead head;
    for (const double value : values) head.missing += std::isnan(value);
    std::memcpy(slot.data(), &head, sizeof head);
    std::byte* to = slot.data() + sizeof head;
    model::dispatch(field.travels_as, [&]<class T>(T) {
      for (std::size_t i = 0; i < values.size() - levels; ++i, to += sizeof(T)) {
        const T value = static_cast<T>(values[i]);
        std::memcpy(to, &value, sizeof(T));
      }
    });
    if (levels > 0) std::memcpy(to, values.data() + levels, levels * sizeof(double));
    producer->publish({model::PacketKind::input_record, field.field, place, 0.0});
    sent_[n].insert(place);
    ++sends;
    return true;
  }

  void send_fault(int field, std::int64_t place, const std::string& message) {
    base::ByteWriter writer;
    base::put_fault(writer, base::Fault{ErrorCode::resource, message});
    publish(model::PacketKind::input_fault, field, place, writer.bytes());
  }
  void publish(model::PacketKind kind, int field, std::int64_t place, std::span<const std::byte> payload) {
    const std::span<std::byte> slot = producer->reserve(payload.size());
    std::memcpy(slot.data(), payload.data(), payload.size());
    producer->publish({kind, field, place, 0.0});
  }

  Declarer declarer;
  std::unique_ptr<transport::Doorbell> doorbell = transport::make_heap_doorbell();
  std::unique_ptr<transport::Producer> producer;
  telemetry::ClientCounters counters;
  std::unique_ptr<InputFields> inputs;
  PresentField present;
  std::function<void()> meanwhile;
  std::set<std::pair<std::size_t, std::int64_t>> withheld;  // by number in the list, and place
  std::int64_t lead = 2;                                    // records ahead
  bool sends_at_step = true;
  int looks = 0, sends = 0;

 private:
  std::vector<input::PreparedField> prepared_;
  Values values_;
  std::vector<input::TimeSelector> selectors_;
  std::vector<std::set<std::int64_t>> sent_;
  model::Tick now_;
};

template <class Call>
std::string input_error(Call call, ErrorCode code) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

}  // namespace tailrace::client::testing
