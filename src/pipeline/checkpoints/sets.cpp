#include "pipeline/checkpoints/sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "env/clock.hpp"
#include "env/faults.hpp"

namespace tailrace::pipeline::checkpoints {

struct Sets::Set {
  checkpoint::Manifest manifest;
  SetTimes times;
  Stage stage = Stage::collects;
  int heard = 0;                     // servers, in this stage
  std::uint64_t waiting = 0;         // bytes in burst buffers
  std::optional<base::Fault> fault;  // the first of any member, or of the manifest
};

// The I/O thread writes `fault`, and `done` last.
struct Sets::Work {
  std::shared_ptr<Set> set;
  std::optional<base::Fault> fault;
  std::atomic<bool> done{false};
};

Sets::~Sets() {
  while (work_ && !work_->done.load(std::memory_order_acquire)) std::this_thread::yield();
}

void Sets::open(std::unique_ptr<checkpoint::SetStore> store, int keep) {
  store_ = std::move(store);
  keep_ = keep;
}

void Sets::begin(checkpoint::Manifest manifest, double model_seconds) {
  const auto& set = sets_.emplace_back(std::make_shared<Set>());
  set->times = {.head = manifest.head, .begun_at = env::steady_seconds(), .model_seconds = model_seconds};
  set->manifest = std::move(manifest);
}

void Sets::add_member(checkpoint::Member member) {
  if (sets_.empty() || sets_.back()->stage != Stage::collects) return;  // given up
  Set& set = *sets_.back();
  set.times.bytes += member.bytes;
  if (member.buffered)
    set.times.buffered += member.bytes;
  else if (uses_buffer_)
    ++set.times.overflowed;
  ++set.times.members;
  set.manifest.members.push_back(std::move(member));
  heard_all(set);
}

void Sets::add_fault(const base::Fault& fault) {
  if (sets_.empty() || sets_.back()->stage != Stage::collects) return;
  if (!sets_.back()->fault) sets_.back()->fault = fault;
  heard_all(*sets_.back());
}

void Sets::heard_all(Set& set) {
  if (++set.heard < servers_) return;
  set.heard = 0;
  set.waiting = set.times.buffered;
  if (set.fault) {
    set.stage = Stage::to_abandon;
    if (uses_buffer_) events_.decided(set.times.head.step, false);
  } else {
    set.stage = uses_buffer_ ? Stage::to_note : Stage::to_commit;
  }
}

Sets::Set* Sets::find(std::int64_t step) {
  const auto found =
      std::ranges::find_if(sets_, [&](const auto& set) { return set->times.head.step == step; });
  return found == sets_.end() ? nullptr : found->get();
}

void Sets::drained(const Drain::Outcome& outcome) {
  Set* const set = find(outcome.step);
  if (set == nullptr) return;  // given up
  if (outcome.fault && !set->fault)
    set->fault = {outcome.fault->code,
                  fmt::format("that of step {} stays on the nodes, for the next job to drain: {}",
                              outcome.step, outcome.fault->message)};
  if (++set->heard == servers_) set->stage = set->fault ? Stage::fails : Stage::to_commit;
  if (set->stage != Stage::drains) set->waiting = 0;
}

bool Sets::may_begin() const {
  if (!uses_buffer_) return sets_.empty();
  return std::ranges::none_of(sets_, [](const auto& set) {
    return set->stage == Stage::collects || set->stage == Stage::to_note || set->stage == Stage::to_abandon;
  });
}

std::uint64_t Sets::waiting_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& set : sets_) bytes += set->waiting;
  return bytes;
}

std::size_t Sets::waiting() const {
  return static_cast<std::size_t>(std::ranges::count_if(sets_, [](const auto& set) {
    return set->stage == Stage::drains || (set->stage == Stage::to_commit && set->times.buffered > 0);
  }));
}

void Sets::start(Set& set) {
  const auto shared = *std::ranges::find_if(sets_, [&](const auto& one) { return one.get() == &set; });
  work_ = std::make_shared<Work>();
  work_->set = shared;
  executor_.write([work = work_, stage = set.stage, store = store_, keep = keep_] {
    const checkpoint::Manifest& manifest = work->set->manifest;
    try {
      if (stage == Stage::to_abandon) store->abandon(manifest.head.step);
      if (stage == Stage::to_note) store->note_on_nodes(manifest);
      if (stage == Stage::to_note) env::maybe_fail("noted");
      if (stage == Stage::to_commit) {
        store->commit(manifest);
        store->prune(keep);
      }
    } catch (...) {
      work->fault = base::current_fault();
      store->abandon(manifest.head.step);
    }
    work->done.store(true, std::memory_order_release);
  });
}

// The newest set goes first while it lets no other begin.
void Sets::start() {
  if (work_ || sets_.empty()) return;
  for (const auto& set : sets_)
    if (set->stage == Stage::to_note || set->stage == Stage::to_abandon) return start(*set);
  if (sets_.front()->stage == Stage::to_commit) start(*sets_.front());
}

void Sets::end_work() {
  const auto work = std::exchange(work_, nullptr);
  Set& set = *work->set;
  if (std::ranges::find(sets_, work->set) == sets_.end()) return;  // given up
  const bool is_noted = set.stage == Stage::to_note && !work->fault;
  if (set.stage == Stage::to_note) events_.decided(set.times.head.step, is_noted);
  if (work->fault && !set.fault) set.fault = work->fault;
  if (!is_noted) return end(work->set);
  set.stage = Stage::drains;
  events_.on_nodes(set.times);
}

void Sets::end(const std::shared_ptr<Set>& set) {
  std::erase(sets_, set);
  set->fault ? events_.failed(*set->fault) : events_.durable(set->times);
}

bool Sets::progress() {
  bool moved = false;
  if (work_ && work_->done.load(std::memory_order_acquire)) {
    end_work();
    moved = true;
  }
  while (!sets_.empty() && sets_.front()->stage == Stage::fails) {
    end(std::shared_ptr(sets_.front()));
    moved = true;
  }
  start();
  return moved;
}

void Sets::give_up() {
  std::erase_if(
      sets_, [&](const auto& set) { return !work_ || work_->set != set || set->stage != Stage::to_commit; });
}

}  // namespace tailrace::pipeline::checkpoints
