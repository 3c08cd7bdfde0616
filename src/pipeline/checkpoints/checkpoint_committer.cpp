#include "pipeline/checkpoints/checkpoint_committer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "env/clock.hpp"
#include "env/faults.hpp"

namespace tailrace::pipeline::checkpoints {

struct CheckpointCommitter::Checkpoint {
  checkpoint::Manifest manifest;
  CheckpointTimes times;
  Stage stage = Stage::collects;
  int replies = 0;                   // servers, in this stage
  std::uint64_t waiting = 0;         // bytes in burst buffers
  std::optional<base::Fault> fault;  // the first fault of a shard or of the manifest
};

// The I/O thread writes `fault`, and `done` last.
struct CheckpointCommitter::Work {
  std::shared_ptr<Checkpoint> checkpoint;
  std::optional<base::Fault> fault;
  std::atomic<bool> done{false};
};

CheckpointCommitter::~CheckpointCommitter() {
  while (work_ && !work_->done.load(std::memory_order_acquire)) std::this_thread::yield();
}

void CheckpointCommitter::open(std::unique_ptr<checkpoint::CheckpointStore> store, int keep) {
  store_ = std::move(store);
  keep_ = keep;
}

void CheckpointCommitter::begin(checkpoint::Manifest manifest, double model_seconds) {
  const auto& checkpoint = checkpoints_.emplace_back(std::make_shared<Checkpoint>());
  checkpoint->times = {
      .head = manifest.head, .begun_at = env::steady_seconds(), .model_seconds = model_seconds};
  checkpoint->manifest = std::move(manifest);
}

void CheckpointCommitter::add_shard(checkpoint::Shard shard) {
  if (checkpoints_.empty() || checkpoints_.back()->stage != Stage::collects) return;  // given up
  Checkpoint& checkpoint = *checkpoints_.back();
  checkpoint.times.bytes += shard.bytes;
  if (shard.buffered)
    checkpoint.times.buffered += shard.bytes;
  else if (uses_buffer_)
    ++checkpoint.times.overflowed;
  ++checkpoint.times.shards;
  checkpoint.manifest.shards.push_back(std::move(shard));
  count_reply(checkpoint);
}

void CheckpointCommitter::add_fault(const base::Fault& fault) {
  if (checkpoints_.empty() || checkpoints_.back()->stage != Stage::collects) return;
  if (!checkpoints_.back()->fault) checkpoints_.back()->fault = fault;
  count_reply(*checkpoints_.back());
}

void CheckpointCommitter::count_reply(Checkpoint& checkpoint) {
  if (++checkpoint.replies < servers_) return;
  checkpoint.replies = 0;
  checkpoint.waiting = checkpoint.times.buffered;
  if (checkpoint.fault) {
    checkpoint.stage = Stage::to_abandon;
    if (uses_buffer_) events_.decided(checkpoint.times.head.step, false);
  } else {
    checkpoint.stage = uses_buffer_ ? Stage::to_note : Stage::to_commit;
  }
}

CheckpointCommitter::Checkpoint* CheckpointCommitter::find(std::int64_t step) {
  const auto found = std::ranges::find_if(
      checkpoints_, [&](const auto& checkpoint) { return checkpoint->times.head.step == step; });
  return found == checkpoints_.end() ? nullptr : found->get();
}

void CheckpointCommitter::drained(const Drain::Outcome& outcome) {
  Checkpoint* const checkpoint = find(outcome.step);
  if (checkpoint == nullptr) return;  // given up
  if (outcome.fault && !checkpoint->fault)
    checkpoint->fault = {
        outcome.fault->code,
        fmt::format("the checkpoint of step {} remains on the nodes, where the next job can drain it: {}",
                    outcome.step, outcome.fault->message)};
  if (++checkpoint->replies == servers_)
    checkpoint->stage = checkpoint->fault ? Stage::fails : Stage::to_commit;
  if (checkpoint->stage != Stage::drains) checkpoint->waiting = 0;
}

bool CheckpointCommitter::may_begin() const {
  if (!uses_buffer_) return checkpoints_.empty();
  return std::ranges::none_of(checkpoints_, [](const auto& checkpoint) {
    return checkpoint->stage == Stage::collects || checkpoint->stage == Stage::to_note ||
           checkpoint->stage == Stage::to_abandon;
  });
}

std::uint64_t CheckpointCommitter::waiting_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& checkpoint : checkpoints_) bytes += checkpoint->waiting;
  return bytes;
}

std::size_t CheckpointCommitter::waiting() const {
  return static_cast<std::size_t>(std::ranges::count_if(checkpoints_, [](const auto& checkpoint) {
    return checkpoint->stage == Stage::drains ||
           (checkpoint->stage == Stage::to_commit && checkpoint->times.buffered > 0);
  }));
}

void CheckpointCommitter::start(Checkpoint& checkpoint) {
  const auto shared =
      *std::ranges::find_if(checkpoints_, [&](const auto& one) { return one.get() == &checkpoint; });
  work_ = std::make_shared<Work>();
  work_->checkpoint = shared;
  executor_.write([work = work_, stage = checkpoint.stage, store = store_, keep = keep_] {
    const checkpoint::Manifest& manifest = work->checkpoint->manifest;
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

// The newest checkpoint has priority while it keeps the next one from beginning.
void CheckpointCommitter::start() {
  if (work_ || checkpoints_.empty()) return;
  for (const auto& checkpoint : checkpoints_)
    if (checkpoint->stage == Stage::to_note || checkpoint->stage == Stage::to_abandon)
      return start(*checkpoint);
  if (checkpoints_.front()->stage == Stage::to_commit) start(*checkpoints_.front());
}

void CheckpointCommitter::end_work() {
  const auto work = std::exchange(work_, nullptr);
  Checkpoint& checkpoint = *work->checkpoint;
  if (std::ranges::find(checkpoints_, work->checkpoint) == checkpoints_.end()) return;  // given up
  const bool is_noted = checkpoint.stage == Stage::to_note && !work->fault;
  if (checkpoint.stage == Stage::to_note) events_.decided(checkpoint.times.head.step, is_noted);
  if (work->fault && !checkpoint.fault) checkpoint.fault = work->fault;
  if (!is_noted) return end(work->checkpoint);
  checkpoint.stage = Stage::drains;
  events_.on_nodes(checkpoint.times);
}

void CheckpointCommitter::end(const std::shared_ptr<Checkpoint>& checkpoint) {
  std::erase(checkpoints_, checkpoint);
  checkpoint->fault ? events_.failed(*checkpoint->fault) : events_.durable(checkpoint->times);
}

bool CheckpointCommitter::progress() {
  bool moved = false;
  if (work_ && work_->done.load(std::memory_order_acquire)) {
    end_work();
    moved = true;
  }
  while (!checkpoints_.empty() && checkpoints_.front()->stage == Stage::fails) {
    end(std::shared_ptr(checkpoints_.front()));
    moved = true;
  }
  start();
  return moved;
}

void CheckpointCommitter::give_up() {
  std::erase_if(checkpoints_, [&](const auto& checkpoint) {
    return !work_ || work_->checkpoint != checkpoint || checkpoint->stage != Stage::to_commit;
  });
}

}  // namespace tailrace::pipeline::checkpoints
