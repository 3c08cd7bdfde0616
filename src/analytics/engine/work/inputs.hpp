// Takes the blocks of a step from the clients and stores them in the step's values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analytics/engine/work/step_values.hpp"

namespace tailrace::analytics::engine::work {

// Call open(), then take() from any threads, once for each block, then close() on the thread of open(). No
// lock is needed: each block has its own slot, and each bundled input its own row of a value that open()
// allocates.
class Inputs {
 public:
  explicit Inputs(StepValues& values);  // `values` must outlive this object

  void open();
  // Copies a block of an input that the step needs. `client`: an index into this server's clients.
  void take(int input, std::size_t client, model::DataType type, std::span<const std::byte> payload);
  // Like take(), for a block that is the same at each step: copied only if an earlier step did not leave it
  // here.
  void take_fixed(int input, std::size_t client, model::DataType type, std::span<const std::byte> payload);
  void close();  // no more blocks arrive; absent ones are marked with a reason

 private:
  struct Row {  // where the members of a bundled value are written to
    double* values = nullptr;
    std::size_t members = 0;    // 0: the value is not bundled
    std::size_t cells = 0;      // of one member
    std::vector<char> arrived;  // by member; not bits, since threads write it concurrently
    std::vector<char> fixed;    // by member, or of the only one: valid for all steps
  };
  void close_block(int node, std::size_t client);
  std::string not_put(std::size_t client, int original) const;

  StepValues& values_;
  const planning::Plan& plan_;
  std::vector<std::vector<Row>> rows_;  // by client and node
};

}  // namespace tailrace::analytics::engine::work
