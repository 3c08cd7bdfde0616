// The arrays of a checkpoint that this server owns, on their way into its member of the set.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "checkpoint/shard_writer.hpp"
#include "env/executor.hpp"
#include "messaging/messenger.hpp"
#include "pipeline/checkpoints/pieces.hpp"

namespace tailrace::pipeline::checkpoints {

// Communication thread; what may block runs on an I/O thread, one piece of work at a time, so arrays are
// written while others still come, and what is written is held no more.
class LocalShard {
 public:
  struct Outcome {
    std::int64_t step = 0;
    std::optional<base::Fault> fault;
    checkpoint::Shard shard;  // where there is none
  };

  // The executor and the files must live longer.
  LocalShard(env::Executor& executor, env::FileSystem& files, int server)
      : executor_(executor), files_(files), server_(server) {}
  ~LocalShard();  // waits for a write under way

  // From now on pieces are of this set. `buffered`: its directory in the burst buffer; empty: there is none.
  // Not while it is under way.
  void begin(const std::string& checkpoint, const std::string& buffered, checkpoint::CheckpointHeader head);
  void take(messaging::Bytes&& bundle);   // as PieceSender sends them
  void keep(OwnPiece&& piece);            // of this server; writing begins at once
  void end_of_pieces();                   // of any server
  bool progress();                        // true if anything moved
  std::optional<Outcome> take_outcome();  // once, when all is on the disk, or cannot be
  void give_up();                         // no outcome comes any more
  bool under_way() const { return under_way_; }
  std::size_t bytes() const { return bytes_; }  // held

 private:
  struct Work;
  void start(bool last);

  env::Executor& executor_;
  env::FileSystem& files_;
  int server_;
  std::string checkpoint_, buffered_;
  checkpoint::CheckpointHeader head_;
  std::deque<messaging::Bytes> waiting_;
  std::deque<OwnPiece> pieces_;
  std::shared_ptr<Work> work_;  // under way
  std::shared_ptr<checkpoint::ShardWriter> writer_;
  std::optional<base::Fault> fault_;
  std::optional<Outcome> outcome_;
  std::size_t bytes_ = 0;
  bool all_here_ = false;
  bool under_way_ = false;
};

}  // namespace tailrace::pipeline::checkpoints
