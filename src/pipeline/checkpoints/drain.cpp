#include "pipeline/checkpoints/drain.hpp"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "checkpoint/burst/buffer.hpp"
#include "env/faults.hpp"

namespace tailrace::pipeline::checkpoints {

// The I/O thread writes `fault`, and `done` last.
struct Drain::Work {
  Waiting what;
  std::atomic<bool> stops{false};
  std::optional<base::Fault> fault = {};
  std::atomic<bool> done{false};
};

Drain::~Drain() {
  if (work_) work_->stops.store(true, std::memory_order_relaxed);
  while (work_ && !work_->done.load(std::memory_order_acquire)) std::this_thread::yield();
}

void Drain::add(const std::string& checkpoint, std::int64_t step, checkpoint::Shard shard) {
  waiting_.push_back({checkpoint, step, std::move(shard)});
}

void Drain::decide(std::int64_t step, bool is_wanted) {
  for (Waiting& one : waiting_)
    if (one.step == step) one.is_wanted = is_wanted;
}

void Drain::start() {
  work_ = std::make_shared<Work>();
  work_->what = std::move(waiting_.front());
  waiting_.pop_front();
  executor_.write([work = work_, &files = files_] {
    const auto& [checkpoint, step, shard, is_wanted] = work->what;
    try {
      if (*is_wanted) env::maybe_fail("drain");
      if (!*is_wanted)
        checkpoint::drop_shard(files, shard);
      else if (!checkpoint::drain_shard(files, shard, checkpoint, [&] { return work->stops.load(); }))
        throw Error(ErrorCode::resource, fmt::format("shard {} is gone from the burst buffer ({} on {})",
                                                     shard.name, shard.buffered->path, shard.buffered->host));
      if (*is_wanted) env::maybe_fail("drained");
    } catch (...) {
      work->fault = base::current_fault();
    }
    work->done.store(true, std::memory_order_release);
  });
}

bool Drain::progress() {
  bool moved = false;
  if (work_ && work_->done.load(std::memory_order_acquire)) {
    const auto work = std::exchange(work_, nullptr);
    if (*work->what.is_wanted && !work->stops) outcomes_.push_back({work->what.step, work->fault});
    moved = true;
  }
  if (work_ || waiting_.empty() || !waiting_.front().is_wanted) return moved;
  start();
  return true;
}

std::optional<Drain::Outcome> Drain::take_outcome() {
  if (outcomes_.empty()) return std::nullopt;
  const Outcome outcome = std::move(outcomes_.front());
  outcomes_.pop_front();
  return outcome;
}

void Drain::give_up() {
  waiting_.clear();
  outcomes_.clear();
  if (work_) work_->stops.store(true, std::memory_order_relaxed);
}

}  // namespace tailrace::pipeline::checkpoints
