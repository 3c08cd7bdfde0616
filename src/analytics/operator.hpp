// The operators that an expression can call. Each is one file in operators/ that registers itself. It is of
// one of three kinds, from which the planner determines where communication is needed:
//
//   elementwise  cell by cell; arguments are broadcast by the names of their dimensions
//   reduction    consumes dimensions; partial results of blocks are merged, in any order, with the same bits
//   kernel       an array function that needs some of its dimensions whole; where one is split, the blocks
//                are gathered first
//
// Functions that other operators can express (mean = sum / count, var, std, covariances) are rewrites and not
// operators (expression/rewrites.cpp).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "analytics/array.hpp"
#include "analytics/dim_coordinate.hpp"
#include "analytics/shape.hpp"
#include "model/data_type.hpp"

namespace tailrace::analytics {

using ParameterValue = std::variant<double, std::vector<double>, std::string>;

// One call of an operator, with resolved names.
struct Call {
  std::vector<Shape> arguments;
  std::vector<std::string> dims;                     // positional, after the arguments: mean(th, y, x)
  std::map<std::string, ParameterValue> parameters;  // by keyword: quantile(w, y, x, q=0.9)
  std::string purpose{};  // for a user-defined operator: named in the message if it crashes
  bool operator==(const Call&) const = default;
};

// An error in a call; the caller adds its place. `argument` is the index of an argument, or -1 if the error
// is in `parameter` (empty: in the call as a whole).
struct CallProblem : std::runtime_error {
  CallProblem(int argument, std::string parameter, const std::string& what);
  int argument;
  std::string parameter;
};

struct OperatorDoc {
  std::string signature;    // "quantile(a, dims..., q=0.5)"
  std::string description;  // one or two sentences: the result, and NaN, empty blocks, length 1
  std::string cost;         // such as "8 flops per cell", "gathers the dimensions it consumes"
  std::string source;       // of a formula or method; may be empty
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual OperatorDoc doc() const = 0;
  // The shape of the result. Throws CallProblem. Dimensions that come from an argument keep their `split`;
  // new ones are whole.
  virtual Shape infer(const Call& call) const = 0;
  // The number of arguments if all of them are arrays, so that no name is read as a dimension.
  virtual std::optional<std::size_t> only_arrays() const { return std::nullopt; }
  // Whether the parameter skip_missing=1 excludes NaN; for values that may be missing it is the default.
  virtual bool can_skip_missing() const { return false; }
  virtual bool takes_missing() const { return true; }  // arguments may have missing values, which are NaN
  virtual bool is_zero_of_nothing(const Call&) const {
    return false;
  }                                              // result without any value: 0, else NaN
  virtual bool counts() const { return false; }  // its result is a count, never missing
  // Dimensions of the first argument whose coordinate this call needs. Before infer() the caller passes their
  // values as the parameter "DIM.coordinates" (a list as long as the dimension). If DIM has no coordinate the
  // parameter is absent, and infer() reports it.
  virtual std::vector<std::string> coordinates_wanted(const Call&) const { return {}; }
  // The coordinate of a dimension of the result that is new or has other cells than in an argument; none if
  // it is unchanged or unknown. `arguments`: one for each of `call`, which has passed infer().
  virtual std::optional<DimCoordinate> coordinate_made(const Call&, const std::string& /*dim*/,
                                                       const std::vector<Described>& /*arguments*/) const {
    return std::nullopt;
  }
};

// The opcode is one of opcodes.hpp; programs (program.hpp) fuse chains of them.
class Elementwise : public Operator {
 public:
  virtual int opcode() const = 0;
};

// The partial result of a reduction over some blocks. Merging is associative and commutative bit for bit.
class Partial {
 public:
  virtual ~Partial() = default;
  // The model time of the step whose blocks follow; called before anything is added or merged, perhaps more
  // than once.
  virtual void begin_step(double /*seconds*/) {}
  // Adds a block of the arguments, with regions in global indices; all have the same dims and region.
  virtual void add(std::span<const ConstArray> arguments) = 0;
  virtual void merge(std::span<const std::byte> bytes) = 0;  // the result of another's to_bytes
  virtual std::vector<std::byte> to_bytes() const = 0;       // native byte order; only what was added
  virtual void clear() = 0;                                  // resets the result; keeps its memory
  // The whole result with the dims of infer(), in C order. Cells without any value are 0 for sums and counts,
  // NaN otherwise.
  virtual Array finish() const = 0;
};

// The partial result of a reduction of one argument that takes its values row by row, so that a program can
// feed it without storing the argument (program.hpp).
class FusiblePartial : public Partial {
 public:
  // The following rows belong to a block with this region of the kept dimensions; cells are numbered in C
  // order within it.
  virtual void begin(const model::Region& kept) = 0;
  virtual void add_row(std::size_t cell, std::span<const double> values) = 0;     // all into one cell
  virtual void add_cells(std::size_t first, std::span<const double> values) = 0;  // values[i] into first + i
};

class Reduction : public Operator {
 public:
  // `call` has passed infer(). The consumed dims are call.dims, or all if it is empty.
  virtual std::unique_ptr<Partial> start(const Call& call) const = 0;
  virtual bool fusible() const { return false; }  // start() returns a FusiblePartial
};

// An array of the state that a kernel keeps from step to step, and that checkpoints save.
struct Memory {
  std::string name;
  model::DataType type = model::DataType::float64;
  Dims dims;  // those of the result have the result's region; others are whole
  bool operator==(const Memory&) const = default;
};

// One instance of a kernel, for the whole array or the block of a client. A kernel with a state has one for
// all steps, called in their order.
class KernelRun {
 public:
  virtual ~KernelRun() = default;
  // The arguments and the result are whole in the dims that needs_whole() names and blocks in the others.
  virtual Array compute(std::span<const ConstArray> arguments) = 0;
  // The values of Kernel::memories(), to read and write, for a result with the region `result` (always the
  // same in one run). Before the first step these are the initial values.
  virtual std::vector<std::span<std::byte>> memories(const model::Region& /*result*/) { return {}; }
};

class Kernel : public Operator {
 public:
  virtual std::vector<std::string> needs_whole(const Call& call) const = 0;
  virtual std::unique_ptr<KernelRun> start(const Call& call) const = 0;
  // The arrays of the state, if the kernel depends on earlier steps. Their split dims are dims of the result
  // or needed whole.
  virtual std::vector<Memory> memories(const Call&) const { return {}; }
};

// The operators of a configuration, by name.
using Operators = std::map<std::string, std::shared_ptr<const Operator>>;

// An operator registers itself with a static OperatorEntry in its file, under its name or an alias.
class OperatorEntry {
 public:
  OperatorEntry(std::string name, std::shared_ptr<const Operator> made);
};
const Operator* find_operator(const std::string& name);  // null if unknown
std::vector<std::string> operator_names();               // sorted

}  // namespace tailrace::analytics
