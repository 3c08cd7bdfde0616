// One component of the run on one server. Connects its parts; all decisions are in the plan.
//
//   blocks → OutputVariables (samples to records) → Router (records to chunks) → sinks (chunks to files)
//          → Diagnostics ↗  Regridding ⇄                      Commits (when) ↗
//
// The communication thread drives it through progress(). Workers call accept() and run the tasks that the
// parts submit. The parts know each other only through the constructor arguments that they get here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/checkpoints/checkpoints.hpp"
#include "pipeline/commits.hpp"
#include "pipeline/component_lifecycle.hpp"
#include "pipeline/diagnostics.hpp"
#include "pipeline/flow_control.hpp"
#include "pipeline/graceful_shutdown.hpp"
#include "pipeline/input.hpp"
#include "pipeline/regridding/regridding.hpp"
#include "pipeline/routing/router.hpp"
#include "pipeline/sampling/block_sizes.hpp"
#include "pipeline/sampling/masks.hpp"
#include "pipeline/sampling/out_of_range.hpp"
#include "pipeline/sampling/output_variables.hpp"
#include "pipeline/step_receiver.hpp"

namespace tailrace::pipeline {

class ServedComponent final : public StepReceiver {
 public:
  ServedComponent(ComponentInfo info, messaging::Messenger& messenger, sinks::SinkServices services);
  ~ServedComponent() override;  // waits for its work on the workers

  // Creates the files that this server writes. Throws if that fails, and Error(configuration) if these
  // clients need more memory than the server has.
  void create_files(std::span<const int> clients);
  // The weights of regridding, before start(), if the plan has any (Plan::regridding).
  void give_weights(regridding::Prepared prepared) { prepared_ = std::move(prepared); }
  const Blueprint& blueprint() const { return blueprint_; }
  // `clients`: the clients of this server, once they are connected. `input`: feeds this component with their
  // packets; null without clients; it must live longer than the last progress(). Called once, before
  // progress(). `saved`: the state to restart from, by default that of ComponentInfo; the component begins at
  // the step of that state.
  void start(std::vector<int> clients, Input* input, const model::StateLoader* saved = nullptr);
  // True if anything was done. If takes_in() is true, the caller calls the intake's progress() first.
  bool progress();
  bool takes_in() const {
    return input_ && (!shutdown_.complete_announced() || cut() || blueprint_.is_inline());
  }
  // All servers have closed their files, and the clients of this one are done.
  bool over() const { return lifecycle_.closed_everywhere() && input_over(); }
  // The run may end soon, and without warning: requests an early commit of the records that are complete, at
  // most some times a second. On the leader's server; others do nothing.
  void commit_what_is_complete();
  // Begins a graceful shutdown on all servers: commits the records that are complete, and those that clients
  // which are still alive complete within the patience.
  void stop(const StopOrder& order);
  // The order to shut down that any server received; null if none.
  const StopOrder* stopped() const { return shutdown_.order(); }
  bool cut() const { return shutdown_.cut(); }  // the component ended before its clients did
  const std::vector<base::Fault>& faults() const { return lifecycle_.faults(); }  // of all servers so far
  const std::optional<base::Fault>& fatal() const {
    return lifecycle_.fatal();
  }  // why the component ended early

  // Saving between two steps: close_step() when all blocks of the current step have arrived; then, when every
  // server is at_rest() (idle), save() on each server saves its part of the component's state.
  void close_step();
  bool at_rest() const;
  void save(model::StateSaver& saver) const;
  // Clients have sent data that are not processed yet, or a checkpoint is not yet saved on all servers.
  bool cuts() const { return !fatal() && input_ && (input_->buffer_used() > 0.0 || checkpoints_.cuts()); }

  // Another server has failed: the component ends with the records that are complete.
  void mark_server_failed(int server, const base::Fault& fault);

  // StepReceiver
  bool ready_for_step() override;
  void begin_step(const model::Tick& tick) override;
  void accept(int client, const model::PacketHeader& header, std::span<const std::byte> payload) override;
  void checkpoint(std::span<const std::byte> values) override;
  bool is_saved() override { return checkpoints_.is_saved(); }
  void change_files(bool opened, std::span<const std::byte> what) override;
  void end_of_input() override;
  void fail(const base::Fault& fault) override;

  const ComponentInfo& info() const { return blueprint_.info; }
  const calendar::Calendar& calendar() const { return blueprint_.plan.calendar; }  // of the model
  // Bytes received from other servers that wait for the workers, which need no further input to process them.
  std::size_t unprocessed_bytes() const { return router_.unprocessed_bytes(); }
  // Flow control: accepts no further step until another server reports that it has written more, or has used
  // up more of what is regridded.
  bool waits_for_others() const { return waits_for_others_; }
  std::vector<telemetry::DatasetStatus> file_status() const { return commits_.status(); }
  std::optional<telemetry::CheckpointStatus> checkpoint_status() const { return checkpoints_.status(); }
  std::string describe() const;  // for the watchdog: which rank waits for which

 private:
  // A block of one part. `payload`: its values only.
  void accept_part(int part, const model::PacketHeader& header, std::span<const std::byte> payload);
  sampling::OutputVariables::Receivers receivers();
  void emit(const sampling::OutputVariable& output_variable, int part, const time::TimeRecord& record,
            std::span<const std::byte> values);
  void make_regridding(const std::vector<int>& parts);
  void make_diagnostics(std::vector<int> parts);
  ComponentLifecycle::Events events();
  checkpoints::Checkpoints::Events checkpoint_events();
  bool is_idle_for_snapshot();
  void end_step();
  std::vector<std::vector<std::size_t>> bytes_per_record() const;
  void load(const model::StateLoader& saved);
  void on_step(const model::Tick& tick);
  void finish_windows();
  bool close();
  std::size_t leaving_bytes() const;
  bool has_room();
  bool fails_for_lack_of_room();
  void count_held();
  bool tell_written();
  bool continue_shutdown();
  bool may_stop_taking(double waited) const;
  void on_stop();
  void on_cut(const model::Tick& tick);
  void report_end();
  bool has_enough_to_do() const;
  bool input_over() const { return !input_ || input_->finished() || cut(); }
  bool all_in() const { return input_ ? input_ended_ : lifecycle_.last_step_announced(); }
  bool diagnostics_over() const { return !diagnostics_ || fatal() || diagnostics_->over(); }
  bool has_all_samples() const {
    return diagnostics_over() && (!regridding_ || fatal() || regridding_->samples_are_in());
  }
  bool regridding_over() const;
  bool computes_nothing() const {
    return (!diagnostics_ || diagnostics_->at_rest()) && (!regridding_ || regridding_->at_rest());
  }

  Blueprint blueprint_;
  sinks::SinkServices services_;
  ControlChannel control_;
  Tasks tasks_;
  sampling::OutOfRange out_of_range_;
  sampling::BlockSizes block_sizes_;
  sampling::Masks masks_;
  sampling::OutputVariables variables_;
  Commits commits_;
  FlowControl flow_control_;
  routing::Router router_;
  ComponentLifecycle lifecycle_;
  GracefulShutdown shutdown_;
  checkpoints::Checkpoints checkpoints_;
  regridding::Prepared prepared_;                       // until start()
  std::unique_ptr<regridding::Regridding> regridding_;  // null where nothing is regridded
  std::unique_ptr<Diagnostics> diagnostics_;            // null where there are none
  Input* input_ = nullptr;                              // null on a server without clients
  telemetry::HeldPart held_;
  double next_count_ = 0.0;
  std::size_t needed_besides_ = 0;  // bytes in addition to the bound, if `memory` is not given (check_memory)
  bool waits_for_others_ = false;
  std::int64_t said_written_ = model::static_step;
  bool input_ended_ = false;
  bool windows_finished_ = false;
  bool end_reported_ = false;
};

}  // namespace tailrace::pipeline
