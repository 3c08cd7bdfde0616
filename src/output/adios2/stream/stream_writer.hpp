// A stream of ADIOS2 whose library lives in a process of its own (process/), so that whatever comes to its
// ports ends nothing else. Steps are handed over in memory that both processes see.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "env/shared_pages.hpp"
#include "output/adios2/engine.hpp"
#include "output/consumer/step_queue.hpp"

namespace tailrace::output::adios2::stream {

class StreamWriter final : private consumer::StepQueue {
 public:
  // `name`: of the stream, for messages. Returns when readers can connect. Throws Error(resource): what
  // ADIOS2 or the system said.
  StreamWriter(EngineSpec spec, std::string name);
  ~StreamWriter() override;

  // A step that finds the queue full is discarded; with `block` it waits, until a reader takes one or the
  // process gives up the readers. A step that the process cannot get is lost. Both are counted, and no error.
  void write_step(std::span<const Block> blocks);
  // Waits for readers that take the last steps, for as long as they take some.
  void close();
  StreamCounts counts() const { return counts_; }

 private:
  bool is_open() const override { return is_up_ && !is_over_ && StepQueue::is_open(); }
  void answered(const std::string& answer) override;
  void ended(const std::string& how) override { give_up("the process " + how); }
  void refused(const Error& error) override;
  std::string warning_when_full() const override;

  std::size_t pages_for(std::size_t size);
  void done_until(std::uint64_t number, bool has_peers);
  void lose_waiting();
  void give_up(const std::string& why);
  void stop();

  const EngineSpec spec_;
  const std::string name_;
  std::vector<env::SharedPages> pages_;  // used again and again
  std::vector<std::size_t> free_;        // of these
  std::uint64_t steps_ = 0;
  StreamCounts counts_;
  std::string why_;     // the process could not continue
  bool is_up_ = false;  // the process has the stream open
  bool is_over_ = false;
};

}  // namespace tailrace::output::adios2::stream
