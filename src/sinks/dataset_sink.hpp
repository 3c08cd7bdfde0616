// Writes a file in a format of `output`: receives finished chunks and commit points, writes complete commits
// in order, one at a time, on the I/O threads, and handles failures as `on_error` specifies.
//
// A file has one dataset on its home or, in a format that many servers can write, one on every server, with
// the chunks that this server assembles. Only the home writes the values outside of chunks (times, bounds,
// coordinates), counts records and logs commits. The commit points alone determine the next commit, so the
// servers exchange no message about it, and the commits of different servers are not ordered.
#pragma once

#include <atomic>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include "output/committer.hpp"
#include "output/gathered_commits.hpp"
#include "sinks/kept_errors.hpp"
#include "sinks/make_sink.hpp"
#include "sinks/part_cutter.hpp"
#include "sinks/step_tally.hpp"

namespace tailrace::sinks {

class DatasetSink final : public Sink {
 public:
  // Creates the dataset; each file of a series is created with its first commit. Throws if that fails or,
  // with `on_error: skip`, logs the fault and closes the sink.
  DatasetSink(const SinkPlace& place, const output::Format& format, SinkServices services);
  ~DatasetSink() override;  // waits for the current write

  int home_of(const ChunkPlace& chunk) const override;
  void point(const plan::CommitDue& due) override;
  void deliver(std::size_t variable, output::FinishedChunk&& chunk) override;
  bool progress() override;
  std::optional<plan::CommitDue> cut(const model::Tick& tick, const plan::CommitDue& gathered) override;
  void write_soon() override { hurried_ = true; }
  void give_up() override { giving_up_ = true; }
  bool closed() const override { return closed_ && !writing_; }
  std::optional<base::Fault> take_fault() override { return std::exchange(fault_, std::nullopt); }
  std::size_t bytes() const override;
  std::size_t due_bytes(std::int64_t step) const override;
  // Commits that wait to be merged count as written: they do not wait for the disk.
  std::int64_t written_step() const override {
    return closed_ ? INT64_MAX : gathered_.empty() ? written_step_ : gathered_.newest()->step;
  }
  std::int64_t on_disk_step() const override { return closed_ ? INT64_MAX : written_step_; }
  void begin_files(std::shared_ptr<const output::Attributes> attributes) override {
    attributes_ = std::move(attributes);
  }
  bool writes() const override { return true; }
  std::optional<telemetry::DatasetStatus> status() const override;
  std::string describe() const override;
  bool at_rest() const override {
    return closed_ || (!write_ && gathered_.empty() && !committer_.due(INT64_MAX));
  }
  void save(model::StateSaver& saver, const plan::Pending& pending) const override;
  void load(const model::StateLoader& loader, const plan::Pending& pending) override;

 private:
  struct Write;
  bool is_home() const { return home_ == server_; }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit);
  void add_values(const plan::CommitDue& due, output::CommitPoint& point);
  void add_attributes(const model::Tick& tick, output::CommitPoint& point) const;
  bool gather();
  void start(std::shared_ptr<Write> write);
  bool take_result();
  void committed(const Write& write);
  void tell_empty_axes(const output::ReadyCommit& ready) const;
  void limit_encoded_bytes();
  void log(const Write& write);
  void failed(const base::Fault& fault);
  void start_close();
  bool goes_on(const std::string& part) const;
  void create(const output::CommitPoint& first);
  void make_folder(const std::string& path) const;
  void write(output::ReadyCommit& ready);
  void show_dataset() {
    counters_->disk_bytes.set(closed_bytes_ + (dataset_ ? dataset_->bytes_on_disk() : 0));
    if (dataset_) steps_.show(*dataset_, *counters_);
  }

  const plan::DatasetPlan& plan_;
  const cf::DatasetLayout& layout_;
  const output::Format& format_;
  SinkServices services_;
  int server_;
  int home_;
  bool by_many_;
  std::unique_ptr<output::Dataset> dataset_;  // null between two files of a series
  output::Committer committer_;
  output::GatheredCommits gathered_;     // complete commits that are not being written yet
  std::deque<plan::CommitDue> waiting_;  // the sources of the committer's points
  PartCutter cutter_;                    // used for a series
  std::uint64_t closed_bytes_ = 0;       // on disk, in the finished files of a series; I/O thread only
  StepTally steps_;                      // used for a stream
  KeptErrors errors_;                    // of the current file; I/O thread, or while it is idle
  telemetry::DatasetCounters* counters_;
  std::shared_ptr<Write> write_;  // the current write, or one that waits for its retry
  std::shared_ptr<const output::Attributes> attributes_;  // of the files that the model has open
  bool constants_sent_ = false;
  bool writing_ = false;
  bool giving_up_ = false;
  bool closing_ = false;
  bool closed_ = false;
  double retry_at_ = 0.0;
  std::set<std::string> written_;  // paths of the files written so far; I/O thread, or while it is idle
  double written_at_ = -1e9;       // steady seconds of the last commit
  bool hurried_ = false;           // write_soon() was called: do not wait to merge commits
  std::uint64_t commits_ = 0;
  std::int64_t records_ = 0;  // in these commits
  double committed_time_ = 0.0;
  double part_ended_at_ = 0.0;  // the model's time at the write that ended the last file of a series
  std::int64_t written_step_ = model::static_step;
  std::optional<base::Fault> fault_;
};

}  // namespace tailrace::sinks
