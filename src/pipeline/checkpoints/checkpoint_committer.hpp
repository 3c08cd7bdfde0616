// The leader's list of unfinished checkpoints, from the first finished shard to the manifest that commits a
// checkpoint. If shards are in burst buffers, a note in the checkpoint's directory records that before they
// are drained, so that a later job can find them, and the next checkpoint may begin meanwhile. Checkpoints
// are committed in the order of their steps.
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
  std::uint64_t bytes = 0;         // of all shards
  std::uint64_t buffered = 0;      // of the shards in burst buffers
  int shards = 0, overflowed = 0;  // overflowed: shards that did not fit there
  double begun_at = 0.0;           // steady seconds at the model's message
  double model_seconds = 0.0;      // time that earlier checkpoints took on the first model rank
};

// Communication thread. The store is used on an I/O thread, by one task at a time.
class CheckpointCommitter {
 public:
  struct Events {
    std::function<void(std::int64_t step, bool is_wanted)>
        decided;                                           // to all servers; with a burst buffer alone
    std::function<void(const CheckpointTimes&)> on_nodes;  // the same
    std::function<void(const CheckpointTimes&)> durable;
    std::function<void(const base::Fault&)> failed;
  };
  // `uses_buffer`: shards may be in burst buffers. The executor must live longer.
  CheckpointCommitter(env::Executor& executor, int servers, bool uses_buffer, Events events)
      : executor_(executor), servers_(servers), uses_buffer_(uses_buffer), events_(std::move(events)) {}
  ~CheckpointCommitter();  // waits for work under way

  // Called first. `store`: the locked checkpoints. `keep`: the number of complete checkpoints that are kept.
  void open(std::unique_ptr<checkpoint::CheckpointStore> store, int keep);
  void begin(checkpoint::Manifest manifest, double model_seconds);
  // One of these once for each server, for the newest checkpoint.
  void add_shard(checkpoint::Shard shard);
  void add_fault(const base::Fault& fault);
  // Once for each server and each checkpoint that is to be drained.
  void drained(const Drain::Outcome& outcome);
  bool progress();
  void give_up();  // shards in burst buffers stay, and so does the note

  // A new checkpoint may begin: all shards of the previous ones are finished; without a burst buffer, they
  // are committed.
  bool may_begin() const;
  bool under_way() const { return !checkpoints_.empty(); }
  std::uint64_t waiting_bytes() const;  // in burst buffers
  std::size_t waiting() const;          // checkpoints on nodes that are not committed yet

 private:
  enum class Stage { collects, to_note, to_abandon, drains, to_commit, fails };
  struct Checkpoint;
  struct Work;
  Checkpoint* find(std::int64_t step);
  void count_reply(Checkpoint& checkpoint);
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
  std::shared_ptr<Work> work_;                           // the current task
};

}  // namespace tailrace::pipeline::checkpoints
