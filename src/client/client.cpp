#include "client/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "client/readable.hpp"
#include "env/clock.hpp"
#include "env/delays.hpp"
#include "env/threads.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::client {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

// Flags for all fields if none were given.
std::vector<unsigned char> one_each(std::vector<unsigned char> flags, std::size_t fields) {
  flags.resize(fields, 0);
  return flags;
}

}  // namespace

Client::Client(const Declarer& declarer, int rank, ClientParts parts)
    : producer_(std::move(parts.producer)),
      agenda_(std::move(parts.agenda)),
      sources_(std::move(parts.sources)),
      namesakes_(declarer.namesakes()),
      checkpointing_(one_each(std::move(parts.kept), declarer.declarations().fields.size()),
                     std::move(parts.schedule)),
      now_(parts.begin),
      continues_(parts.continues),
      silent_(!producer_),
      opens_files_(parts.opens_files),
      begin_time_(parts.begin.time) {
  const model::Declarations& declarations = declarer.declarations();
  for (std::size_t g = 0; g < declarations.grids.size(); ++g) {
    std::vector<BlockPlace>& places = blocks_.emplace_back();
    std::int64_t begin = 0;
    for (const model::Region& block : declarer.blocks(g)) {
      places.push_back({begin, block.size(), {block.counts().begin(), block.counts().end()}});
      begin += block.size();
    }
  }
  wanted_.assign(declarations.fields.size(), 0);
  must_be_put_.assign(declarations.fields.size(), 0);
  for (std::size_t f = 0; f < declarations.fields.size(); ++f) {
    const model::Field& field = declarations.fields[f];
    const auto g = base::index(field.grid);
    FieldState state;
    state.name = field.name;
    state.grid = declarations.grids[g].name;
    state.grid_number = g;
    state.shape = declarer.local_shapes()[g];
    for (const std::int64_t extent : state.shape) state.count *= extent;
    state.type = field.type;
    const bool replicated = declarations.grids[g].kind == model::GridKind::replicated;
    state.sends = replicated ? rank == 0 : state.count > 0;
    state.once = !silent_ && parts.once[f] != 0;
    some_are_put_once_ = some_are_put_once_ || state.once;
    if (field.is_input) {
      inputs_.resize(declarations.fields.size(), 0);
      inputs_[f] = 1;
    }
    must_be_put_[f] = !silent_ && parts.may_be_missing[f] == 0 && state.count > 0;
    fields_.push_back(std::move(state));
    counters_.fields.push_back({.name = field.name, .unwanted = {}, .bytes = {}, .put = {}, .stall = {}});
  }
  some_need_a_look_ = some_are_put_once_ || !inputs_.empty() || !namesakes_.empty();
  rank_ = rank;
  counters_.component = declarations.component;
  counters_.rank = rank;
  counters_.host = env::host_name();
  if (!producer_) return;
  counters_.buffer_capacity_bytes.set(producer_->capacity());
  agenda_->begin(wanted_);
}

std::size_t Client::checked(int field) const {
  if (field < 0 || static_cast<std::size_t>(field) >= fields_.size())
    refuse(fmt::format("{} is not the handle of a field; there are {} fields", field, fields_.size()));
  return static_cast<std::size_t>(field);
}

std::span<const int> Client::namesakes(int field) const {
  const auto f = base::index(field);
  return f < namesakes_.size() ? std::span<const int>(namesakes_[f]) : std::span<const int>();
}

int Client::wanted_namesake(int field) const {
  for (const int other : namesakes(field))
    if (needs(static_cast<std::size_t>(other))) return other;
  return -1;
}

bool Client::wants_at_end(int field) const {
  unsigned char now = 0, at_end = 0;
  const auto look = [&](std::size_t one) {
    now |= wanted_[one] == 1;
    at_end |= wanted_[one] == 2;
  };
  look(checked(field));
  for (const int other : namesakes(field)) look(static_cast<std::size_t>(other));
  now |= is_needed_for_inputs(static_cast<std::size_t>(field));
  return now == 0 && at_end != 0;
}

void Client::fall_silent(const std::string& why) {
  silent_ = true;
  why_silent_ = why;
  if (acquired_ < 0) kept_for_inputs_.clear();
  collected_.clear();
  std::fill(wanted_.begin(), wanted_.end(), static_cast<unsigned char>(0));
  awaited_ = 0;
}

void Client::throw_fault() {
  if (silent_) return;
  if (const auto fault = producer_->take_fault()) throw Error(fault->code, fault->message);
}

void Client::put_statics(std::span<const StaticValues> statics) {
  for (const StaticValues& values : statics) {
    if (!fields_[checked(values.field)].sends) continue;
    const std::span<std::byte> slot = producer_->reserve(values.bytes.size());
    std::memcpy(slot.data(), values.bytes.data(), values.bytes.size());
    producer_->publish({model::PacketKind::block, values.field, model::static_step, 0.0});
  }
  producer_->flush();
}

void Client::step(std::int64_t step, double time) {
  const telemetry::ScopedTimer timer(counters_.step);
  env::maybe_delay("step");
  throw_fault();
  if (acquired_ >= 0)
    refuse(fmt::format("step was called between acquire and publish of field \"{}\"",
                       fields_[base::index(acquired_)].name));
  if (!stepped_ && continues_ && step <= now_.step)
    refuse(
        fmt::format("step {} is the first after a restart, but the checkpoint is of step {}; ask "
                    "restarting, and go on with the step after it",
                    step, now_.step));
  if (stepped_ && step <= now_.step)
    refuse(fmt::format("step {} follows step {}; step numbers must grow", step, now_.step));
  if (!std::isfinite(time))
    refuse(fmt::format("step {} is at {} s; a model time is a finite number (the model was at {} s before)",
                       step, time, now_.time));
  if (time < now_.time)
    refuse(fmt::format("step {} is at {} s, but the model was at {} s before; time never goes back", step,
                       time, now_.time));
  if (time > model::latest_time)
    refuse(fmt::format("step {} is at {} s; a model time is a number of at most 2^53 seconds", step, time));
  if (opens_files_ && !file_is_open_ && !silent_)
    refuse(
        fmt::format("step {} of a stream whose files the model opens, but none is open; call open_file "
                    "before the step",
                    step));
  check_all_blocks("step");
  check_all_put();
  check_checkpointed();
  now_ = {step, time};
  const bool is_first = !std::exchange(stepped_, true);
  if (silent_) return;
  if (input_source_) input_source_->step(now_);
  checkpointing_.begin_step(now_);
  agenda_->advance(now_, wanted_);
  for (std::size_t f = 0; is_first && f < wanted_.size(); ++f)
    if (fields_[f].put_at != INT64_MIN) wanted_[f] = 0;
  awaited_ = 0;
  for (std::size_t f = 0; f < wanted_.size(); ++f) awaited_ += wanted_[f] == 1 && must_be_put_[f];
  producer_->reserve(0);
  producer_->publish({model::PacketKind::tick, tick_number_, step, time});
  producer_->flush();
  put_copies_of_inputs();
}

void Client::check_all_blocks(const char* call) const {
  if (collected_.empty() || silent_) return;
  const auto& [field, collected] = *collected_.begin();
  const FieldState& state = fields_[base::index(field)];
  refuse(fmt::format(
      "{} was called after {} of {} blocks of field \"{}\" were put at step {}; block {} is missing", call,
      collected.has.size() - collected.missing, collected.has.size(), state.name, now_.step,
      std::ranges::find(collected.has, 0) - collected.has.begin()));
}

void Client::check_all_put() {
  if (awaited_ == 0 || incomplete_) return;
  incomplete_ = true;
  std::size_t f = 0;
  while (wanted_[f] != 1 || !must_be_put_[f] || fields_[f].put_at == now_.step) ++f;
  refuse(fmt::format(
      "field \"{}\" was wanted at step {} but not put; ask wants(\"{}\"), or mark its group in the "
      "configuration `optional: true`",
      fields_[f].name, now_.step, fields_[f].name));
}

// A model that does not support checkpoints would run without any, and nobody would notice.
void Client::check_checkpointed() const {
  if (silent_ || !checkpoint_due()) return;
  refuse(
      fmt::format("a checkpoint was due at step {}, but the model did not call checkpoint; where "
                  "checkpoint_due says so, put what belongs to it and call checkpoint",
                  now_.step));
}

void Client::check_before_files(const char* call) {
  throw_fault();
  if (!opens_files_)
    refuse(
        fmt::format("{}: no file of this session is opened by the model; expected a stream with an entry of "
                    "`output` that has `{{file}}` in its name",
                    call));
  if (acquired_ >= 0)
    refuse(fmt::format("{} was called between acquire and publish of field \"{}\"", call,
                       fields_[base::index(acquired_)].name));
  check_all_blocks(call);
  check_all_put();
}

void Client::send_file(std::int32_t what, std::span<const std::byte> payload) {
  const std::span<std::byte> slot = producer_->reserve(payload.size());
  if (!payload.empty()) std::memcpy(slot.data(), payload.data(), payload.size());
  producer_->publish({model::PacketKind::file, what, now_.step, now_.time});
  producer_->flush();
  file_is_open_ = what == model::file_opened;
}

void Client::open_file(std::span<const std::byte> what) {
  if (silent_) return;
  check_before_files("open_file");
  send_file(model::file_opened, what);
}

void Client::close_file() {
  if (silent_) return;
  check_before_files("close_file");
  if (!file_is_open_) refuse("close_file was called although no file is open; call open_file first");
  send_file(model::file_closed, {});
}

bool Client::written(std::int64_t step) {
  throw_fault();
  if (silent_) return true;
  if (step > now_.step || !stepped_)
    refuse(fmt::format("written was asked about step {}, but {}", step,
                       stepped_ ? fmt::format("the last one is step {}", now_.step)
                                : std::string("the stream has made no step yet")));
  return producer_->written() >= step;
}

void Client::request_checkpoint() {
  throw_fault();
  if (!stepped_) refuse("request_checkpoint was called before the first step");
  if (silent_) return;
  if (!checkpointing_.is_configured())
    refuse("request_checkpoint: the configuration has no section `checkpoint`, which says where it goes");
  checkpointing_.request();
}

bool Client::request_last_checkpoint() {
  if (silent_ || !stepped_ || checkpointing_.made()) return false;
  request_checkpoint();
  return true;
}

std::string Client::awaited_by_checkpoint() const {
  for (std::size_t f = 0; f < fields_.size(); ++f)
    if (checkpointing_.awaits(f) && fields_[f].count > 0) return fields_[f].name;
  return "";
}

void Client::checkpoint() {
  throw_fault();
  if (!stepped_) refuse("checkpoint was called before the first step");
  if (silent_) return;
  if (!checkpointing_.is_configured())
    refuse("checkpoint: the configuration has no section `checkpoint`, which says where it goes");
  if (acquired_ >= 0)
    refuse(fmt::format("checkpoint was called between acquire and publish of field \"{}\"",
                       fields_[base::index(acquired_)].name));
  if (!checkpointing_.due())
    refuse(
        fmt::format("checkpoint was called at step {}, where none is due, so fields that belong to it were "
                    "not wanted; ask checkpoint_due, or call request_checkpoint before",
                    now_.step));
  if (checkpointing_.made()) refuse(fmt::format("checkpoint was called twice at step {}", now_.step));
  check_all_blocks("checkpoint");
  check_all_put();
  if (const std::string field = awaited_by_checkpoint(); !field.empty())
    refuse(
        fmt::format("field \"{}\" belongs to the checkpoint (checkpoint.fields), but was not put at step "
                    "{}; put it before checkpoint",
                    field, now_.step));
  const telemetry::ScopedTimer timer(counters_.checkpoint);
  base::ByteWriter words;  // of the first rank: what checkpoints have cost it so far, and the values
  if (rank_ == 0) {
    words.put(counters_.checkpoint.seconds());
    words.put_bytes(checkpointing_.values());
  }
  const std::vector<std::byte> values = words.take();
  const std::span<std::byte> slot = producer_->reserve(values.size());
  if (!values.empty()) std::memcpy(slot.data(), values.data(), values.size());
  producer_->publish({model::PacketKind::checkpoint, 0, now_.step, now_.time});
  producer_->flush();
  checkpointing_.note_made();
  checkpointed_at_ = now_.step;
}

void Client::refuse_put(const FieldState& state) const {
  if (acquired_ >= 0)
    refuse(fmt::format("put of field \"{}\" between acquire and publish of field \"{}\"", state.name,
                       fields_[base::index(acquired_)].name));
  if (opens_files_ && stepped_ && !file_is_open_)
    refuse(fmt::format("put of field \"{}\" after close_file; call open_file and step first", state.name));
  if (checkpointing_.made())
    refuse(
        fmt::format("put of field \"{}\" after the checkpoint of step {}; call checkpoint behind the last "
                    "put of a step",
                    state.name, now_.step));
}

Client::FieldState* Client::begin_put(int field) {
  const std::size_t f = checked(field);
  if (!needs(f)) {
    if (is_input(f))
      refuse(
          fmt::format("put of field \"{}\", which is an input of the model: its values come from files; "
                      "expected a field that was declared with `field`",
                      fields_[f].name));
    if (was_put_once_now(f))
      refuse(fmt::format("field \"{}\" was put twice {}; it is put once (`every: once`)", fields_[f].name,
                         stepped_ ? fmt::format("at step {}", now_.step) : "before the first step"));
    if (!stepped_)
      refuse(fmt::format("put of field \"{}\" before the first step; call step first", fields_[f].name));
    counters_.fields[f].unwanted.add();
    return nullptr;
  }
  throw_fault();
  FieldState& state = fields_[f];
  refuse_put(state);
  if (state.put_at == now_.step && checkpointing_.has(f))
    return nullptr;  // what was put for the files serves both
  if (state.put_at == now_.step && !checkpointing_.awaits(f))
    refuse(fmt::format("field \"{}\" was put twice at step {}", state.name, now_.step));
  return &state;
}

void Client::check_type(const FieldState& state, model::DataType type) const {
  if (type != state.type)
    refuse(fmt::format("put of field \"{}\": the array is of type {}, but the field was declared as {}",
                       state.name, model::name_of(type), model::name_of(state.type)));
}

void Client::check_fit(const FieldState& state, const Array& array) const {
  check_type(state, array.type);
  const bool flat = array.shape.size() == 1 && array.shape[0] == state.count;
  if (!flat && !std::ranges::equal(array.shape, state.shape)) refuse_shape(state, "put", array, state.shape);
}

// A model usually puts an array from the same address at each step, so only a new address is checked.
void Client::check_memory(FieldState& state, const void* data) const {
  if (data == nullptr)
    refuse(fmt::format(
        "put of field \"{}\": the array is NULL; {} cells of grid \"{}\" are expected on this rank",
        state.name, state.count, state.grid));
  if (data == state.readable) return;
  if (const char* owner = devices_.owner_of(data))
    refuse(fmt::format("put of field \"{}\": {}", state.name, lies_on_gpu(owner)));
  state.readable = data;
}

void Client::finish_put(FieldState& state, int field) {
  const auto f = base::index(field);
  const bool is_kept = checkpointing_.awaits(f);
  const bool is_for_files = wanted_[f] != 0 && state.put_at != now_.step;
  state.put_at = now_.step;
  if (is_kept) checkpointing_.note_put(f);
  awaited_ -= stepped_ && is_for_files && wanted_[f] == 1 && must_be_put_[f];
  if (state.once) wanted_[f] = 0;
  if (!state.sends) return;
  if (is_kept)
    producer_->publish({is_for_files ? model::PacketKind::block_and_kept : model::PacketKind::kept, field,
                        now_.step, now_.time});
  else if (state.once)
    producer_->publish({model::PacketKind::block, field, model::static_step, 0.0});
  else
    producer_->publish({model::PacketKind::block, field, now_.step, now_.time});
  const std::size_t bytes = static_cast<std::size_t>(state.count) * model::size_of(state.type);
  counters_.fields[f].bytes.add(bytes);
}

void Client::put(int field, const Array& array) {
  put_one(field, array);
  for (const int other : namesakes(field)) put_one(other, array);
  if (is_kept_for_inputs(static_cast<std::size_t>(field))) keep_for_inputs(field, array);
}

// The other checks of a put come before it, unless no file needs the field.
void Client::keep_for_inputs(int field, const Array& array) {
  FieldState& state = fields_[base::index(field)];
  check_fit(state, array);
  if (state.count > 0 && (array.data == nullptr || devices_.possible())) check_memory(state, array.data);
  KeptForInputs& kept = kept_for_inputs_.find(field)->second;
  kept.put_at = now_.step;
  kept.values.resize(static_cast<std::size_t>(state.count) * model::size_of(state.type));
  if (state.count > 0) copy_dense(array, kept.values);
}

void Client::put_one(int field, const Array& array) {
  FieldState* state = begin_put(field);
  if (!state) return;
  check_fit(*state, array);
  const telemetry::ScopedTimer timer(counters_.fields[base::index(field)].put);
  env::maybe_delay("put");
  if (!state->sends) return finish_put(*state, field);
  if (array.data == nullptr || devices_.possible()) check_memory(*state, array.data);
  const auto bytes = static_cast<std::size_t>(state->count) * model::size_of(state->type);
  const double stalled = producer_->counters().stall_seconds;
  copy_dense(array, producer_->reserve(bytes));
  const double stall = producer_->counters().stall_seconds - stalled;
  if (stall > 0) counters_.fields[base::index(field)].stall.record_seconds(stall);
  finish_put(*state, field);
}

void Client::refuse_shape(const FieldState& state, const std::string& call, const Array& array,
                          std::span<const std::int64_t> expected) const {
  refuse(
      fmt::format("{} of field \"{}\": the array has the shape ({}), but grid \"{}\" holds ({}) on this rank",
                  call, state.name, list_extents(array.shape, array.fastest_first_in_messages), state.grid,
                  list_extents(expected, array.fastest_first_in_messages)));
}

// Models with several blocks loop over them, and within the loop over fields. So the blocks of several fields
// come between one another, while the ring has one slot at a time.
void Client::put_block(int field, std::size_t block, const Array& array) {
  const FieldState& state = fields_[checked(field)];
  const std::vector<BlockPlace>& places = blocks_[state.grid_number];
  const std::string call = fmt::format("put of block {}", block);
  if (block >= places.size())
    refuse(fmt::format("{} of field \"{}\": grid \"{}\" has {} blocks on this rank (the first is number 0)",
                       call, state.name, state.grid, places.size()));
  if (places.size() == 1) return put(field, array);
  const auto begun = collected_.find(field);
  if (begun == collected_.end() && !wants(field)) return put(field, array);  // counted, or refused
  check_type(state, array.type);
  const BlockPlace& place = places[block];
  const bool flat = array.shape.size() == 1 && array.shape[0] == place.cells;
  if (!flat && !std::ranges::equal(array.shape, place.shape)) refuse_shape(state, call, array, place.shape);
  const std::size_t element = model::size_of(state.type);
  Collected& collected = collected_[field];
  if (collected.has.empty()) {
    collected.has.assign(places.size(), 0);
    collected.missing = places.size();
    collected.values.resize(static_cast<std::size_t>(state.count) * element);
  }
  if (std::exchange(collected.has[block], 1) != 0)
    refuse(fmt::format("block {} of field \"{}\" was put twice at step {}", block, state.name, now_.step));
  if (place.cells > 0 && array.data == nullptr)
    refuse(fmt::format("{} of field \"{}\": the array is NULL; {} cells are expected", call, state.name,
                       place.cells));
  if (place.cells > 0 && devices_.possible())
    if (const char* owner = devices_.owner_of(array.data))
      refuse(fmt::format("{} of field \"{}\": {}", call, state.name, lies_on_gpu(owner)));
  copy_dense(array, std::span(collected.values)
                        .subspan(static_cast<std::size_t>(place.begin) * element,
                                 static_cast<std::size_t>(place.cells) * element));
  if (--collected.missing > 0) return;
  const Collected whole = std::move(collected);
  collected_.erase(field);
  put_dense(field, whole.values.data(), state.type, static_cast<std::size_t>(state.count));
}

void Client::put_dense(int field, const void* data, model::DataType type, std::size_t count) {
  const auto elements = static_cast<std::int64_t>(count);
  put(field, {data, type, std::span<const std::int64_t>(&elements, 1), {}});
}

bool Client::needs_a_look(int field) const noexcept {
  const auto f = base::index(field);
  return is_input(f) || is_kept_for_inputs(f) || wanted_namesake(field) >= 0 || was_put_once_now(f);
}

bool Client::put_unwanted(int field) noexcept {
  const auto f = base::index(field);
  if (f >= wanted_.size() || needs(f) || !stepped_) return false;
  if (some_need_a_look_ && needs_a_look(field)) return false;
  counters_.fields[f].unwanted.add();
  return true;
}

std::span<std::byte> Client::acquire(int field) {
  const int other = wanted_namesake(field);
  const bool is_kept = is_kept_for_inputs(checked(field));
  FieldState* state = begin_put(other >= 0 ? other : field);
  if (!state && is_needed_for_inputs(base::index(field))) state = &fields_[base::index(field)];
  if (!state) return {};
  const std::uint64_t begin = env::steady_nanoseconds();
  const auto bytes = static_cast<std::size_t>(state->count) * model::size_of(state->type);
  if (state->sends && namesakes(field).empty() && !is_kept) {
    slot_ = producer_->reserve(bytes);
  } else {  // the caller writes all the same, but another rank's values are used, or publish() puts it
    unsent_.resize(bytes);
    slot_ = unsent_;
  }
  acquired_ = field;
  acquire_nanoseconds_ = env::steady_nanoseconds() - begin;
  return slot_;
}

void Client::publish(int field) {
  if (acquired_ < 0 && !wants(field)) return;
  if (acquired_ != field)
    refuse(fmt::format("publish of field \"{}\", which was not acquired", fields_[checked(field)].name));
  const std::uint64_t begin = env::steady_nanoseconds();
  acquired_ = -1;
  if (!namesakes(field).empty() || is_kept_for_inputs(base::index(field))) {
    const FieldState& state = fields_[base::index(field)];
    return put_dense(field, unsent_.data(), state.type, static_cast<std::size_t>(state.count));
  }
  finish_put(fields_[base::index(field)], field);
  counters_.fields[base::index(field)].put.record(acquire_nanoseconds_ + env::steady_nanoseconds() - begin);
}

void Client::provide_inputs(std::unique_ptr<FieldSource> source, std::span<const int> needed,
                            std::vector<CopyOfInput> copies) {
  input_source_ = std::move(source);
  for (const int field : needed) kept_for_inputs_.try_emplace(field);
  some_need_a_look_ = some_need_a_look_ || !needed.empty();
  copies_of_inputs_ = std::move(copies);
  put_copies_of_inputs();
}

// Straight into the ring.
void Client::put_copies_of_inputs() {
  for (const auto& [input, field] : copies_of_inputs_) {
    const std::size_t f = base::index(field);
    if (!needs(f)) continue;
    FieldState& state = fields_[f];
    const telemetry::ScopedTimer timer(counters_.fields[f].put);
    if (state.sends) {
      const auto bytes = static_cast<std::size_t>(state.count) * model::size_of(state.type);
      get_input(input, {producer_->reserve(bytes).data(), state.type, std::span(&state.count, 1), {}});
    }
    finish_put(state, field);
  }
}

// A field that is put once is kept for good.
bool Client::is_needed_for_inputs(std::size_t field) const {
  if (!stepped_ || kept_for_inputs_.empty()) return false;
  const auto kept = kept_for_inputs_.find(static_cast<int>(field));
  return kept != kept_for_inputs_.end() && (!fields_[field].once || kept->second.values.empty());
}

std::span<const std::byte> Client::present(int field) const {
  const KeptForInputs& kept = kept_for_inputs_.at(field);
  const bool is_fixed = fields_[base::index(field)].once && kept.put_at != model::static_step;
  if (kept.put_at != now_.step && !is_fixed) return {};
  return kept.values;
}

void Client::get_input(int field, const Target& target) const {
  const std::string& name = fields_[base::index(field)].name;
  if (silent_)
    throw Error(ErrorCode::lost,
                fmt::format("get of input \"{}\": nothing reads its files any more: {}", name, why_silent_));
  if (!input_source_ || !input_source_->has(field))
    refuse(fmt::format("get of input \"{}\", which the configuration does not provide; ask available first",
                       name));
  input_source_->get(field, now_, target);
}

// If no source has the field, the first one throws, with the names that it has.
void Client::get(int field, const Target& target) const {
  if (is_input(checked(field))) return get_input(field, target);
  if (sources_.empty())
    refuse("get was called in a run that does not restart from a checkpoint; call restarting first");
  const auto found = std::ranges::find_if(sources_, [&](const auto& source) { return source->has(field); });
  (found == sources_.end() ? sources_.front() : *found)->get(field, now_, target);
}

void Client::ship_counters() {
  producer_->flush();  // so that its mark of the most under way knows the last puts
  const transport::ProducerCounters& counted = producer_->counters();
  counters_.buffer_high_water_bytes.set(counted.most_bytes_under_way);
  counters_.spilled_packets.set(counted.spilled_packets);
  counters_.spilled_bytes.set(counted.spilled_bytes);
  counters_.resident_high_water_bytes.set(env::resident_high_water_bytes());
  counters_.run_nanoseconds.set(env::steady_nanoseconds() - begin_nanoseconds_);
  counters_.model_seconds = now_.time - begin_time_;
  const std::vector<std::byte> bytes = counters_.to_bytes();
  const std::span<std::byte> slot = producer_->reserve(bytes.size());
  std::memcpy(slot.data(), bytes.data(), bytes.size());
  producer_->publish({model::PacketKind::finish, 0, now_.step, now_.time});
  producer_->flush();
}

void Client::finish() {
  if (acquired_ >= 0)
    refuse(fmt::format("finish was called between acquire and publish of field \"{}\"",
                       fields_[base::index(acquired_)].name));
  check_all_blocks("finish");
  check_all_put();
  check_checkpointed();
  if (!producer_) return;
  if (incomplete_)
    producer_->abandon();
  else
    ship_counters();
}

}  // namespace tailrace::client
