// Chooses the records of input fields that a server requests for its clients: from the model's time to `lead`
// ahead of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "calendar/calendar.hpp"
#include "input/options.hpp"
#include "input/prepared.hpp"
#include "input/time_rule.hpp"
#include "server/input/input_messages.hpp"

namespace tailrace::server {

// Records that a client needs are requested whatever memory they take; those ahead of the clients only while
// less than a bound is requested or waits for room in their buffers (or none is at all). A field that `stays`
// has the index of a record as its place, and each is requested once.
class RecordWindow {
 public:
  struct Field {
    const input::PreparedField* prepared = nullptr;  // must live longer
    std::optional<double> lead_seconds;              // as in input::Entry
    std::int64_t lead_records = 0;
    std::size_t bytes = 0;  // of a record for the clients of this server
  };
  // REQUIRES: the time rules fit the records.
  RecordWindow(std::vector<Field> fields, const calendar::Calendar& calendar);

  // The last of the clients is at the time `from`, the first at `to`, in seconds since the start of the run.
  // Adds what is to be requested now, and the fields whose lowest place has changed. `held`: bytes of records
  // that have arrived and wait for room.
  void move(double from, double to, std::size_t held, std::size_t most_bytes, WantedMessage& wanted);
  // Records have come behind the last one. REQUIRES: the field may grow.
  void lengthen(int field, std::span<const input::Record> further);
  std::int64_t end_growth(int field);  // none will come; returns the place behind the last one
  // The answer to a request. Returns for how many seconds a client has needed the record: 0 if none does;
  // nothing for one that is not awaited any more.
  std::optional<double> arrive(int field, std::int64_t place);

  std::int64_t lowest(int field) const { return fields_.at(field).lowest; }  // place that a client needs
  // 0: a client needs the record. Otherwise how many places it is ahead of the clients.
  std::int64_t ahead(int field, std::int64_t place) const;
  std::size_t bytes_requested() const { return bytes_requested_; }  // without an answer
  bool awaits_needed() const;  // a client needs a record that has not arrived, or further ones
  bool has_deferred() const { return has_deferred_; }  // a record ahead was not requested for want of memory

 private:
  struct Request {
    std::optional<double> needed_since;  // steady seconds; none: by no client yet
    bool has_arrived = false;
  };
  struct State {
    Field field;
    input::TimeSelector selector;
    std::map<std::int64_t, Request> requests = {};         // by place
    std::int64_t lowest = INT64_MIN, highest = INT64_MIN;  // places that clients need
    std::int64_t end = INT64_MIN;                          // the last one that may be requested ahead
    bool may_grow = false;
    bool asked_further = false, needs_further = false;  // since the last growth
  };
  void forget_below(State& state, std::int64_t lowest, WantedMessage& wanted);
  void look_behind(State& state, double time, WantedMessage& wanted);
  void need(State& state, std::int64_t place, WantedMessage& wanted);
  bool look_ahead(State& state, std::size_t held, std::size_t most_bytes, WantedMessage& wanted);
  std::int64_t end_of_lead(const State& state, double time) const;
  std::int64_t key_of(const State& state, std::int64_t place) const;
  void request(State& state, std::int64_t place, WantedRecord::Why why, WantedMessage& wanted);

  std::map<int, State> fields_;  // by index in the declarations
  std::size_t bytes_requested_ = 0;
  int needed_ = 0;
  bool has_deferred_ = false;
};

}  // namespace tailrace::server
