#include "server/input/record_owner.hpp"

#include <algorithm>
#include <cstring>

#include "base/log.hpp"

namespace tailrace::server {

using pipeline::ControlMessage;

RecordOwner::RecordOwner(Parts parts, std::map<int, OwnedField> fields, std::set<int> servers)
    : parts_(parts), fields_(std::move(fields)), servers_(std::move(servers)), tasks_(parts.executor) {
  for (const auto& [number, field] : fields_) {
    threads_.insert(field.thread);
    lengths_[number] = std::ssize(field.field->timeline.records());
  }
}

RecordOwner::~RecordOwner() { tasks_.wait(); }

void RecordOwner::take(int server, const WantedMessage& wanted) {
  if (!servers_.contains(server)) return;
  for (const LowestPlace& one : wanted.lowest) lowest_[{one.field, server}] = one.place;
  for (const LowestPlace& one : wanted.lowest) {
    for (auto& [key, held] : records_)
      if (key.first == one.field && key.second < one.place) held.waiting.erase(server);
  }
  for (const WantedRecord& one : wanted.records) {
    TAILRACE_ASSERT(fields_.contains(one.field), "an input field of an entry of this server");
    if (one.why == WantedRecord::Why::hurry)
      hurry({one.field, one.place});
    else
      request(server, one);
  }
  for (const WantedFurther& one : wanted.further) ask_for_further(one);
  if (!wanted.lowest.empty()) drop_had();
}

// Unless those that the server lacks are on their way to it.
void RecordOwner::ask_for_further(const WantedFurther& wanted) {
  if (wanted.known == lengths_.at(wanted.field)) fields_.at(wanted.field).thread->grow(wanted.is_needed != 0);
}

void RecordOwner::tell_growth(EntryThread& thread, const EntryThread::Growth& growth) {
  const auto tell = [&](const FurtherMessage& message) {
    for (const int server : servers_)
      parts_.control.messenger().send(server, parts_.control.kind(ControlMessage::input_further),
                                      to_bytes(message));
  };
  for (const auto& [field, further] : growth.fields) {
    lengths_.at(field) += std::ssize(further.records);
    tell({field, further, std::nullopt});
  }
  if (!growth.end) return;
  for (const auto& [number, field] : fields_)
    if (field.thread == &thread && field.field->may_grow) tell({number, {}, growth.end});
}

void RecordOwner::request(int server, const WantedRecord& wanted) {
  const Key key{wanted.field, wanted.place};
  const auto [found, is_new] = records_.try_emplace(key);
  Held& held = found->second;
  held.record = wanted.record;
  held.waiting.insert(server);
  if (is_new) waiting_.push_back(key);
  if (wanted.why == WantedRecord::Why::needed) hurry(key);
  answer(key, held);
  drop_if_had(key);
}

void RecordOwner::hurry(const Key& key) {
  const auto found = records_.find(key);
  if (found == records_.end() || !found->second.is_ahead) return;
  Held& held = found->second;
  held.is_ahead = false;
  if (held.state == Held::State::waits_for_room)
    read(key, held);
  else if (held.state == Held::State::reading)
    fields_.at(key.first).thread->hurry(key.first, key.second);
}

void RecordOwner::read(const Key& key, Held& held) {
  std::erase(waiting_, key);
  held.state = Held::State::reading;
  const OwnedField& of = fields_.at(key.first);
  bytes_ += parts_.cut.record_bytes(*of.field);
  of.thread->read({key.first, held.record, key.second, held.is_ahead});
}

void RecordOwner::read_what_fits() {
  while (!waiting_.empty()) {
    const Key key = waiting_.front();
    const std::size_t bytes = parts_.cut.record_bytes(*fields_.at(key.first).field);
    if (bytes_ > 0 && bytes_ + bytes > parts_.most_bytes) return;
    read(key, records_.at(key));
  }
}

bool RecordOwner::progress() {
  bool moved = false;
  for (EntryThread* thread : threads_) {
    moved = thread->work() || moved;
    if (const auto growth = thread->take_growth()) {
      tell_growth(*thread, *growth);
      moved = true;
    }
    for (const RecordReadEnd& end : thread->take_ends()) {
      end_read(end);
      moved = true;
    }
  }
  read_what_fits();
  return send_answers() || moved;
}

void RecordOwner::end_read(const RecordReadEnd& end) {
  const OwnedField& of = fields_.at(end.read.field);
  of.counters->reads.record_seconds(end.seconds);
  if (end.values) of.counters->bytes_read.add(end.values->bytes_read);
  const Key key{end.read.field, end.read.place};
  const auto found = records_.find(key);
  if (found == records_.end() || found->second.state != Held::State::reading) return;
  Held& held = found->second;
  held.values = end.values;
  held.fault = end.fault;
  held.state = held.values ? Held::State::there : Held::State::failed;
  if (!held.values) {
    bytes_ -= parts_.cut.record_bytes(*of.field);
    if (of.counters->failures.get() == 0) base::log_warning(held.fault.message);
    of.counters->failures.add();
  }
  answer(key, held);
  drop_if_had(key);
}

void RecordOwner::answer(const Key& key, Held& held) {
  if (held.state != Held::State::there && held.state != Held::State::failed) return;
  for (const int server : held.waiting) {
    if (held.values)
      cut_for(server, key, held);
    else
      parts_.control.messenger().send(server, parts_.control.kind(ControlMessage::input_record),
                                      fault_message(key.first, key.second, held.fault));
    held.answered.insert(server);
  }
  held.waiting.clear();
}

void RecordOwner::cut_for(int server, const Key& key, const Held& held) {
  const input::PreparedField* field = fields_.at(key.first).field;
  auto work = [this, server, field, key, values = held.values,
               slabs = parts_.control.messenger().slabs()]() mutable {
    constexpr std::size_t head_bytes = sizeof(RecordMessageHead);
    const std::size_t bytes = parts_.cut.bytes(*field, server);
    Answer answer{server, slabs.take(head_bytes + bytes + messaging::Messenger::tail_bytes)};
    const RecordMessageHead head{key.first, 0, key.second};
    std::memcpy(answer.message.data(), &head, head_bytes);
    parts_.cut.cut(*field, *values, server, answer.message.bytes().subspan(head_bytes, bytes));
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
  };
  tasks_.submit(std::move(work));
}

bool RecordOwner::send_answers() {
  std::vector<Answer> answers;
  {
    const std::lock_guard lock(mutex_);
    answers.swap(answers_);
  }
  for (Answer& answer : answers) {
    if (!servers_.contains(answer.server)) continue;
    parts_.control.messenger().send_slab(answer.server, parts_.control.kind(ControlMessage::input_record),
                                         std::move(answer.message));
  }
  return !answers.empty();
}

void RecordOwner::leave(int server) {
  if (servers_.erase(server) == 0) return;
  for (auto& [key, held] : records_) held.waiting.erase(server);
  drop_had();
}

bool RecordOwner::had_by_all(const Key& key, const Held& held) const {
  return held.waiting.empty() && std::ranges::all_of(servers_, [&](int server) {
           const auto lowest = lowest_.find({key.first, server});
           return held.answered.contains(server) || (lowest != lowest_.end() && lowest->second > key.second);
         });
}

void RecordOwner::drop_if_had(const Key& key) {
  const auto found = records_.find(key);
  if (found == records_.end() || !had_by_all(key, found->second)) return;
  const Held::State state = found->second.state;
  if (state == Held::State::waits_for_room) std::erase(waiting_, key);
  const OwnedField& of = fields_.at(key.first);
  if (state == Held::State::reading) of.thread->drop(key.first, key.second);
  if (state == Held::State::reading || state == Held::State::there)
    bytes_ -= parts_.cut.record_bytes(*of.field);
  records_.erase(found);
}

void RecordOwner::drop_had() {
  std::vector<Key> keys;
  for (const auto& [key, held] : records_) keys.push_back(key);
  for (const Key& key : keys) drop_if_had(key);
}

}  // namespace tailrace::server
