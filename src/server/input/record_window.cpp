#include "server/input/record_window.hpp"

#include <algorithm>

#include "env/clock.hpp"

namespace tailrace::server {

RecordWindow::RecordWindow(std::vector<Field> fields, const calendar::Calendar& calendar) {
  for (const Field& field : fields) {
    const input::PreparedField& prepared = *field.prepared;
    State state{field, {prepared.timeline, prepared.request.time, calendar}};
    state.may_grow = prepared.may_grow;
    fields_.emplace(prepared.field, std::move(state));
  }
}

std::int64_t RecordWindow::key_of(const State& state, std::int64_t place) const {
  return state.field.prepared->stays ? state.selector.record_at(place) : place;
}

void RecordWindow::move(double from, double to, std::size_t held, std::size_t most_bytes,
                        WantedMessage& wanted) {
  for (auto& [number, state] : fields_) {
    const input::Places last = state.selector.places(from, from), first = state.selector.places(to, to);
    if (last.lowest > state.lowest) forget_below(state, last.lowest, wanted);
    // None of those between, which a long step passes over.
    for (const input::Places& needed : {last, first})
      for (std::int64_t place = needed.lowest; place <= needed.highest; ++place) need(state, place, wanted);
    state.highest = first.highest;
    state.end = end_of_lead(state, to);
    if (state.may_grow) look_behind(state, to, wanted);
  }
  has_deferred_ = false;
  bool more = true;
  while (more && !has_deferred_) {  // a record of each field in turn
    more = false;
    for (auto& [number, state] : fields_) more = look_ahead(state, held, most_bytes, wanted) || more;
  }
}

// Asks for records behind the last one when the lead has come to it.
void RecordWindow::look_behind(State& state, double time, WantedMessage& wanted) {
  const std::int64_t known = std::ssize(state.selector.timeline().records());
  const bool is_needed = state.selector.may_need_further(time);
  if (!is_needed && state.end < known - 1) return;
  if (state.asked_further && (state.needs_further || !is_needed)) return;
  state.asked_further = true;
  state.needs_further = is_needed;
  wanted.further.push_back({state.field.prepared->field, is_needed ? 1 : 0, known});
}

void RecordWindow::lengthen(int field, std::span<const input::Record> further) {
  State& state = fields_.at(field);
  state.selector.lengthen(further);
  state.asked_further = state.needs_further = false;
}

std::int64_t RecordWindow::end_growth(int field) {
  State& state = fields_.at(field);
  state.may_grow = state.asked_further = state.needs_further = false;
  return std::ssize(state.selector.timeline().records());
}

bool RecordWindow::awaits_needed() const {
  return needed_ > 0 ||
         std::ranges::any_of(fields_, [](const auto& one) { return one.second.needs_further; });
}

// The last place that may be requested ahead.
std::int64_t RecordWindow::end_of_lead(const State& state, double time) const {
  if (state.field.lead_seconds)
    return std::max(state.highest, state.selector.places(time, time + *state.field.lead_seconds).highest);
  const input::PreparedField& prepared = *state.field.prepared;
  const std::int64_t end = state.highest + state.field.lead_records;
  if (prepared.request.time.cycle.kind != input::CycleKind::none) return end;
  return std::min(end, static_cast<std::int64_t>(state.selector.timeline().records().size()) - 1);
}

void RecordWindow::forget_below(State& state, std::int64_t lowest, WantedMessage& wanted) {
  state.lowest = lowest;
  if (state.field.prepared->stays) return;
  for (auto it = state.requests.begin(); it != state.requests.end() && it->first < lowest;) {
    if (!it->second.has_arrived) {
      bytes_requested_ -= state.field.bytes;
      if (it->second.needed_since) --needed_;
    }
    it = state.requests.erase(it);
  }
  wanted.lowest.push_back({state.field.prepared->field, lowest});
}

void RecordWindow::request(State& state, std::int64_t place, WantedRecord::Why why, WantedMessage& wanted) {
  wanted.records.push_back(
      {state.field.prepared->field, why, state.selector.record_at(place), key_of(state, place)});
}

void RecordWindow::need(State& state, std::int64_t place, WantedMessage& wanted) {
  const auto [found, is_new] = state.requests.try_emplace(key_of(state, place));
  Request& of = found->second;
  if (of.has_arrived || of.needed_since) return;
  of.needed_since = env::steady_seconds();
  ++needed_;
  request(state, place, is_new ? WantedRecord::Why::needed : WantedRecord::Why::hurry, wanted);
  if (is_new) bytes_requested_ += state.field.bytes;
}

// Requests the next record ahead of the clients, if there is room. True if it did.
bool RecordWindow::look_ahead(State& state, std::size_t held, std::size_t most_bytes, WantedMessage& wanted) {
  std::int64_t place = state.highest + 1;
  while (place <= state.end && state.requests.contains(key_of(state, place))) ++place;
  if (place > state.end) return false;
  const std::size_t all = held + bytes_requested_;
  if (all > 0 && all + state.field.bytes > most_bytes) {
    has_deferred_ = true;
    return false;
  }
  state.requests.try_emplace(key_of(state, place));
  bytes_requested_ += state.field.bytes;
  request(state, place, WantedRecord::Why::ahead, wanted);
  return true;
}

std::optional<double> RecordWindow::arrive(int field, std::int64_t place) {
  State& state = fields_.at(field);
  const auto found = state.requests.find(place);
  if (found == state.requests.end() || found->second.has_arrived) return std::nullopt;
  found->second.has_arrived = true;
  bytes_requested_ -= state.field.bytes;
  if (!found->second.needed_since) return 0.0;
  --needed_;
  return env::steady_seconds() - *found->second.needed_since;
}

std::int64_t RecordWindow::ahead(int field, std::int64_t place) const {
  const State& state = fields_.at(field);
  if (!state.field.prepared->stays) return std::max<std::int64_t>(0, place - state.highest);
  const auto found = state.requests.find(place);
  return found != state.requests.end() && found->second.needed_since ? 0 : 1;
}

}  // namespace tailrace::server
