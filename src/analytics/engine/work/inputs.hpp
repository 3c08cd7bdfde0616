// The blocks of a step as clients put them, on their way into its values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analytics/engine/work/step_values.hpp"

namespace tailrace::analytics::engine::work {

// open(), then take() from any threads at once, each block once, then close(), on the thread of open(). No
// lock: a block has a slot of its own, and of inputs that lie side by side each has a row of its own in one
// value, whose room is made in open().
class Inputs {
 public:
  explicit Inputs(StepValues& values);  // must live longer

  void open();
  // `client` counts this server's. Copies. The step needs the input.
  void take(int input, std::size_t client, model::DataType type, std::span<const std::byte> payload);
  // A block that is the same at each step: copied where this has not got it from an earlier step.
  void take_fixed(int input, std::size_t client, model::DataType type, std::span<const std::byte> payload);
  void close();  // what has not come does not come; its place says why there is nothing

 private:
  struct Row {  // where members of a value that lie side by side are written to
    double* values = nullptr;
    std::size_t members = 0;  // 0: nothing lies side by side here
    std::size_t cells = 0;    // of one
    std::vector<char> came;   // by member; not bits, which threads would share
    std::vector<char> fixed;  // by member, or of the only one: it is here for good
  };
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  void close_block(int node, std::size_t client);
  std::string not_put(std::size_t client, int original) const;

  StepValues& values_;
  const planning::Plan& plan_;
  std::vector<std::vector<Row>> rows_;  // by client and node
};

}  // namespace tailrace::analytics::engine::work
