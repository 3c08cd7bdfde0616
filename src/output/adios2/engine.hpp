// The interface to ADIOS2. The library is in a plugin of its own (plugin/), so that Tailrace runs
// without it and no process loads it that writes no such file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "output/adios2/options.hpp"
#include "output/dataset.hpp"

namespace tailrace::output::adios2 {

struct EngineVariable {
  std::string name;
  model::DataType type = model::DataType::float64;
  bool is_text = false;           // of characters: `type` says nothing
  std::vector<std::string> dims;  // slowest first
  Attributes attributes;
  codecs::CodecOptions codec{};  // other than none: its blocks are stored as this codec makes them
  bool takes_operator = false;   // the library's own of the options
};

struct EngineSpec {
  std::string path;  // absolute
  Options options;
  Attributes attributes;
  std::vector<std::string> unlimited_dims;
  std::vector<EngineVariable> variables;
  bool appends = false;  // behind the steps of the dataset that is there
};

// A part of a variable in one step. `shape`: of the whole in this step; none of a scalar.
struct Block {
  int variable = 0;  // index into EngineSpec::variables
  std::vector<std::size_t> shape, start, count;
  const std::byte* values = nullptr;  // C order; they stay until write_step() returns
  std::size_t encoded = 0;            // bytes that the codec of the variable has made of the values; 0: none
};

inline std::size_t value_bytes(const EngineSpec& spec, const Block& block) {  // not encoded
  const EngineVariable& variable = spec.variables[base::index(block.variable)];
  std::size_t bytes = variable.is_text ? 1 : model::size_of(variable.type);
  for (const std::size_t extent : block.count) bytes *= extent;
  return bytes;
}

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
  // An empty `variable` means the dataset. Readers get it with the next step. Streams omit it.
  virtual void set_attribute(const std::string& /*variable*/, const std::string& /*name*/,
                             const AttributeValue& /*value*/) {}
  virtual void close() = 0;  // no step after it; may throw std::exception
};

// A function of the plugin that opens the dataset. Throws std::exception. The caller owns what it returns.
using OpenEngine = StepWriter* (*)(const EngineSpec& spec);
inline constexpr const char* open_engine_name = "tailrace_adios2_open";

// A variable of an existing dataset.
struct ExistingVariable {
  std::string name;
  std::optional<model::DataType> type;           // none: of text
  std::vector<std::string> dims;                 // slowest first
  std::vector<std::size_t> steps;                // that have it
  std::vector<std::vector<std::size_t>> shapes;  // in each of these
};

class StepReader {
 public:
  virtual ~StepReader() = default;
  virtual std::size_t steps() const = 0;
  virtual const std::vector<ExistingVariable>& variables() const = 0;
  virtual std::vector<std::string> texts(const std::string& attribute) const = 0;  // none where it is not
  // All of it, in the step number `place` of those that have it. Throws std::exception.
  virtual std::vector<std::byte> read(const ExistingVariable& variable, std::size_t place) = 0;
};

// A function of the plugin that opens a BP dataset. Throws std::exception. The caller owns what it returns.
using OpenReader = StepReader* (*)(const std::string& path);
inline constexpr const char* open_reader_name = "tailrace_adios2_read";

}  // namespace tailrace::output::adios2
