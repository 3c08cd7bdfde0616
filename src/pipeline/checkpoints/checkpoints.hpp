// The checkpoints of a component on one server, from the model's request to the committed checkpoint.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "checkpoint/series/begun_files.hpp"
#include "model/kept_value.hpp"
#include "pipeline/checkpoints/checkpoint_committer.hpp"
#include "pipeline/checkpoints/checkpointed_blocks.hpp"
#include "pipeline/checkpoints/drain.hpp"
#include "pipeline/checkpoints/local_shard.hpp"
#include "pipeline/checkpoints/pieces.hpp"
#include "pipeline/checkpoints/snapshot_barrier.hpp"
#include "settings/checkpoint.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline::checkpoints {

// Communication thread only, except for keep().
class Checkpoints {
 public:
  struct Events {
    std::function<bool()> at_rest;
    std::function<void(model::StateSaver&)> save;  // saves the state of the server without the model's fields
    std::function<void(const base::Fault&)> tell;  // reports a fault to the model
  };
  // All must live longer.
  Checkpoints(const Blueprint& blueprint, ControlChannel& control, sinks::SinkServices services,
              Events events);

  // The leader locks the checkpoints, and removes those after the step at which the run begins. Throws if
  // another job holds the lock and, on any server, if its burst buffer cannot be written. Must be called
  // before any file of the component is changed.
  void open();

  // Sets the callbacks for new files and for commits.
  void watch_files(sinks::SinkServices& services);
  void keep(int client, int field, std::span<const std::byte> values);  // from any thread
  // All clients of this server have requested a checkpoint after this step; their puts precede the request.
  void ask(const model::Tick& tick, std::span<const std::byte> values) { barrier_.ask(tick, values); }
  bool is_saved() const { return !barrier_.asked(); }  // the clients may continue
  bool cuts() const { return barrier_.under_way(); }
  // When a step begins here or on the leader: a fault if not all ranks requested the same checkpoint.
  std::optional<base::Fault> disagreement(const model::Tick& begun) const;
  bool progress();
  void give_up();
  bool under_way() const {
    return barrier_.under_way() || own_.under_way() || committer_.under_way() || drain_.under_way();
  }
  std::size_t bytes() const { return blocks_.bytes() + own_.bytes(); }  // in memory
  std::string describe() const;                                         // for the watchdog
  std::optional<telemetry::CheckpointStatus> status() const;

 private:
  bool is_leader() const { return control_.rank() == blueprint_.info.leader; }
  void begin(const model::Tick& tick, const messaging::Bytes& values);
  void save();
  void begin_file(const std::string& path, const std::string& series,
                  std::optional<std::int64_t> last_step) const;  // from any thread
  void report_shard(const LocalShard::Outcome& outcome);
  void on_shards(const messaging::Bytes& messages);
  void on_decision(const messaging::Bytes& message);
  void report_drained(const Drain::Outcome& outcome);
  void on_drained(const messaging::Bytes& messages);
  CheckpointCommitter::Events committer_events();
  void try_buffer() const;
  std::unique_ptr<checkpoint::CheckpointStore> open_store() const;
  void on_nodes(const CheckpointTimes& times);
  void durable(const CheckpointTimes& times);
  void failed(const base::Fault& fault);

  const Blueprint& blueprint_;
  ControlChannel& control_;
  sinks::SinkServices services_;
  Events events_;
  settings::CheckpointOptions options_;
  const Owners owners_;
  CheckpointedBlocks blocks_;
  const std::string checkpoints_path_;
  const std::string buffered_path_;       // empty: no burst buffer
  const checkpoint::OutputOfRun output_;  // of the present configuration, in the directory where it began
  const std::set<std::string> replaced_series_;  // the others lose no file that no job of this run made
  std::atomic<std::int64_t> newest_cut_;         // step of the newest snapshot; -1: none
  LocalShard own_;
  Drain drain_;
  CheckpointCommitter committer_;  // used on the leader
  SnapshotBarrier barrier_;
  messaging::TreeGather through_, shards_, drained_;
  std::size_t not_taken_ = 0;  // messages with pieces of this server that are not acknowledged yet
  model::KeptValues values_;
  bool buffer_is_clean_ = false;
  std::optional<telemetry::CheckpointStatus> newest_;  // on the leader
};

}  // namespace tailrace::pipeline::checkpoints
