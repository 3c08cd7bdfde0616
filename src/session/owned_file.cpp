#include "session/owned_file.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/delays.hpp"
#include "session/series_clock.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::session {
namespace {

constexpr double retry_seconds = 1.0;  // between two tries of the same commit

std::vector<output::CommittedVariable> committed_variables(const FilePlan& plan, const FileLayout& layout) {
  std::vector<output::CommittedVariable> variables;
  for (const VariableLayout& variable : layout.variables) {
    const auto& spec = layout.dataset.variables[static_cast<std::size_t>(variable.variable)];
    const int axis = variable.plan < 0 ? -1 : plan.variables[static_cast<std::size_t>(variable.plan)].axis;
    variables.push_back({variable.variable,
                         axis,
                         spec.chunk.empty(),
                         {variable.shape, variable.chunk, variable.records_per_chunk}});
  }
  return variables;
}

std::vector<int> axis_dims(const FileLayout& layout) {
  std::vector<int> dims;
  for (const AxisLayout& axis : layout.axes) dims.push_back(axis.dim);
  return dims;
}

// What the chunks of a commit would take without encoding.
std::size_t raw_bytes(const output::Commit& commit, const output::DatasetSpec& dataset) {
  std::size_t bytes = 0;
  for (const output::EncodedChunk& chunk : commit.chunks) {
    const output::VariableSpec& spec = dataset.variables[static_cast<std::size_t>(chunk.variable)];
    std::size_t cells = 1;
    for (const std::int64_t extent : spec.chunk) cells *= static_cast<std::size_t>(extent);
    bytes += cells * model::size_of(spec.type);
  }
  return bytes;
}

output::PlainValues doubles(int variable, std::int64_t first, const std::vector<double>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {variable, first, {bytes.begin(), bytes.end()}};
}

}  // namespace

// One commit on its way to the disk. The I/O thread writes `fault` and then `done`.
struct OwnedFile::Write {
  std::optional<output::ReadyCommit> ready;  // none: the dataset is to be closed
  std::optional<base::Fault> fault;
  std::atomic<bool> done{false};
  double first_try = 0.0;
};

OwnedFile::OwnedFile(const FilePlan& plan, const FileLayout& layout, FileServices services)
    : plan_(plan),
      layout_(layout),
      services_(services),
      committer_(committed_variables(plan, layout), axis_dims(layout)),
      counters_(&services.counters.add_file(plan.entry.path)) {
  if (plan.entry.series) {
    cutter_ = PartCutter(layout, committed_variables(plan, layout));
    return;
  }
  try {
    create("");
  } catch (const Error& error) {
    if (plan.entry.on_error != OnError::skip) throw;
    base::log_warning(fmt::format("{} is skipped (on_error: skip): {}", plan.entry.path, error.what()));
    closed_ = true;
  }
}

OwnedFile::~OwnedFile() {
  while (write_ && writing_ && !write_->done.load(std::memory_order_acquire)) std::this_thread::yield();
}

void OwnedFile::create(const std::string& part) {
  const output::Format* format = output::find_format(plan_.entry.format);
  TAILRACE_ASSERT(format != nullptr, "the configuration was checked");
  if (part.empty()) {
    dataset_ = format->create(layout_.dataset);
  } else {
    output::DatasetSpec spec = layout_.dataset;
    spec.path = path_of_part(spec.path, part, plan_.as_monc);
    dataset_ = format->create(spec);
  }
  counters_->disk_bytes.set(closed_bytes_ + dataset_->bytes_on_disk());
}

// On the I/O thread; may be tried again.
void OwnedFile::write(const output::ReadyCommit& ready) {
  if (!ready.commit.chunks.empty() || !ready.commit.values.empty()) {
    if (!dataset_) create(ready.point.part);
    dataset_->commit(ready.commit);
  }
  if (!ready.point.ends_part || !dataset_) return;
  dataset_->close();
  closed_bytes_ += dataset_->bytes_on_disk();
  dataset_.reset();
}

void OwnedFile::point(const CommitDue& due) {
  if (closed_) return;
  output::CommitPoint point;
  point.lengths = due.lengths;
  point.model_time = due.tick.time;
  point.step = due.tick.step;
  point.closed_at = env::steady_seconds();
  point.final = due.final;
  point.part = due.part;
  point.ends_part = due.ends_part;
  for (std::size_t axis = 0; axis < due.records.size(); ++axis) {
    if (due.records[axis].empty()) continue;
    std::vector<double> times, bounds;
    for (const time::TimeRecord& record : due.records[axis]) {
      times.push_back(time_stamp(record, plan_.entry.time_stamp));
      bounds.push_back(record.begin);
      bounds.push_back(record.end);
    }
    const std::int64_t first = due.lengths[axis] - static_cast<std::int64_t>(times.size());
    const AxisLayout& at = layout_.axes[axis];
    point.values.push_back(doubles(at.time_variable, first, times));
    if (at.bounds_variable >= 0) point.values.push_back(doubles(at.bounds_variable, first, bounds));
  }
  if (!constants_sent_) {
    for (const output::PlainValues& values : layout_.constants) point.values.push_back(values);
    constants_sent_ = true;
  }
  committer_.point(std::move(point));
}

void OwnedFile::deliver(std::size_t variable, output::FinishedChunk&& chunk) {
  if (!closed_) committer_.deliver(variable, std::move(chunk));
}

bool OwnedFile::progress() {
  bool moved = take_result();
  if (closed_ || writing_) return moved;
  if (write_) {  // a commit that failed and is to be tried again
    if (env::steady_seconds() < retry_at_) return moved;
    start(std::move(write_));
    return true;
  }
  if (auto ready = committer_.next()) {
    auto write = std::make_shared<Write>();
    write->ready = std::move(ready);
    if (plan_.entry.series) cutter_.cut(*write->ready);
    split_chunks(layout_, write->ready->commit);
    write->first_try = env::steady_seconds();
    start(std::move(write));
    return true;
  }
  if (!closing_ && (committer_.finished() || giving_up_)) {
    start_close();
    return true;
  }
  return moved;
}

void OwnedFile::start(std::shared_ptr<Write> write) {
  write_ = std::move(write);
  write_->fault.reset();
  write_->done.store(false, std::memory_order_relaxed);
  writing_ = true;
  services_.executor.write([this, write = write_] {
    const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::write, services_.trace);
    try {
      env::maybe_delay("commit");
      if (write->ready) {
        const telemetry::ScopedTimer commit_timer(counters_->write);
        this->write(*write->ready);
      } else if (dataset_) {
        dataset_->close();
      }
      counters_->disk_bytes.set(closed_bytes_ + (dataset_ ? dataset_->bytes_on_disk() : 0));
    } catch (...) {
      write->fault = base::current_fault();
    }
    write->done.store(true, std::memory_order_release);
  });
}

bool OwnedFile::take_result() {
  if (!writing_ || !write_->done.load(std::memory_order_acquire)) return false;
  writing_ = false;
  if (!write_->fault) {
    committed(*write_);
    write_.reset();
    return true;
  }
  const double now = env::steady_seconds();
  const bool retry = write_->ready && plan_.entry.on_error == OnError::retry &&
                     now - write_->first_try < plan_.entry.retry_for_seconds;
  if (retry) {
    base::log_warning(
        fmt::format("{}: {}; trying again (on_error: retry)", plan_.entry.path, write_->fault->message));
    retry_at_ = now + retry_seconds;
    return true;
  }
  const base::Fault fault = *write_->fault;
  write_.reset();
  failed(fault);
  return true;
}

void OwnedFile::committed(const Write& write) {
  if (!write.ready) {
    closed_ = true;
    return;
  }
  ++commits_;
  const output::CommitPoint& point = write.ready->point;
  committed_time_ = counters_->last_model_time = point.model_time;
  written_step_ = point.step;
  counters_->raw_bytes.add(raw_bytes(write.ready->commit, layout_.dataset));
  counters_->encoded_bytes.add(write.ready->bytes);
  services_.counters.encoded_bytes_out.add(write.ready->bytes);
  const double now = env::steady_seconds();
  services_.counters.committed(now - services_.run_begin, now - point.closed_at);
  telemetry::CommitLine line{
      point.part.empty() ? plan_.entry.path : path_of_part(plan_.entry.path, point.part, plan_.as_monc),
      {},
      point.model_time};
  std::int64_t records = 0;
  for (std::size_t axis = 0; axis < plan_.axes.size(); ++axis) {
    line.lengths[plan_.axes[axis].dim] = write.ready->commit.lengths.at(layout_.axes[axis].dim);
    records += point.lengths[axis];
  }
  counters_->records.set(static_cast<std::uint64_t>(records));
  if (services_.log) services_.log->add(line);
}

// The file ends with its last commit; the others go on.
void OwnedFile::failed(const base::Fault& fault) {
  const std::string message =
      fmt::format("{}: {}; what was committed until {} s of model time is in the file", plan_.entry.path,
                  fault.message, committed_time_);
  if (plan_.entry.on_error == OnError::skip)
    base::log_warning(fmt::format("{} (on_error: skip: the file is given up, the run goes on)", message));
  else
    fault_ = base::Fault{fault.code, message};
  closed_ = true;
  dataset_.reset();
  committer_ = output::Committer({}, {});  // what waits here leaves no more, and must hold no step back
}

void OwnedFile::give_up() { giving_up_ = true; }

void OwnedFile::start_close() {
  closing_ = true;
  start(std::make_shared<Write>());
}

std::size_t OwnedFile::bytes() const {
  return committer_.bytes() + (write_ && write_->ready ? write_->ready->bytes : 0);
}

std::size_t OwnedFile::due_bytes(std::int64_t step) const {
  return committer_.due_bytes(step) + (write_ && write_->ready ? write_->ready->bytes : 0);
}

telemetry::FileStatus OwnedFile::status() const { return {plan_.entry.path, commits_, committed_time_}; }

std::string OwnedFile::describe() const {
  if (closed()) return fmt::format("\n    file {}: closed", plan_.entry.path);
  if (writing_) return fmt::format("\n    file {}: a commit is being written", plan_.entry.path);
  return fmt::format("\n    file {}: {}", plan_.entry.path, committer_.waiting_for());
}

}  // namespace tailrace::session
