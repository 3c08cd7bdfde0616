// One component of the run on one server: its blocks go through time into chunks, chunks to the owners of the
// files, and the files to disk. Wires the rooms; decides nothing that the plan does not say.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "analytics/engine.hpp"
#include "messaging/messenger.hpp"
#include "server/intake.hpp"
#include "server/pipeline.hpp"
#include "session/axis_bank.hpp"
#include "session/file_clock.hpp"
#include "session/geometry.hpp"
#include "session/layout.hpp"
#include "session/outbox.hpp"
#include "session/owned_file.hpp"
#include "session/plan.hpp"
#include "time/accumulator.hpp"

namespace tailrace::session {

// What all servers know of a component before its first step.
struct ComponentInfo {
  int number = 0;               // among the components
  Configuration configuration;  // with the model's options filled in
  model::Declarations declarations;
  model::Decomposition decomposition;
  model::Tick begin;
  int leader = 0;  // the server of the component's first rank: the one that tells the others the time
  std::string history;
};

// Kinds of messages between servers; each component has its own block of numbers.
enum class Word : std::int32_t { bundle, tick, final_tick, fault, fatal, closed, set_up, written, analytics };
inline constexpr std::int32_t words_per_component = 9;

class ServedComponent final : public server::Pipeline {
 public:
  ServedComponent(ComponentInfo info, messaging::Messenger& messenger, FileServices services);
  ~ServedComponent() override;

  // Creates the files this server owns. Throws what went wrong.
  void create_files();
  // The clients of this server, once they are connected. Called once, before any progress.
  void start(std::vector<server::Link> links);
  bool progress();
  bool over() const { return closed_servers_ == messenger_.size() && input_over(); }
  // All commits that the steps before the current one brought about are on disk, whoever owns the file, and
  // nothing is under way from here. In mode inline only, where all servers are in `step` together.
  bool settled() const;
  const std::vector<base::Fault>& faults() const { return faults_; }  // raised so far, on any server
  const std::optional<base::Fault>& fatal() const { return fatal_; }  // why the component ended early

  // server::Pipeline
  bool ready_for_step() override;
  void begin_step(const model::Tick& tick) override;
  void accept(int client, const model::RecordHeader& header, std::span<const std::byte> payload) override;
  void end_of_input() override;
  void fail(const base::Fault& fault) override;

  const ComponentInfo& info() const { return info_; }
  const server::Intake* intake() const { return intake_.get(); }
  std::vector<telemetry::FileStatus> file_status() const;
  std::string describe() const;

 private:
  struct Stream;     // one variable of one file
  struct PieceHead;  // of a piece on its way to a chunk's owner
  struct ChunkHead;  // of a chunk on its way to a file's owner

  void make_streams();
  std::unique_ptr<Stream> make_stream(std::size_t file, std::size_t variable);
  std::size_t bytes_per_record(std::size_t file, std::size_t axis) const;
  int file_owner(std::size_t file) const;
  int chunk_owner(const Stream& stream, std::int64_t spatial, std::int64_t record_chunk) const;
  Geometry& geometry(int grid, const VariableLayout& layout);
  void listen();

  void make_engine(const std::vector<server::Link>& links);
  bool progress_analytics();
  void begin_analytics(const model::Tick& tick, const AxisBank& axes);
  void fold(const analytics::StepResults& results, const std::vector<std::vector<time::Share>>& shares);
  void tell_failures();
  bool analytics_over() const;

  // `accumulator`: of the client; null where the stream copies.
  void reduce(Stream& stream, int client, time::Accumulator* accumulator, std::span<const std::byte> payload,
              const std::vector<time::Share>& shares);
  void close(Stream& stream, int client, std::int64_t record);
  std::size_t cells_of(const Stream& stream, int client) const;
  bool sends(int field, int client) const;

  void expect_optional_fields(const std::vector<server::Link>& links);
  void note_put(int field, int client);
  void close_gaps();
  void skip(Stream& stream, int client, const std::vector<time::Share>& shares);
  void finish_all_windows();
  void finish_windows(Stream& stream);
  void emit(Stream& stream, int client, std::int64_t record, std::span<const std::byte> values);
  void send_piece(const Stream& stream, int to, int client, std::int64_t record, const Piece& piece,
                  std::span<const std::byte> values);
  // On a worker, counted in in_work_ until it ends; `light` as Executor::submit means it.
  void work(server::Executor::Work work, bool light = false);
  void receive_piece(std::span<const std::byte> item);
  void chunk_done(std::size_t stream, output::FinishedChunk&& chunk);
  void receive_chunk(std::span<const std::byte> item);
  bool take_delivered();

  void tell(Word word, messaging::Bytes message);  // to all servers, this one included
  void on_tick(const model::Tick& tick);
  void on_final_tick();
  void carry_out(std::size_t file, const CommitDue& due);
  void on_fault(const base::Fault& fault, bool fatal);
  void confirm_written();
  void count_held();
  bool input_over() const { return !intake_ || intake_->finished(); }

  ComponentInfo info_;
  messaging::Messenger& messenger_;
  FileServices services_;
  Plan plan_;
  std::vector<FileLayout> layouts_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::vector<Stream*>> streams_of_field_;
  std::map<std::pair<int, std::vector<std::int64_t>>, std::unique_ptr<Geometry>> geometries_;
  std::vector<std::unique_ptr<OwnedFile>> files_;     // null where another server owns it
  model::Tick sample_tick_{model::static_step, 0.0};  // the step whose blocks are being taken
  AxisBank sample_axes_;                              // at the step whose blocks are being taken
  AxisBank clock_axes_;                               // at the step that the leader told of
  std::vector<FileClock> clocks_;
  model::Tick clock_tick_{model::static_step, 0.0};  // the latest that the leader told of
  struct Progress {
    std::vector<std::int64_t> due;  // steps of commits that the owner has not yet said to be on disk
    // The owner's word on a commit may come before the leader's on the step that made it due.
    std::int64_t written = model::static_step;
    std::int64_t said = model::static_step;  // by this server, where it owns the file
  };
  std::vector<Progress> progress_;  // by file; mode inline
  Outbox outbox_;
  std::unique_ptr<server::Intake> intake_;

  struct Delivered {
    std::size_t file, variable;
    output::FinishedChunk chunk;
  };
  std::mutex mutex_;  // guards delivered_
  std::vector<Delivered> delivered_;
  std::atomic<int> in_work_{0};             // pieces being put into chunks, windows being finished
  std::atomic<std::size_t> held_bytes_{0};  // of pieces in work and chunks delivered
  bool input_ended_ = false, final_told_ = false, final_heard_ = false, closed_told_ = false;
  bool windows_finished_ = false;
  bool started_ = false;
  std::vector<std::function<void()>>
      early_;  // what the leader said before start(): it may be ahead of others

  // Of fields that need not be put: what came in the current step. Workers write into different elements.
  struct OptionalField {
    int field = -1;
    std::vector<int> clients;  // of this server that have cells of it, ascending
    std::vector<unsigned char> put;
    bool told = false;
  };
  std::vector<OptionalField> optional_fields_;
  std::vector<int> optional_of_field_;  // index into optional_fields_; -1: it must be put

  // Diagnostics: their results are folded into streams a step at a time, in the order of steps.
  struct Fold {
    analytics::StepResults results;
    std::vector<std::vector<time::Share>> shares;  // by number of axis
  };
  struct Input {
    int number = -1;  // of the analysis; -1: none
    model::DataType type = model::DataType::float64;
  };
  std::vector<Input> input_of_field_;
  std::unique_ptr<analytics::Engine> engine_;
  // By number of axis: some diagnostic is sampled there; that and the latest step is a sample; and which
  // diagnostics are due then.
  std::vector<char> diagnostic_axes_, active_axes_, due_;
  std::deque<std::vector<std::vector<time::Share>>> step_shares_;  // of steps under way in the engine
  std::deque<Fold> folds_;
  std::atomic<bool> folding_{false};
  enum class Proof { none, asked, given } proof_ = Proof::none;
  std::set<int> failed_diagnostics_;
  int closed_servers_ = 0;
  std::vector<base::Fault> faults_;
  std::optional<base::Fault> fatal_;
};

}  // namespace tailrace::session
