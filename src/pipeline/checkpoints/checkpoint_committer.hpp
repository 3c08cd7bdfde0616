// The leader's book of the sets under way: from the members that servers have finished to the manifest that
// makes a set count. Where members are in burst buffers, a note says so before they are drained, and the next
// checkpoint may begin meanwhile; sets are committed in the order of their steps.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "checkpoint/checkpoint_store.hpp"
#include "env/executor.hpp"
#include "pipeline/checkpoints/drain.hpp"

namespace tailrace::pipeline::checkpoints {

struct CheckpointTimes {
  checkpoint::CheckpointHeader head;
  std::uint64_t bytes = 0;         // of all members
  std::uint64_t buffered = 0;      // of those in burst buffers
  int shards = 0, overflowed = 0;  // of these, those that did not fit there
  double begun_at = 0.0;           // steady seconds, of the model's message
  double model_seconds = 0.0;      // that checkpoints before it cost the first rank
};

// Communication thread; the store is used on an I/O thread, by one piece of work at a time.
class CheckpointCommitter {
 public:
  struct Events {
    std::function<void(std::int64_t step, bool is_wanted)>
        decided;                                           // to all servers; with a burst buffer alone
    std::function<void(const CheckpointTimes&)> on_nodes;  // the same
    std::function<void(const CheckpointTimes&)> durable;
    std::function<void(const base::Fault&)> failed;
  };
  // `uses_buffer`: members may be in burst buffers. The executor must live longer.
  CheckpointCommitter(env::Executor& executor, int servers, bool uses_buffer, Events events)
      : executor_(executor), servers_(servers), uses_buffer_(uses_buffer), events_(std::move(events)) {}
  ~CheckpointCommitter();  // waits for work under way

  // Before all else, with the sets that this process holds, and how many complete ones stay.
  void open(std::unique_ptr<checkpoint::CheckpointStore> store, int keep);
  void begin(checkpoint::Manifest manifest, double model_seconds);
  // Of the newest set, from each server once.
  void add_shard(checkpoint::Shard shard);
  void add_fault(const base::Fault& fault);
  // From each server once for each set that is wanted.
  void drained(const Drain::Outcome& outcome);
  bool progress();
  void give_up();  // what is in burst buffers stays, and so does the note

  // All members of the sets before are finished; without a burst buffer these sets count.
  bool may_begin() const;
  bool under_way() const { return !checkpoints_.empty(); }
  std::uint64_t waiting_bytes() const;  // in burst buffers
  std::size_t waiting() const;          // sets that are on nodes and do not count yet

 private:
  enum class Stage { collects, to_note, to_abandon, drains, to_commit, fails };
  struct Checkpoint;
  struct Work;
  Checkpoint* find(std::int64_t step);
  void heard_all(Checkpoint& checkpoint);
  void start();
  void start(Checkpoint& checkpoint);
  void end_work();
  void end(const std::shared_ptr<Checkpoint>& checkpoint);

  env::Executor& executor_;
  const int servers_;
  const bool uses_buffer_;
  Events events_;
  std::shared_ptr<checkpoint::CheckpointStore> store_;
  int keep_ = 1;
  std::deque<std::shared_ptr<Checkpoint>> checkpoints_;  // by step
  std::shared_ptr<Work> work_;                           // under way
};

}  // namespace tailrace::pipeline::checkpoints
