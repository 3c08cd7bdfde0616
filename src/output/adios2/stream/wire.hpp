// The protocol between a server and the process of its stream: messages, and bytes in memory that both
// share.
//
// server: `open` + the spec, `step NUMBER` + the step, `end`. NUMBER counts all steps of the stream from 0,
// also those that are not handed over. process: `open`, `failed WHY`, `done NUMBER PEERS`, `died HOW`, `given
// up WHY`, `closed`, `left WHY`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "output/adios2/engine.hpp"

namespace tailrace::output::adios2::stream {

inline constexpr const char* program_name = "tailrace_sst";  // beside Tailrace's library
inline constexpr const char* number_variable = "tailrace_step";
// ADIOS2 holds so many of the steps that a stream keeps, those that readers are taking. The others wait in
// the shared memory, where the server can count them.
inline int steps_in_library(int queue) { return queue < 3 ? 1 : 2; }
// A stream whose queue is full and from which no reader takes a step for so long is begun anew.
inline constexpr unsigned taking_patience_seconds = 60;
inline constexpr double reader_patience_seconds = 10.0;  // for the last steps of a stream

// The parts of a spec that a stream needs.
std::vector<std::byte> bytes_of(const EngineSpec& spec);
EngineSpec spec_from(std::span<const std::byte> bytes);

// A step as it lies in memory: a head that describes the blocks, then their values.
class StepLayout {
 public:
  StepLayout(const EngineSpec& spec, std::span<const Block> blocks);  // `blocks` must live longer
  std::size_t size() const { return size_; }
  void fill(std::span<std::byte> memory) const;

 private:
  struct Place {
    std::size_t offset, bytes;
  };
  std::span<const Block> blocks_;
  std::vector<Place> places_;  // of the values
  std::vector<std::byte> head_;
  std::size_t size_ = 0;
};

// The blocks point into the memory.
std::vector<Block> blocks_in(std::span<const std::byte> memory);

}  // namespace tailrace::output::adios2::stream
