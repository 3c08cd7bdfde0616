// What the format asks of ADIOS2. The library is in a plugin of its own (plugin/), so that Tailrace runs
// without it and no process loads it that writes no such file.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "output/adios2/options.hpp"
#include "output/dataset.hpp"
#include "output/stream_counts.hpp"

namespace tailrace::output::adios2 {

struct EngineVariable {
  std::string name;
  model::DataType type = model::DataType::float64;
  bool is_text = false;           // of characters: `type` says nothing
  std::vector<std::string> dims;  // slowest first
  Attributes attributes;
};

struct EngineSpec {
  std::string path;  // absolute
  Options options;
  Attributes attributes;
  std::vector<std::string> unlimited_dims;
  std::vector<EngineVariable> variables;
};

// A part of a variable in one step. `shape`: of the whole in this step; none of a scalar.
struct Block {
  int variable = 0;  // index into EngineSpec::variables
  std::vector<std::size_t> shape, start, count;
  const std::byte* values = nullptr;  // C order; they stay until write_step() returns
};

// All is written, but a reader of a stream has not taken all of it.
class ReadersLeftBehind : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class StepWriter {
 public:
  virtual ~StepWriter() = default;
  // Afterwards the step is in the files, or in the queue of the stream. Throws std::exception, and then
  // nothing more can be written.
  virtual void write_step(std::span<const Block> blocks) = 0;
  virtual void close() = 0;                           // no step after it; may throw std::exception
  virtual StreamCounts counts() const { return {}; }  // of a stream
};

// Of the plugin: opens the dataset. Throws std::exception. The caller owns what it returns.
using OpenEngine = StepWriter* (*)(const EngineSpec& spec);
inline constexpr const char* open_engine_name = "tailrace_adios2_open";

}  // namespace tailrace::output::adios2
