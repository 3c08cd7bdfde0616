// Writes the arrays of a checkpoint that this server owns into its shard.
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

// Communication thread. Blocking work runs on an I/O thread, one task at a time: arrays are written while
// others still arrive, and their memory is freed at once.
class LocalShard {
 public:
  struct Outcome {
    std::int64_t step = 0;
    std::optional<base::Fault> fault;
    checkpoint::Shard shard;  // set if there is no fault
  };

  // The executor and the files must live longer.
  LocalShard(env::Executor& executor, env::FileSystem& files, int server)
      : executor_(executor), files_(files), server_(server) {}
  ~LocalShard();  // waits for the current write

  // Begins a shard. `buffered`: the directory of the checkpoint in the burst buffer; empty: no buffer. Must
  // not be called while under_way().
  void begin(const std::string& checkpoint, const std::string& buffered, checkpoint::CheckpointHeader head);
  void take(messaging::Bytes&& bundle);   // a message of a PieceSender
  void keep(OwnPiece&& piece);            // a piece of this server; writing begins at once
  void end_of_pieces();                   // all pieces of all servers have arrived
  bool progress();                        // true if anything was done
  std::optional<Outcome> take_outcome();  // once, when the shard is on the disk or has failed
  void give_up();                         // no further outcome
  bool under_way() const { return under_way_; }
  std::size_t bytes() const { return bytes_; }  // in memory

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
  std::shared_ptr<Work> work_;  // the current write
  std::shared_ptr<checkpoint::ShardWriter> writer_;
  std::optional<base::Fault> fault_;
  std::optional<Outcome> outcome_;
  std::size_t bytes_ = 0;
  bool all_here_ = false;
  bool under_way_ = false;
};

}  // namespace tailrace::pipeline::checkpoints
