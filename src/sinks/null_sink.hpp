// The sink of a file that another server writes. Only home_of() does something.
#pragma once

#include "sinks/sink.hpp"

namespace tailrace::sinks {

class NullSink final : public Sink {
 public:
  explicit NullSink(int home) : home_(home) {}

  int home_of(const ChunkPlace&) const override { return home_; }
  void point(const plan::CommitDue&) override {}
  void deliver(std::size_t, output::FinishedChunk&&) override {
    TAILRACE_ASSERT(false, "chunks go to the home of their file");
  }
  bool progress() override { return false; }
  std::optional<FinalCommit> cut(const model::Tick&, const plan::CommitDue&) override { return std::nullopt; }
  void write_soon() override {}
  void give_up() override {}
  bool closed() const override { return true; }
  std::optional<base::Fault> take_fault() override { return std::nullopt; }
  std::size_t bytes() const override { return 0; }
  std::size_t due_bytes(std::int64_t) const override { return 0; }
  std::int64_t written_step() const override { return INT64_MAX; }
  bool writes() const override { return false; }
  std::optional<telemetry::DatasetStatus> status() const override { return std::nullopt; }
  std::string describe() const override { return ""; }
  bool at_rest() const override { return true; }
  void save(model::StateSaver&, const plan::Pending&) const override {}
  void load(const model::StateLoader&, const plan::Pending&) override {}

 private:
  int home_;
};

}  // namespace tailrace::sinks
