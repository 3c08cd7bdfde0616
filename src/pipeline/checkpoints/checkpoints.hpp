// The checkpoints of a component on one server, from the model's word to the set on disk.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "checkpoint/set_store.hpp"
#include "model/kept/kept_value.hpp"
#include "pipeline/checkpoints/cut.hpp"
#include "pipeline/checkpoints/kept_blocks.hpp"
#include "pipeline/checkpoints/own_member.hpp"
#include "pipeline/checkpoints/pieces.hpp"
#include "settings/checkpoint/checkpoint.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline::checkpoints {

// Communication thread only, but for keep().
class Checkpoints {
 public:
  struct Events {
    std::function<bool()> at_rest;
    std::function<void(model::StateSaver&)> save;  // all that the servers hold, but for the model's fields
    std::function<void(const base::Fault&)> tell;  // the model
  };
  // All must live longer.
  Checkpoints(const Blueprint& blueprint, Words& words, sinks::FileServices services, Events events);
  ~Checkpoints();  // waits for a commit under way

  // The leader takes hold of the sets, and removes those that the run does not go on from. Throws what keeps
  // it from that: another job that holds them. Before any file of the component is changed.
  void open();

  // Sets what tells this object of files that are begun and of commits.
  void watch_files(sinks::FileServices& services);
  void keep(int client, int field, std::span<const std::byte> values);  // from any thread
  // This server's clients stand behind their puts of the step, all of which are worked on.
  void ask(const model::Tick& tick, std::span<const std::byte> values) { cut_.ask(tick, values); }
  bool is_saved() const { return !cut_.asked(); }  // the clients may go on
  bool cuts() const { return cut_.under_way(); }
  // Why the ranks do not agree on a checkpoint, when a step begins on this server, or on the leader.
  std::optional<base::Fault> disagreement(const model::Tick& begun) const;
  bool progress();
  void give_up();
  bool under_way() const { return cut_.under_way() || own_.under_way() || set_ != nullptr; }
  std::size_t bytes() const { return kept_.bytes() + own_.bytes(); }  // held
  std::string describe() const;                                       // for the watchdog
  const std::optional<telemetry::CheckpointStatus>& status() const { return newest_; }

 private:
  struct Set;
  bool is_leader() const { return words_.rank() == blueprint_.info.leader; }
  void begin(const model::Tick& tick, const messaging::Bytes& values);
  void save();
  void tell_member(const OwnMember::Outcome& outcome);
  void hear_member(const messaging::Bytes& message);
  void commit();
  bool take_commit();
  void failed(const base::Fault& fault);

  const Blueprint& blueprint_;
  Words& words_;
  sinks::FileServices services_;
  Events events_;
  settings::CheckpointOptions options_;
  const Owners owners_;
  KeptBlocks kept_;
  std::atomic<std::int64_t> newest_cut_;  // its step; -1: none
  OwnMember own_;
  Cut cut_;
  model::KeptValues values_;
  std::shared_ptr<checkpoint::SetStore> store_;        // of the leader
  std::shared_ptr<Set> set_;                           // of the leader: the one under way
  std::optional<telemetry::CheckpointStatus> newest_;  // that is durable, on the leader
};

}  // namespace tailrace::pipeline::checkpoints
