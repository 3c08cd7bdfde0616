// Folds the samples of one block into the records of one variable. Sums and weights are kept, never running
// means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/data_type.hpp"
#include "time/stored_values.hpp"

namespace tailrace::time {

// The values are written into state: do not renumber.
enum class ReductionKind : std::uint8_t {
  snapshot = 0,
  mean = 1,
  min = 2,
  max = 3,
  sum = 4,
  std = 5,
  valid_fraction = 6
};

std::string_view name_of(ReductionKind kind);  // as in the configuration: snapshot, mean, ...
std::string_view cell_method_of(
    ReductionKind kind);  // CF: point, mean, minimum, maximum, sum, standard_deviation
std::vector<std::string> reduction_names();
std::optional<ReductionKind> find_reduction(std::string_view name);
bool needs_window(ReductionKind kind);  // all but snapshot

// What all samples so far have in common.
struct Totals {
  std::int64_t samples = 0;  // of weight 0 not counted
  double weight = 0.0;       // the sum of their weights
  bool operator==(const Totals&) const = default;
};

// What is kept of each value between samples: mean: sum (of weight times value); sum: sum; min, max: extreme;
// snapshot: last; std: mean and squares (the weighted sum of squares about the mean). Where values may be
// missing, of mean, sum, std and valid_fraction also the weight of those that are not.
struct KeptArray {
  std::string name;
  model::DataType type = model::DataType::float64;
  bool operator==(const KeptArray&) const = default;
};

struct AccumulatorState {
  Totals totals;
  std::vector<std::vector<std::byte>>
      values;  // of each kept array, in the order of the block; none while empty
  bool operator==(const AccumulatorState&) const = default;
};

// One per variable and block, as a block belongs to one rank and one server: no record over time is ever
// merged from two servers. Virtual once a block and not once a cell: the loops over cells are plain ones
// inside, made for each reduction and type (reductions.hpp).
//
// A tiny algebra with a state that can be saved. Element-wise and in the order of time, so its bits depend on
// nothing else: not on the decomposition, not on threads. Not safe from several threads at once.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  // `size` elements of the input type, aligned or not; a weight of 0 changes nothing. `fraction` as in Share:
  // `sum` adds that part of the sample, so that a sample whose interval spans several windows is shared out
  // among them.
  virtual void combine(std::span<const std::byte> sample, double weight, double fraction = 1.0) = 0;
  // Writes the record in the type of the output and returns to the identity. Says what that type cannot hold.
  virtual Lost finish(std::span<std::byte> record) = 0;
  virtual bool empty() const = 0;  // nothing combined since the last finish
  // The arrays of a state; the same for every accumulator of one reduction and input type.
  virtual std::vector<KeptArray> kept_arrays() const = 0;
  virtual AccumulatorState state() const = 0;               // how it is saved: docs/formats/state.md
  virtual void restore(const AccumulatorState& state) = 0;  // throws Error(resource) when it does not fit
};

// Values that are missing: those equal to `fill`, or NaN where that is NaN.
struct Missing {
  double fill = 0.0;        // in the sample: a value of its type
  bool propagates = false;  // one missing sample makes a cell's record missing; else only the others weigh
};

// `sum` is the sum over samples, each times its fraction; `mean` and `std` weigh by the weight given; std
// is the population's (divides by the sum of weights). A NaN in any sample makes the record NaN. Where values
// may be missing, each cell weighs those that it has, and one without any holds the fill value of the output.
std::unique_ptr<Accumulator> make_accumulator(ReductionKind kind, model::DataType input, const Stored& output,
                                              std::size_t size,
                                              const std::optional<Missing>& missing = std::nullopt);

}  // namespace tailrace::time
