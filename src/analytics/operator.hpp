// The operators that an expression can call. Each is one file in operators/ that registers itself, and is of
// one of three kinds. From the kind alone the planner knows where communication is needed:
//
//   elementwise  cell by cell; arguments are broadcast by the names of their dimensions
//   reduction    consumes dimensions; partial results of blocks are merged, in any order, with the same bits
//   kernel       an array function that needs some of its dimensions whole; where one is split, the blocks
//                are gathered first
//
// Functions that others can express (mean = sum / count, var, std, covariances) are rewrites, not operators:
// expression/rewrites.cpp.
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

// One use of an operator, after names are resolved.
struct Call {
  std::vector<Shape> arguments;
  std::vector<std::string> dims;                     // positional ones behind the arguments: mean(th, y, x)
  std::map<std::string, ParameterValue> parameters;  // keyword ones: quantile(w, y, x, q=0.9)
  std::string purpose{};  // of an operator of the user's: what is told if it crashes
  bool operator==(const Call&) const = default;
};

// An error in a call; the caller adds the place. `argument` is the number of an argument, or -1 where
// it is `parameter` (which may be empty: the call as a whole).
struct CallProblem : std::runtime_error {
  CallProblem(int argument, std::string parameter, const std::string& what);
  int argument;
  std::string parameter;
};

struct OperatorDoc {
  std::string signature;    // "quantile(a, dims..., q=0.5)"
  std::string description;  // a sentence or two: what it gives, what it does with NaN, empty blocks, length 1
  std::string cost;         // "8 flops a cell", "gathers the dimensions it consumes"
  std::string source;       // of a formula or method; may be empty
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual OperatorDoc doc() const = 0;
  // The shape of the result. Throws CallProblem. Dimensions of the result that were arguments' keep their
  // `split`, new ones are whole.
  virtual Shape infer(const Call& call) const = 0;
  // How many arguments a call has, where they are arrays only: names are then never taken for dimensions.
  virtual std::optional<std::size_t> only_arrays() const { return std::nullopt; }
  // It leaves NaN out with the parameter skip_missing=1; of values that may be missing it does so unasked.
  virtual bool can_skip_missing() const { return false; }
  virtual bool takes_missing() const { return true; }  // arguments may have missing values, which are NaN
  virtual bool is_zero_of_nothing(const Call&) const { return false; }  // where all is left out: else NaN
  virtual bool counts() const { return false; }                         // a number of cells is never missing
  // Dimensions of the first argument whose coordinate this call needs. The resolver then gives their values
  // as the parameter "DIM.coordinates" (a list as long as the dimension), before infer(); where DIM has no
  // coordinate the parameter is left out and infer() reports what is missing.
  virtual std::vector<std::string> coordinates_wanted(const Call&) const { return {}; }
  // The coordinate of a dimension of the result that this makes, or whose cells are others than an
  // argument's; none where it is as it was, or nothing can be said. `arguments` are as many as those of
  // `call`, which passed infer().
  virtual std::optional<DimCoordinate> coordinate_made(const Call&, const std::string& /*dim*/,
                                                       const std::vector<Described>& /*arguments*/) const {
    return std::nullopt;
  }
};

// The opcode is one of program.hpp's, which fuses chains of them.
class Elementwise : public Operator {
 public:
  virtual int opcode() const = 0;
};

// The partial result of some blocks. Merging is associative and commutative to the bit.
class Partial {
 public:
  virtual ~Partial() = default;
  // Model time of the step whose blocks follow, before anything is added or merged; may come several times.
  virtual void begin_step(double /*seconds*/) {}
  // A block of the argument(s), regions in global indices; all arguments have the same dims and region.
  virtual void add(std::span<const ConstArray> arguments) = 0;
  virtual void merge(std::span<const std::byte> bytes) = 0;  // what another's to_bytes gave
  virtual std::vector<std::byte> to_bytes() const = 0;       // native byte order; covers what was added only
  virtual void clear() = 0;                                  // back to nothing; keeps its memory
  // The whole result, dims of infer(), C order. Cells that nothing was added to get the reduction's value of
  // nothing: 0 for sums and counts, NaN for all else.
  virtual Array finish() const = 0;
};

// Of a reduction of one argument that takes its values row by row, so that what comes before it never has to
// be stored (program.hpp).
class FusiblePartial : public Partial {
 public:
  // The rows that follow are of a block whose kept dimensions lie so; cells count in C order within it.
  virtual void begin(const model::Region& kept) = 0;
  virtual void add_row(std::size_t cell, std::span<const double> values) = 0;     // all into one cell
  virtual void add_cells(std::size_t first, std::span<const double> values) = 0;  // values[i] into first + i
};

class Reduction : public Operator {
 public:
  // `call` passed infer(). Consumed dims are call.dims (all of them where empty).
  virtual std::unique_ptr<Partial> start(const Call& call) const = 0;
  virtual bool fusible() const { return false; }  // what start() gives is a FusiblePartial
};

// An array that a kernel keeps from step to step, which checkpoints save.
struct Memory {
  std::string name;
  model::DataType type = model::DataType::float64;
  Dims dims;  // those that the result has too lie where the result does; others are whole
  bool operator==(const Memory&) const = default;
};

// Of a kernel that remembers: one for all steps, of the whole or of a client's block, in the order of steps.
class KernelRun {
 public:
  virtual ~KernelRun() = default;
  // Whole in the dims that needs_whole() names, blocks in the others; the result too.
  virtual Array compute(std::span<const ConstArray> arguments) = 0;
  // The values of Kernel::memories(), to be read and written, for a result that lies in `result` (of one run
  // always the same). Before the first step they are what that step begins with.
  virtual std::vector<std::span<std::byte>> memories(const model::Region& /*result*/) { return {}; }
};

class Kernel : public Operator {
 public:
  virtual std::vector<std::string> needs_whole(const Call& call) const = 0;
  virtual std::unique_ptr<KernelRun> start(const Call& call) const = 0;
  // What depends on earlier steps says so here. Split dims are among those of the result or needed whole.
  virtual std::vector<Memory> memories(const Call&) const { return {}; }
};

// Those that a configuration brings, by name.
using Operators = std::map<std::string, std::shared_ptr<const Operator>>;

// Registration: a static OperatorEntry in the operator's file. Names are looked up with their aliases.
class OperatorEntry {
 public:
  OperatorEntry(std::string name, std::shared_ptr<const Operator> made);
};
const Operator* find_operator(const std::string& name);  // null where unknown
std::vector<std::string> operator_names();               // sorted

}  // namespace tailrace::analytics
