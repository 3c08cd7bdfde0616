#include "sinks/dataset_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/decimal_text.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "cf/conventions.hpp"
#include "env/clock.hpp"
#include "env/delays.hpp"
#include "env/file_system.hpp"
#include "points/track.hpp"
#include "sinks/committing.hpp"
#include "sinks/saved_records.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::sinks {
namespace {

constexpr double retry_seconds = 1.0;  // between two tries of the same commit
constexpr std::size_t gather_bytes = std::size_t{8} << 20, gather_bytes_of_all = std::size_t{32} << 20;
constexpr double gather_seconds = 60.0;  // small commits wait so long at most, if the user gives no period

output::PlainValues doubles(int variable, std::int64_t first, const std::vector<double>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {variable, first, {bytes.begin(), bytes.end()}};
}

// A message of a format names the file first. It follows the line and the option of the file, which name it
// already unless it belongs to a series.
std::string at_its_line(const settings::OutputEntry& entry, std::string_view message) {
  if (const std::string name = entry.path + ": "; message.starts_with(name))
    message.remove_prefix(name.size());
  if (entry.location.line <= 0) return fmt::format("{}: {}", entry.path, message);
  return fmt::format("{}  {}{}: {}", entry.location.text(), entry.writer()->is_for_files() ? "output." : "",
                     entry.path, message);
}

void check_exists(const env::FileSystem& files, const std::filesystem::path& folder) {
  std::filesystem::path part;
  for (const std::filesystem::path& name : folder) {
    part /= name;
    if (!files.exists(part.string()))
      throw Error(ErrorCode::resource,
                  fmt::format("cannot create: the folder {} does not exist", part.string()));
  }
}

}  // namespace

// A task of an I/O thread, which writes `fault` and then `done`.
struct DatasetSink::Write {
  std::optional<output::ReadyCommit> ready;  // none: close the dataset
  std::optional<base::Fault> fault;
  std::atomic<bool> done{false};
  double first_try = 0.0;
};

DatasetSink::DatasetSink(const SinkPlace& place, const output::Format& format, SinkServices services,
                         Share share, std::optional<output::ManyWriters> writers)
    : plan_(place.plan),
      layout_(place.layout),
      format_(format),
      services_(services),
      home_(place.owners.of_file(place.file)),
      share_(share),
      path_(layout_.dataset.path),
      writers_(std::move(writers)),
      server_(place.server),
      committer_(committed_variables(plan_, layout_), axis_dims(layout_), own_chunks(place, share)),
      gathered_(layout_.dataset),
      counters_(&services.counters.add_file(plan_.entry.path)) {
  // The first commit is made at once, unless it would store chunks that are written again when they are full.
  if (fills_compressed_chunks(layout_)) written_at_ = env::steady_seconds();
  errors_ = KeptErrors(layout_.dataset, counters_->kept);
  if (plan_.continues) committer_.resume(continued_records(plan_), !plan_.entry.has_many_files());
  if (share_ == Share::chunks) {
    path_ = std::filesystem::absolute(path_).string();
    writers_ = output::ManyWriters{place.owners.servers(), ""};
    return;
  }
  if (plan_.entry.has_many_files()) {
    cutter_ = PartCutter(layout_, committed_variables(plan_, layout_));
    return;
  }
  try {
    create({});
  } catch (const Error& error) {
    const std::string message = at_its_line(plan_.entry, error.what());
    if (plan_.entry.on_error != settings::OnError::skip) throw Error(error.code(), message);
    base::log_warning(fmt::format("{}; the file is skipped (on_error: skip)", message));
    closed_ = given_up_ = true;
    counters_->skipped = error.what();
  }
}

DatasetSink::~DatasetSink() {
  while (write_ && writing_ && !write_->done.load(std::memory_order_acquire)) std::this_thread::yield();
}

// Whether an earlier run has begun the file of a series that this run writes first.
bool DatasetSink::goes_on(const std::string& part) const {
  const auto& restored = plan_.restored;
  return restored && plan_.entry.has_many_files() && !restored->is_empty && written_.empty() &&
         (restored->part.empty() || restored->part == part);
}

// `first`: the commit for which it is created; of a single file: none.
void DatasetSink::create(const output::CommitPoint& first) {
  output::DatasetSpec spec = layout_.dataset;
  spec.writers = writers_;
  if (share_ == Share::chunks) {
    spec.path = path_;
    dataset_ = format_.open_writer(spec, server_);
    return;
  }
  const std::string& part = first.part;
  // Only the first file of a series can have records of an earlier run.
  if (spec.if_exists == output::IfExists::append && !part.empty() && part != spec.path) {
    spec.if_exists = output::IfExists::replace;
    spec.kept.clear();
  }
  if (!part.empty()) spec.path = part;
  if (plan_.entry.is_opened_by_model) spec.if_exists = plan_.entry.if_exists.value_or(output::IfExists::fail);
  if (first.file_attributes) cf::add_file_attributes(plan_, layout_, *first.file_attributes, spec.attributes);
  if (services_.log == nullptr) spec.report_directory.clear();  // it is that of another run
  const bool is_begun = goes_on(part);
  if (is_begun) spec.kept = layout_.kept(plan_.restored->records);
  if (written_.contains(spec.path))
    throw Error(ErrorCode::configuration,
                fmt::format("{}: this run has written a file of this name already; expected {}", spec.path,
                            plan_.entry.is_opened_by_model ? "another name in open_file"
                                                           : "a name with more of `{start}` or `{end}`"));
  errors_.begin(format_, spec);
  make_folder(spec.path);
  if (!part.empty() && !is_begun && services_.begins_file)
    services_.begins_file(spec.path, plan_.entry.path,
                          first.final ? std::optional(first.step) : std::nullopt);
  dataset_ = format_.create(spec);
  written_.insert(spec.path);
  show_dataset();
}

// Makes the folder of a file in a series, for example one of a year. Other folders must exist: a path that is
// misspelt must not spread the output over new folders.
void DatasetSink::make_folder(const std::string& path) const {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!format_.makes_file(path) || folder.empty()) return;
  env::FileSystem& files = env::system_files();
  const bool is_in_series = plan_.entry.has_many_files() && !plan_.entry.is_opened_by_model;
  if (is_in_series && folder != std::filesystem::path(plan_.entry.path).parent_path())
    files.make_directories(folder.string());
  else
    check_exists(files, std::filesystem::absolute(folder));
}

// Called on an I/O thread; may be called again after a failure. A series gets no file without records.
void DatasetSink::write(output::ReadyCommit& ready) {
  const output::CommitPoint& point = ready.point;
  const bool is_closed = plan_.entry.is_opened_by_model && point.part.empty();
  const bool needs_no_file = is_closed || (plan_.entry.has_many_files() && !dataset_ && !plan_.axes.empty() &&
                                           point.records == 0 && !goes_on(point.part));
  const bool brings = !ready.commit.chunks.empty() || !ready.commit.values.empty();
  // A writer of chunks gets all lengths, and takes its mark with the first commit, also without chunks.
  if (!needs_no_file && (brings || share_ == Share::chunks)) {
    if (!dataset_) create(point);
    errors_.add_attributes(ready.commit);
    dataset_->commit(ready.commit);
    errors_.committed(ready.commit);
  }
  if (!ready.point.ends_part || !dataset_) return;
  dataset_->close();
  closed_bytes_ += dataset_->bytes_on_disk();
  steps_.end(*dataset_, *counters_);
  errors_.end();
  dataset_.reset();
}

void DatasetSink::point(const plan::CommitDue& due) {
  if (closed_) return;
  output::CommitPoint point;
  point.lengths = due.lengths;
  point.model_time = due.tick.time;
  point.step = due.tick.step;
  point.closed_at = env::steady_seconds();
  point.final = due.final;
  point.part = due.part;
  point.file_attributes = attributes_;
  point.begins = due.begins;
  for (const auto& records : due.records) point.records += std::ssize(records);
  point.ends_part = due.ends_part;
  if (speaks()) {
    add_values(due, point);
    add_attributes(due.tick, point);
  }
  if (due.ends_part) part_ended_at_ = due.tick.time;
  committer_.point(std::move(point));
  waiting_.push_back(due);
}

// Commits of later steps that are complete already stay. The first incomplete one contains all records
// between it and the last commit that stays.
std::optional<FinalCommit> DatasetSink::cut(const model::Tick& tick, const plan::CommitDue& gathered) {
  if (closed_ || committer_.finished()) return std::nullopt;
  committer_.drop_after(tick.step);
  const auto dropped = std::find_if(waiting_.begin(), waiting_.end(), [&](const plan::CommitDue& due) {
    return due.final || due.tick.step > tick.step;
  });
  plan::CommitDue rest = dropped == waiting_.end() ? gathered : *dropped;
  waiting_.erase(dropped, waiting_.end());
  plan::CommitDue last = plan::take_until(rest, tick.step);
  const model::Tick complete = gathered_.empty()
                                   ? model::Tick{written_step_, committed_time_}
                                   : model::Tick{gathered_.newest()->step, gathered_.newest()->model_time};
  last.tick = complete.step > tick.step ? complete : tick;
  last.final = true;
  last.ends_part = false;
  point(last);
  return FinalCommit{std::move(last)};
}

// The values outside of chunks: times, bounds and positions of the new records and, once, the coordinates.
void DatasetSink::add_values(const plan::CommitDue& due, output::CommitPoint& point) {
  for (std::size_t axis = 0; axis < due.records.size(); ++axis) {
    if (due.records[axis].empty()) continue;
    const std::int64_t first = due.lengths[axis] - std::ssize(due.records[axis]);
    const cf::AxisLayout& at = layout_.axes[axis];
    for (output::PlainValues& values :
         layout_.conventions->times_of({at, first, due.records[axis], plan_.time_stamp}, layout_.calendar))
      point.values.push_back(std::move(values));
    if (at.places.empty()) continue;
    std::vector<double> times;
    for (const time::TimeRecord& record : due.records[axis])
      times.push_back(cf::time_stamp(record, plan_.time_stamp));
    const auto places = points::places_in(*plan_.entry.trajectories, due.records[axis], times,
                                          model::default_fill(model::DataType::float64).number);
    for (std::size_t i = 0; i < at.places.size(); ++i)
      point.values.push_back(doubles(at.places[i], first, places[i]));
  }
  if (!constants_sent_) {
    for (const output::PlainValues& values : layout_.constants) point.values.push_back(values);
    constants_sent_ = true;
  }
}

void DatasetSink::add_attributes(const model::Tick& tick, output::CommitPoint& point) const {
  const settings::WriteAttributes& names = plan_.entry.write_attributes;
  const auto add = [&point](const std::string& name, std::string text) {
    if (!name.empty()) point.attributes.push_back({.variable = -1, .name = name, .value = std::move(text)});
  };
  add(names.time, base::decimal_text(tick.time));
  add(names.step, fmt::format("{}", tick.step));
  add(names.previous_time, base::decimal_text(part_ended_at_));
}

void DatasetSink::deliver(std::size_t variable, output::FinishedChunk&& chunk) {
  if (!closed_) committer_.deliver(variable, std::move(chunk));
}

bool DatasetSink::progress() {
  bool moved = take_result();
  if (closed_ || writing_) return moved;
  if (abandoned_) {
    end();
    return true;
  }
  if (write_) {  // a commit that failed and is to be tried again
    if (env::steady_seconds() < retry_at_) return moved;
    start(std::move(write_));
    return true;
  }
  if (gather()) {
    auto write = std::make_shared<Write>();
    write->ready = gathered_.take();
    hurried_ = false;
    if (plan_.entry.has_many_files()) cutter_.cut(*write->ready);
    cf::split_chunks(layout_, write->ready->commit);
    written_at_ = write->first_try = env::steady_seconds();
    start(std::move(write));
    return true;
  }
  if (ending_ && (giving_up_ || committer_.finished() || taken_commits_ >= end_after_)) {
    failed(*ending_);
    return true;
  }
  if (!closing_ && (committer_.finished() || giving_up_)) {
    start_close();
    return true;
  }
  return moved;
}

// Collects complete commits, and returns true if they are to be written now. If the user gives a period, each
// commit is written alone. Otherwise several are merged while the disk is behind, since a commit has a fixed
// cost in HDF5; but at most three quarters of the data, so that there is more to write when their memory is
// freed.
//
// The share with the chunks is written commit by commit, since the metadata wait for it. Those of several
// commits that it has written are written together.
bool DatasetSink::gather() {
  const std::size_t all = gather_bytes_of_all / services_.counters.files.size();
  const std::size_t most = std::min(gather_bytes, all);
  const bool gathers = share_ == Share::all && plan_.entry.gathers && !giving_up_ && !hurried_;
  const bool joins = share_ == Share::metadata && plan_.entry.gathers;
  const auto waits = [this, most, gathers] {
    return gathers && !gathered_.ends() && !gathered_.is_worth_it(most) &&
           env::steady_seconds() - written_at_ < gather_seconds;
  };
  const auto is_behind = [this, all, gathers] {
    return gathers && !gathered_.ends() && gathered_.bytes() < std::min(all, 3 * committer_.bytes());
  };
  while (may_take() && (gathered_.empty() || waits() || is_behind() || joins)) {
    auto ready = committer_.next();
    if (!ready) break;
    waiting_.pop_front();
    ++taken_commits_;
    gathered_.add(std::move(*ready));
  }
  return !gathered_.empty() && !waits();
}

bool DatasetSink::may_take() const {
  if (share_ == Share::chunks) return is_made_;
  return share_ == Share::all || taken_commits_ < allowed_commits_;
}

void DatasetSink::start(std::shared_ptr<Write> write) {
  write_ = std::move(write);
  write_->fault.reset();
  write_->done.store(false, std::memory_order_relaxed);
  writing_ = true;
  services_.executor.write([this, write = write_] {
    const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::write, services_.trace);
    try {
      env::maybe_delay("commit");
      if (write->ready) {
        std::optional<telemetry::ScopedTimer<false>> commit_timer;
        if (speaks() || !write->ready->commit.chunks.empty()) commit_timer.emplace(counters_->write);
        this->write(*write->ready);
      } else if (dataset_) {
        dataset_->close();
      }
      show_dataset();
    } catch (...) {
      write->fault = base::current_fault();
    }
    write->done.store(true, std::memory_order_release);
  });
}

bool DatasetSink::take_result() {
  if (!writing_ || !write_->done.load(std::memory_order_acquire)) return false;
  writing_ = false;
  if (!write_->fault) {
    committed(*write_);
    write_.reset();
    return true;
  }
  const double now = env::steady_seconds();
  const bool retry = write_->ready && plan_.entry.on_error == settings::OnError::retry &&
                     now - write_->first_try < plan_.entry.retry_for_seconds;
  if (retry) {
    base::log_warning(
        fmt::format("{}; trying again (on_error: retry)", at_its_line(plan_.entry, write_->fault->message)));
    retry_at_ = now + retry_seconds;
    return true;
  }
  const base::Fault fault = *write_->fault;
  write_.reset();
  failed(fault);
  return true;
}

void DatasetSink::committed(const Write& write) {
  if (!write.ready) {
    limit_encoded_bytes();
    closed_ = true;
    return;
  }
  ++commits_;
  written_commits_ = taken_commits_;
  const output::CommitPoint& point = write.ready->point;
  committed_time_ = counters_->last_model_time = point.model_time;
  written_step_ = point.step;
  counters_->raw_bytes.add(raw_bytes(write.ready->commit, layout_.dataset));
  const StoredBytes stored = stored_bytes(write.ready->commit, layout_.dataset);
  counters_->encoded_bytes.set(counters_->encoded_bytes.get() + stored.written - stored.replaced);
  services_.counters.encoded_bytes_out.add(stored.written);
  if (point.ends_part) limit_encoded_bytes();
  if (!speaks()) return;
  log(write);
  if (point.final && format_.makes_files()) tell_empty_axes(*write.ready);
}

// A run that was shorter than the interval of its records looks as if it had lost them.
void DatasetSink::tell_empty_axes(const output::ReadyCommit& ready) const {
  const std::string when = fmt::format(
      "the run ended at {:g} s of model time, before the first one was complete", ready.point.model_time);
  if (plan_.entry.is_opened_by_model) return;  // such a file need not be opened
  if (records_ == 0 && !plan_.axes.empty() && !plan_.continues) {
    base::log_warning(fmt::format("{}: the file stayed empty: {} ({})", plan_.entry.path, when,
                                  plan_.axes.front().every.sentence()));
    return;
  }
  if (plan_.entry.has_many_files()) return;
  for (std::size_t axis = 0; axis < plan_.axes.size(); ++axis)
    if (ready.commit.lengths.at(layout_.axes[axis].dim) == 0)
      base::log_warning(fmt::format("{}: there is no record along \"{}\": {} ({})", plan_.entry.path,
                                    plan_.axes[axis].dim, when, plan_.axes[axis].every.sentence()));
}

// When a file ends, its format encodes the chunks that are not yet.
void DatasetSink::limit_encoded_bytes() {
  if (!format_.makes_files()) return;
  counters_->encoded_bytes.set(std::min(counters_->encoded_bytes.get(), counters_->disk_bytes.get()));
}

void DatasetSink::log(const Write& write) {
  const output::CommitPoint& point = write.ready->point;
  const double now = env::steady_seconds();
  services_.counters.committed(now - services_.run_begin, now - point.closed_at);
  counters_->commits.add();
  counters_->records.set(static_cast<std::uint64_t>(records_ += point.records));
  if (!point.part.empty() && !written_.contains(point.part)) return;  // it needed no file
  telemetry::CommitLine line{point.part.empty() ? layout_.dataset.path : point.part, {}, point.model_time};
  for (std::size_t axis = 0; axis < plan_.axes.size(); ++axis)
    line.lengths[plan_.axes[axis].dim] = write.ready->commit.lengths.at(layout_.axes[axis].dim);
  if (services_.marks_commit) services_.marks_commit(line);
  if (services_.log) services_.log->add(line);
}

// The file ends with its last commit; other files are not affected.
void DatasetSink::failed(const base::Fault& fault) {
  end();
  if (!speaks()) {
    fault_ = fault;
    return;
  }
  const std::string message = fmt::format("{}; what was committed until {} s of model time is in the file",
                                          at_its_line(plan_.entry, fault.message), committed_time_);
  if (plan_.entry.on_error == settings::OnError::skip) {
    base::log_warning(fmt::format("{} (on_error: skip: the file is given up, the run continues)", message));
    counters_->skipped = fault.message;
  } else {
    fault_ = base::Fault{fault.code, message};
  }
}

void DatasetSink::end() {
  closed_ = given_up_ = true;
  write_.reset();
  dataset_.reset();
  waiting_.clear();
  gathered_.clear();
  committer_ = output::Committer({}, {});  // discards the waiting chunks, which must not delay steps
}

void DatasetSink::start_close() {
  closing_ = true;
  start(std::make_shared<Write>());
}

std::size_t DatasetSink::bytes() const {
  return committer_.bytes() + gathered_.bytes() + (write_ && write_->ready ? write_->ready->bytes : 0);
}

std::size_t DatasetSink::due_bytes(std::int64_t step) const {
  return committer_.due_bytes(step) + (write_ && write_->ready ? write_->ready->bytes : 0);
}

std::optional<telemetry::DatasetStatus> DatasetSink::status() const {
  if (!speaks()) return std::nullopt;
  return telemetry::DatasetStatus{plan_.entry.path, commits_, committed_time_};
}

std::string DatasetSink::describe() const {
  if (closed()) return fmt::format("\n    file {}: closed", plan_.entry.path);
  if (writing_) return fmt::format("\n    file {}: a commit is being written", plan_.entry.path);
  return fmt::format("\n    file {}: {}", plan_.entry.path, committer_.waiting_for());
}

template <class Self, class Visitor>
void DatasetSink::visit_state(Self& self, Visitor visit) {
  visit("commits", self.commits_);
  visit("records", self.records_);
  visit("committed_time", self.committed_time_);
  visit("written_step", self.written_step_);
  visit("constants_sent", self.constants_sent_);
  visit("closed", self.closed_);
}

void DatasetSink::save(model::StateSaver& saver, const plan::Pending& pending) const {
  TAILRACE_ASSERT(!write_, "state is saved while nothing is being written");
  if (speaks()) {
    model::NumberSaver file(saver, fmt::format("files/{}/", plan_.entry.path));
    visit_state(*this, file.in("sink"));
    errors_.save(file.in("errors"));
    if (plan_.entry.has_many_files()) {
      cutter_.save(file.in("part"));
      file("part_ended_at", part_ended_at_);
    }
  }
  if (closed_) return;
  committer_.for_each_waiting([&](std::size_t variable, const output::FinishedChunk& chunk) {
    const cf::VariableLayout& of = layout_.variables[variable];
    const auto& spec = layout_.dataset.variables[base::index(of.variable)];
    const std::size_t element = model::size_of(spec.type);
    const output::ChunkGrid grid{of.shape, of.chunk, of.records_per_chunk};
    const auto bytes = static_cast<std::size_t>(grid.cells_per_chunk() * grid.records_per_chunk) * element;
    const SavedRecords records(plan_, layout_, variable, pending);
    records.save_reached(saver, chunk.spatial, chunk.record_chunk, chunk.reached, chunk.records_end);
    if (!chunk.filtered || spec.chunk.empty())
      return records.save(saver, chunk.spatial, chunk.record_chunk, chunk.bytes, chunk.records_end);
    const auto cells = codecs::make_codec(spec.codec)->decode(chunk.bytes, bytes, element);
    records.save(saver, chunk.spatial, chunk.record_chunk, cells, chunk.records_end);
  });
}

void DatasetSink::load(const model::StateLoader& loader, const plan::Pending& pending) {
  model::NumberLoader file(loader, fmt::format("files/{}/", plan_.entry.path));
  visit_state(*this, file.in("sink"));
  errors_.load(file.in("errors"));
  if (plan_.entry.has_many_files()) {
    cutter_.load(file.in("part"));
    if (loader.find(fmt::format("files/{}/part_ended_at", plan_.entry.path)))  // earlier versions lack it
      file("part_ended_at", part_ended_at_);
  }
  const bool has_statics = plan_.restored ? !plan_.restored->is_empty && !plan_.entry.has_many_files() : true;
  // The constants are sent again for later files of a series, a replaced file, and a dataset that does not
  // outlive its run.
  if (!has_statics || !format_.keeps_constants()) constants_sent_ = false;
  committer_.resume(pending.committed, has_statics);
}

}  // namespace tailrace::sinks
