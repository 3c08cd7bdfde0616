#include "pipeline/checkpoints/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/fault_bytes.hpp"
#include "base/log.hpp"
#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/series/begun_files.hpp"
#include "env/clock.hpp"
#include "env/faults.hpp"
#include "env/file_system.hpp"
#include "env/threads.hpp"
#include "model/kept_value.hpp"
#include "pipeline/checkpoints/pieces.hpp"
#include "plan/restart/description.hpp"
#include "plan/restart/output_paths.hpp"

namespace tailrace::pipeline::checkpoints {
namespace {

settings::CheckpointOptions options_of(const Blueprint& blueprint) {
  const auto* options = blueprint.info.configuration.sections.find<settings::CheckpointOptions>();
  return options != nullptr ? *options : settings::CheckpointOptions{};
}

std::string path_of_checkpoints(const Blueprint& blueprint) {
  return checkpoint::checkpoints_path(options_of(blueprint).directory, blueprint.info.declarations.component);
}

std::string path_in_buffer(const Blueprint& blueprint) {
  const std::string buffer = options_of(blueprint).burst_buffer;
  return buffer.empty() ? "" : checkpoint::buffered_path(buffer, path_of_checkpoints(blueprint));
}

checkpoint::OutputOfRun output_of(const Blueprint& blueprint) {
  plan::OutputPaths paths = plan::output_paths(blueprint.plan, blueprint.info.begin);
  return {std::filesystem::current_path().string(), std::move(paths.series), std::move(paths.files)};
}

// The series whose files may be replaced although no job of this run made them: the configuration says what
// happens to them, or the user wants a run from the beginning.
std::set<std::string> series_to_replace(const Blueprint& blueprint) {
  using settings::Restart;
  const Restart restart = options_of(blueprint).restart;
  const bool begins_as_asked =
      restart == Restart::never || (restart == Restart::at_initial_step && !blueprint.info.saved);
  std::set<std::string> series;
  for (const plan::DatasetPlan& file : blueprint.plan.files)
    if (begins_as_asked || file.entry.if_exists) series.insert(file.entry.path);
  return series;
}

// The next job may run in a copy of this directory, so relative paths stay relative. The model may have
// changed its working directory meanwhile.
std::string seen_from(const std::string& directory, const std::string& path) {
  if (std::filesystem::path(path).is_absolute()) return path;
  return std::filesystem::absolute(path).lexically_normal().lexically_relative(directory).string();
}

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

Checkpoints::Checkpoints(const Blueprint& blueprint, ControlChannel& control, sinks::SinkServices services,
                         Events events)
    : blueprint_(blueprint),
      control_(control),
      services_(services),
      events_(std::move(events)),
      options_(options_of(blueprint)),
      owners_(owners_of_fields(blueprint.plan, blueprint.info.declarations, control.size())),
      blocks_(blueprint),
      checkpoints_path_(path_of_checkpoints(blueprint)),
      buffered_path_(path_in_buffer(blueprint)),
      output_(output_of(blueprint)),
      replaced_series_(series_to_replace(blueprint)),
      newest_cut_(blueprint.info.saved ? blueprint.info.begin.step : -1),
      own_(services.executor, env::system_files(), control.rank()),
      drain_(services.executor, env::system_files()),
      committer_(services.executor, control.size(), !buffered_path_.empty(), committer_events()),
      barrier_(
          control, blueprint.info.leader,
          {.begin = [this](const model::Tick& tick, const messaging::Bytes& values) { begin(tick, values); },
           .at_rest = [this] { return events_.at_rest(); },
           .save = [this] { save(); }}),
      through_(control.messenger(), control.kind(ControlMessage::through), blueprint.info.leader,
               [this](const messaging::Bytes&) {
                 control_.broadcast(ControlMessage::all_through, messaging::Bytes{});
               }),
      shards_(control.messenger(), control.kind(ControlMessage::shard), blueprint.info.leader,
              [this](const messaging::Bytes& messages) { on_shards(messages); }),
      drained_(control.messenger(), control.kind(ControlMessage::drained), blueprint.info.leader,
               [this](const messaging::Bytes& messages) { on_drained(messages); }) {
  control_.on(ControlMessage::state, [this](int from, messaging::Bytes&& bundle) {
    own_.take(std::move(bundle));
    control_.messenger().send(from, control_.kind(ControlMessage::taken), {});
  });
  control_.on(ControlMessage::taken, [this](int, messaging::Bytes&&) {
    if (--not_taken_ == 0) through_.say({});
  });
  control_.on_broadcast(ControlMessage::all_through, blueprint.info.leader,
                        [this](int, messaging::Bytes&&) { own_.end_of_pieces(); });
  control_.on_broadcast(ControlMessage::drain, blueprint.info.leader,
                        [this](int, messaging::Bytes&& message) { on_decision(message); });
}

CheckpointCommitter::Events Checkpoints::committer_events() {
  return {.decided =
              [this](std::int64_t step, bool is_wanted) {
                base::ByteWriter writer;
                writer.put(step);
                writer.put(static_cast<std::uint8_t>(is_wanted));
                control_.broadcast(ControlMessage::drain, writer.take());
              },
          .on_nodes = [this](const CheckpointTimes& times) { on_nodes(times); },
          .durable = [this](const CheckpointTimes& times) { durable(times); },
          .failed = [this](const base::Fault& fault) { failed(fault); }};
}

void Checkpoints::open() {
  if (!options_.is_asked_for) return;
  if (!buffered_path_.empty()) try_buffer();
  if (!is_leader()) return;
  auto store = open_store();
  const bool restarts = blueprint_.info.saved != nullptr;
  const auto step = restarts ? std::optional(blueprint_.info.begin.step) : std::nullopt;
  store->discard_after(step);
  checkpoint::remove_begun_behind(env::system_files(), store->path(), output_, step);
  committer_.open(std::move(store), options_.keep);
}

std::unique_ptr<checkpoint::CheckpointStore> Checkpoints::open_store() const {
  try {
    return std::make_unique<checkpoint::CheckpointStore>(env::system_files(), options_.directory,
                                                         blueprint_.info.declarations.component);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}  checkpoint.directory: {}", options_.location.text(), error.what()));
  }
}

void Checkpoints::try_buffer() const {
  try {
    checkpoint::try_buffer(env::system_files(), buffered_path_, fmt::format("server.{}", control_.rank()));
  } catch (const Error& error) {
    throw Error(
        error.code(),
        fmt::format("{}  checkpoint.burst_buffer: server {} cannot write there, on node {}: {}; "
                    "expected a directory that each node with a server has, or no `burst_buffer`",
                    options_.burst_buffer_location.text(), control_.rank(), env::host_name(), error.what()));
  }
}

void Checkpoints::watch_files(sinks::SinkServices& services) {
  if (!options_.is_asked_for) return;
  const std::string& component = blueprint_.info.declarations.component;
  services.begins_file = [this](const std::string& path, const std::string& series,
                                std::optional<std::int64_t> last_step) {
    begin_file(path, series, last_step);
  };
  services.marks_commit = [this, component](telemetry::CommitLine& line) {
    line.component = component;
    line.checkpoint = newest_cut_.load(std::memory_order_relaxed);
  };
}

void Checkpoints::begin_file(const std::string& path, const std::string& series,
                             std::optional<std::int64_t> last_step) const {
  env::FileSystem& files = env::system_files();
  const std::string noted = seen_from(output_.directory, path);
  if (!replaced_series_.contains(series) && files.entry(path) != env::Entry::none &&
      !checkpoint::was_begun(checkpoint::read_run_files(files, checkpoints_path_), noted))
    throw Error(
        ErrorCode::resource,
        fmt::format("{}: exists, and is not replaced, as no job of this run made it; expected another "
                    "path, or `if_exists: replace`",
                    path));
  // A file that a run writes when it ends at the step of its last checkpoint holds nothing of later steps.
  // It stays when a run goes on from there: it may be the file with the model's own checkpoint.
  const std::int64_t newest = newest_cut_.load(std::memory_order_relaxed);
  checkpoint::note_begun(files, checkpoints_path_,
                         {noted, series, last_step ? std::min(newest, *last_step - 1) : newest});
}

void Checkpoints::keep(int client, int field, std::span<const std::byte> values) {
  blocks_.accept(client, field, values);
}

std::optional<base::Fault> Checkpoints::disagreement(const model::Tick& begun) const {
  const auto is_passed = [&](const std::optional<model::Tick>& at) { return at && at->step < begun.step; };
  const bool asked_here = is_passed(barrier_.asked_at()), asked_there = is_passed(barrier_.announced_at());
  if (asked_here == asked_there) return std::nullopt;
  return base::Fault{
      ErrorCode::usage,
      fmt::format("component \"{}\": some ranks called checkpoint at step {}, others continued to step {}; "
                  "expected the call on all ranks at the same step",
                  blueprint_.info.declarations.component,
                  asked_here ? barrier_.asked_at()->step : barrier_.announced_at()->step, begun.step)};
}

void Checkpoints::begin(const model::Tick& tick, const messaging::Bytes& values) {
  const checkpoint::CheckpointHeader head{blueprint_.info.declarations.component, tick.step, tick.time};
  const bool buffers = !buffered_path_.empty();
  own_.begin(checkpoint::checkpoint_path(checkpoints_path_, tick.step),
             buffers ? checkpoint::checkpoint_path(buffered_path_, tick.step) : "", head);
  // Not earlier: until the leader holds the lock, another job may still have shards in this buffer.
  if (buffers && !std::exchange(buffer_is_clean_, true))
    services_.executor.write([path = buffered_path_, step = tick.step, servers = control_.size()] {
      checkpoint::clean_buffer(env::system_files(), path, step, servers);
    });
  if (!is_leader()) return;
  base::ByteReader reader(values);
  const double model_seconds = reader.rest().empty() ? 0.0 : reader.get<double>();
  values_ = model::kept_values_from(reader.rest());
  committer_.begin({.head = head,
                    .texts = plan::describe_for_restart(blueprint_.plan, blueprint_.info.declarations),
                    .shards = {}},
                   model_seconds);
}

void Checkpoints::save() {
  PieceSender sender(control_, owners_, [this](OwnPiece&& piece) { own_.keep(std::move(piece)); });
  try {
    blocks_.hand_over(sender);  // first, because it is the largest part and is written meanwhile
    events_.save(sender);
    model::save(std::exchange(values_, {}), sender);
  } catch (...) {
    failed(base::current_fault());
    // The owner of an array finds missing cells, so this checkpoint is abandoned.
  }
  not_taken_ = sender.finish();
  if (not_taken_ == 0) through_.say({});
  newest_cut_.store(barrier_.announced_at()->step, std::memory_order_relaxed);
}

bool Checkpoints::progress() {
  bool moved = barrier_.progress(committer_.may_begin());
  moved = own_.progress() || moved;
  if (const auto outcome = own_.take_outcome()) {
    report_shard(*outcome);
    moved = true;
  }
  moved = drain_.progress() || moved;
  while (const auto outcome = drain_.take_outcome()) {
    report_drained(*outcome);
    moved = true;
  }
  return committer_.progress() || moved;
}

void Checkpoints::report_shard(const LocalShard::Outcome& outcome) {
  base::ByteWriter writer;
  put_fault(writer, outcome.fault);
  if (!outcome.fault) {
    env::maybe_fail("member");
    outcome.shard.put(writer);
    if (!buffered_path_.empty())
      drain_.add(checkpoint::checkpoint_path(checkpoints_path_, outcome.step), outcome.step, outcome.shard);
  }
  shards_.say(writer.take());
}

void Checkpoints::on_shards(const messaging::Bytes& messages) {
  for (base::ByteReader reader(messages); !reader.rest().empty();) {
    if (const auto fault = get_fault(reader))
      committer_.add_fault(*fault);
    else
      committer_.add_shard(checkpoint::Shard::get(reader));
  }
}

void Checkpoints::on_decision(const messaging::Bytes& message) {
  base::ByteReader reader(message);
  const auto step = reader.get<std::int64_t>();
  drain_.decide(step, reader.get<std::uint8_t>() != 0);
}

void Checkpoints::report_drained(const Drain::Outcome& outcome) {
  base::ByteWriter writer;
  writer.put(outcome.step);
  put_fault(writer, outcome.fault);
  drained_.say(writer.take());
}

void Checkpoints::on_drained(const messaging::Bytes& messages) {
  for (base::ByteReader reader(messages); !reader.rest().empty();) {
    const auto step = reader.get<std::int64_t>();
    committer_.drained({step, get_fault(reader)});
  }
}

void Checkpoints::on_nodes(const CheckpointTimes& times) {
  const double seconds = env::steady_seconds() - times.begun_at;
  telemetry::BurstBufferCounters& counters = services_.counters.burst_buffer;
  counters.seconds.record_seconds(seconds);
  counters.bytes.add(times.buffered);
  counters.overflowed.add(static_cast<std::uint64_t>(times.overflowed));
  counters.high_water_bytes.raise_to(committer_.waiting_bytes());
  if (!newest_) newest_ = {.component = times.head.component};
  newest_->step_on_nodes = times.head.step;
  newest_->seconds_to_nodes = seconds;
  base::log_info(
      fmt::format("checkpoint of step {} ({} s): {:.1f} MiB are on the nodes after {:.2f} s; "
                  "{:.1f} MiB wait in burst buffers",
                  times.head.step, times.head.time, mebibytes(times.bytes), seconds,
                  mebibytes(committer_.waiting_bytes())));
}

void Checkpoints::durable(const CheckpointTimes& times) {
  const double seconds = env::steady_seconds() - times.begun_at;
  services_.counters.checkpoints.add();
  services_.counters.checkpoint_bytes.add(times.bytes);
  services_.counters.checkpoint_seconds.record_seconds(seconds);
  const checkpoint::CheckpointHeader& head = times.head;
  if (!newest_) newest_.emplace();
  newest_->component = head.component;
  newest_->count = services_.counters.checkpoints.get();
  newest_->step = head.step;
  newest_->time = head.time;
  newest_->seconds = seconds;
  newest_->bytes = times.bytes;
  newest_->model_seconds = times.model_seconds;
  base::log_info(fmt::format("checkpoint of step {} ({} s): {:.1f} MiB are durable after {:.2f} s", head.step,
                             head.time, mebibytes(times.bytes), seconds));
}

std::optional<telemetry::CheckpointStatus> Checkpoints::status() const {
  auto status = newest_;
  if (status) {
    status->waiting = committer_.waiting();
    status->waiting_bytes = committer_.waiting_bytes();
  }
  return status;
}

void Checkpoints::failed(const base::Fault& fault) {
  const std::string message =
      fmt::format("the checkpoint cannot be made: {}; earlier checkpoints are kept", fault.message);
  if (options_.on_error == settings::OnCheckpointError::skip)
    base::log_warning(message + " (checkpoint.on_error: skip)");
  else
    events_.tell({fault.code, message});
}

void Checkpoints::give_up() {
  barrier_.give_up();
  own_.give_up();
  blocks_.drop();
  drain_.give_up();
  committer_.give_up();
}

std::string Checkpoints::describe() const {
  const std::string& component = blueprint_.info.declarations.component;
  if (barrier_.under_way())
    return fmt::format("\n    component \"{}\": its servers finish their work for a checkpoint", component);
  if (committer_.waiting() > 0 && !own_.under_way())
    return fmt::format("\n    component \"{}\": {} checkpoint(s) are drained from burst buffers, {:.1f} MiB",
                       component, committer_.waiting(), mebibytes(committer_.waiting_bytes()));
  if (under_way()) return fmt::format("\n    component \"{}\": a checkpoint is being written", component);
  return {};
}

}  // namespace tailrace::pipeline::checkpoints
