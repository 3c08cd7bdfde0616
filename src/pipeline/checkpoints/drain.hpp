// This server's members of sets on their way from the burst buffer of its node into the sets' directory, in
// the order of the steps.
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
  ~Drain();  // ends a copy under way; what is in the buffer stays

  // The member is finished, in the buffer or, where that is full, in its set's directory. It stays there
  // until the message about its set comes.
  void add(const std::string& checkpoint, std::int64_t step, checkpoint::Shard shard);
  // All members of the set are finished; or there will be no such set.
  void decide(std::int64_t step, bool is_wanted);
  bool progress();                        // true if anything moved
  std::optional<Outcome> take_outcome();  // of each that is wanted, once
  void give_up();                         // what is in the buffer stays; no outcome comes any more
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
  std::shared_ptr<Work> work_;  // under way
  std::deque<Outcome> outcomes_;
};

}  // namespace tailrace::pipeline::checkpoints
