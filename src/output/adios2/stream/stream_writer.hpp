// A stream of ADIOS2 whose library lives in a process of its own (process/), so that what comes to its ports
// ends nothing else. Steps go there in memory that both see.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "env/child.hpp"
#include "env/shared_pages.hpp"
#include "output/adios2/engine.hpp"

namespace tailrace::output::adios2::stream {

class StreamWriter final : public StepWriter {
 public:
  // `name`: of the stream, for messages. Returns when readers can connect. Throws Error(resource): what
  // ADIOS2 or the system said.
  StreamWriter(EngineSpec spec, std::string name);
  ~StreamWriter() override;

  // A step that finds the queue full is discarded; with `block` it waits, until a reader takes one or the
  // process gives up the readers. A step that the process cannot get is lost. Both are counted, and no error.
  void write_step(std::span<const Block> blocks) override;
  // Waits for readers that take the last steps, for as long as they take some.
  void close() override;
  StreamCounts counts() const override { return counts_; }

 private:
  struct Waiting {  // handed over, and not done
    std::uint64_t number;
    std::size_t pages;
  };
  std::size_t most_waiting() const;
  bool has_room();
  void hand_over(std::span<const Block> blocks, std::uint64_t number);
  std::size_t pages_for(std::size_t size);
  void take_answers(double seconds);
  void take_answer(const std::string& answer);
  void done_until(std::uint64_t number, bool has_peers);
  void lose_waiting();
  void give_up(const std::string& why);
  void wait_for_readers();
  void end_process();

  const EngineSpec spec_;
  const std::string name_;
  std::vector<env::SharedPages> pages_;  // used again and again
  std::vector<std::size_t> free_;        // of these
  std::deque<Waiting> waiting_;
  std::uint64_t steps_ = 0;
  StreamCounts counts_;
  std::string why_;     // the process could not go on
  bool is_up_ = false;  // the process has the stream open
  bool is_over_ = false;
  bool said_full_ = false;
  std::optional<env::Child> child_;  // until the stream is over
};

}  // namespace tailrace::output::adios2::stream
