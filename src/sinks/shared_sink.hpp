// The sink of a file whose chunks every server writes, on one of them (Format::can_be_written_by_many).
//
// Each server has a sink for the chunks that it assembles, and the home has another one for the metadata:
// times, coordinates, attributes and lengths. Both get all commit points, which are the same on all servers,
// so a commit has a number. A server tells the home of how many commits it has written its chunks, and the
// home takes a commit to the metadata when all have. So a reader never finds a record without its chunks, and
// the data of later commits need not wait for it. Without this order, the metadata would count records whose
// chunks are not there yet.
//
// Faults: a server that cannot write its chunks tells the home, which waits for the commits before,
// ends the file as `on_error` specifies, and tells all servers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinks/dataset_sink.hpp"

namespace tailrace::sinks {

class SharedSink final : public Sink {
 public:
  // As for DatasetSink. Throws only on the home.
  SharedSink(const SinkPlace& place, const output::Format& format, SinkServices services);

  int home_of(const ChunkPlace& chunk) const override;
  void point(const plan::CommitDue& due) override;
  void deliver(std::size_t variable, output::FinishedChunk&& chunk) override;
  bool progress() override;
  std::optional<FinalCommit> cut(const model::Tick& tick, const plan::CommitDue& gathered) override;
  void write_soon() override;
  void give_up() override;
  bool closed() const override { return chunks_->closed() && (!metadata_ || metadata_->closed()); }
  std::optional<base::Fault> take_fault() override;
  std::vector<SinkMessage> take_messages() override;
  void receive(std::span<const std::byte> message) override;
  std::size_t bytes() const override;
  std::size_t due_bytes(std::int64_t step) const override;
  std::int64_t written_step() const override {
    return metadata_ ? metadata_->written_step() : chunks_->written_step();
  }
  std::int64_t on_disk_step() const override {
    return metadata_ ? metadata_->on_disk_step() : chunks_->on_disk_step();
  }
  bool writes() const override { return true; }
  std::optional<telemetry::DatasetStatus> status() const override;
  std::string describe() const override;
  bool at_rest() const override { return chunks_->at_rest() && (!metadata_ || metadata_->at_rest()); }
  void save(model::StateSaver& saver, const plan::Pending& pending) const override;
  void load(const model::StateLoader& loader, const plan::Pending& pending) override;

 private:
  enum class News : std::uint8_t { made, written, ended };
  void hear_of_writer(int server, std::int64_t commits, const std::optional<base::Fault>& fault);

  const cf::DatasetLayout& layout_;
  int server_, home_;
  std::unique_ptr<DatasetSink> metadata_;  // null but on the home
  std::unique_ptr<DatasetSink> chunks_;
  std::int64_t reported_ = 0;                          // the written commits that the home knows of
  std::optional<base::Fault> fault_;                   // of the chunks; not reported yet
  std::vector<std::int64_t> writer_commits_;           // by server, on the home
  bool is_made_known_ = false, is_end_known_ = false;  // on the home: all servers know
  bool giving_up_ = false;
};

}  // namespace tailrace::sinks
