// One component of the run on one server: wires its parts and decides nothing that the plan does not say.
//
//   blocks → Streams (samples to records) → Router (records to chunks) → sinks (chunks to files)
//          → Diagnostics ↗                            Commits (when) ↗
//
// The communication thread drives it through progress(); workers come in through accept() and the tasks that
// the parts submit. Parts know their neighbours only through what is handed to their constructors here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/checkpoints/checkpoints.hpp"
#include "pipeline/commits.hpp"
#include "pipeline/component_lifecycle.hpp"
#include "pipeline/diagnostics.hpp"
#include "pipeline/flow_control.hpp"
#include "pipeline/graceful_shutdown.hpp"
#include "pipeline/input.hpp"
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

  // Creates the files this server writes. Throws what went wrong; Error(configuration) where what it must
  // hold for these clients is more than its memory.
  void create_files(std::span<const int> clients);
  // `clients`: of this server, once they are connected; `input`: what feeds this component with their
  // packets, null where there are none; it must live longer than the last progress. Called once, before any
  // progress. `saved`: the state to continue from (or the one in the component's information); the
  // component's begin is the step that was saved.
  void start(std::vector<int> clients, Input* input, const model::StateLoader* saved = nullptr);
  // True if anything moved. Where takes_in() is true, the caller lets the intake progress first.
  bool progress();
  bool takes_in() const { return input_ && (!shutdown_.said_complete() || cut() || blueprint_.is_inline()); }
  // All servers have closed their files, and the clients of this one are done.
  bool over() const { return lifecycle_.closed_everywhere() && input_over(); }
  // This server is to end before the run does: on all servers the records that are complete are committed,
  // and what clients still give within the patience too, if they live.
  void stop(const StopOrder& order);
  // Why, on any server, it is or was to stop; null if it was not.
  const StopOrder* stopped() const { return shutdown_.order(); }
  bool cut() const { return shutdown_.cut(); }  // it ended before its clients did
  const std::vector<base::Fault>& faults() const {
    return lifecycle_.faults();
  }  // raised so far, on any server
  const std::optional<base::Fault>& fatal() const {
    return lifecycle_.fatal();
  }  // why the component ended early

  // A cut between two steps: all blocks of the current one are here. close_step() says so; once every server
  // is at_rest(), save() gives the component's whole state, to which each server adds its part.
  void close_step();
  bool at_rest() const;
  void save(model::StateSaver& saver) const;
  // Its clients have given something that is not taken yet, or a checkpoint that is not saved everywhere.
  bool cuts() const { return !fatal() && input_ && (input_->buffer_used() > 0.0 || checkpoints_.cuts()); }

  // Another server, or a process with one, is gone: the component ends with what is complete.
  void lose_server(int server, const base::Fault& fault);

  // StepReceiver
  bool ready_for_step() override;
  void begin_step(const model::Tick& tick) override;
  void accept(int client, const model::PacketHeader& header, std::span<const std::byte> payload) override;
  void checkpoint(std::span<const std::byte> values) override;
  bool is_saved() override { return checkpoints_.is_saved(); }
  void end_of_input() override;
  void fail(const base::Fault& fault) override;

  const ComponentInfo& info() const { return blueprint_.info; }
  // What came from other servers and waits for the workers, who need nothing more to be through with it.
  std::size_t unprocessed_bytes() const { return router_.unprocessed_bytes(); }
  // Its clients are kept waiting until some server has written more, which a message tells.
  bool waits_for_writers() const { return waits_for_writers_; }
  std::vector<telemetry::DatasetStatus> file_status() const { return commits_.status(); }
  std::optional<telemetry::CheckpointStatus> checkpoint_status() const { return checkpoints_.status(); }
  std::string describe() const;  // for the watchdog: who waits for whom

 private:
  ComponentLifecycle::Events events();
  checkpoints::Checkpoints::Events checkpoint_events();
  bool rests_for_cut();
  std::vector<std::vector<std::size_t>> bytes_per_record() const;
  void load(const model::StateLoader& saved);
  void on_step(const model::Tick& tick);
  void finish_windows();
  bool close();
  std::size_t leaving_bytes() const;
  bool has_room();
  bool fails_for_lack_of_room();
  void count_held();
  bool go_on_ending();
  bool may_stop_taking(double waited) const;
  void on_stop();
  void on_cut(const model::Tick& tick);
  void tell_the_end();
  bool has_enough_to_do() const;
  bool input_over() const { return !input_ || input_->finished() || cut(); }
  bool all_in() const { return input_ ? input_ended_ : lifecycle_.last_step_announced(); }
  bool diagnostics_over() const { return !diagnostics_ || fatal() || diagnostics_->over(); }

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
  std::unique_ptr<Diagnostics> diagnostics_;  // null where there are none
  Input* input_ = nullptr;                    // null on a server without clients
  telemetry::HeldPart held_;
  double next_count_ = 0.0;
  std::size_t needed_besides_ = 0;  // of what must be held, where `memory` is not given
  bool waits_for_writers_ = false;
  bool input_ended_ = false;
  bool windows_finished_ = false;
  bool end_told_ = false;
};

}  // namespace tailrace::pipeline
