// Drains this server's shards from the burst buffer of its node to the directory of the checkpoints, in the
// order of the steps.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "checkpoint/checkpoint.hpp"
#include "env/executor.hpp"
#include "env/file_system.hpp"

namespace tailrace::pipeline::checkpoints {

// Communication thread; copies run on an I/O thread, one at a time.
class Drain {
 public:
  struct Outcome {
    std::int64_t step = 0;
    std::optional<base::Fault> fault;
  };

  // The executor and the files must live longer.
  Drain(env::Executor& executor, env::FileSystem& files) : executor_(executor), files_(files) {}
  ~Drain();  // ends the current copy; shards in the buffer stay

  // A shard is finished, in the buffer or, if that is full, in the directory of its checkpoint. It waits
  // until decide().
  void add(const std::string& checkpoint, std::int64_t step, checkpoint::Shard shard);
  // `is_wanted`: all shards of the checkpoint are finished, so drain this one; otherwise the checkpoint is
  // abandoned.
  void decide(std::int64_t step, bool is_wanted);
  bool progress();                        // true if anything was done
  std::optional<Outcome> take_outcome();  // once for each shard that is drained
  void give_up();                         // shards in the buffer stay; no further outcome
  bool under_way() const { return !waiting_.empty() || work_ || !outcomes_.empty(); }

 private:
  struct Waiting {
    std::string checkpoint;
    std::int64_t step = 0;
    checkpoint::Shard shard;
    std::optional<bool> is_wanted = {};
  };
  struct Work;
  void start();

  env::Executor& executor_;
  env::FileSystem& files_;
  std::deque<Waiting> waiting_;
  std::shared_ptr<Work> work_;  // the current copy
  std::deque<Outcome> outcomes_;
};

}  // namespace tailrace::pipeline::checkpoints
