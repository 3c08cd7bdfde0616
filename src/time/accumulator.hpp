// Reduces the samples of one block to the records of one variable. Its state is sums and weights, never
// running means.
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

// The values are written into checkpoints: do not renumber.
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

// Totals over all samples so far.
struct Totals {
  std::int64_t samples = 0;  // without those of weight 0
  double weight = 0.0;       // the sum of their weights
  bool operator==(const Totals&) const = default;
};

// The state of each cell between samples. mean: the sum of weight times value; sum: the sum; min, max: the
// extreme; snapshot: the last value; std: mean and squares (the weighted sum of squares about the mean). If
// values may be missing, mean, sum, std and valid_fraction also keep the weight of the valid values.
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

// One for each variable and block. A block belongs to one rank and one server, so no record is merged from
// two servers. There is a virtual call for each block, not for each cell: the loops over cells are
// instantiated for each reduction and type (reductions.hpp).
//
// It computes element by element in the order of time, so the bits of the result depend neither on the
// decomposition nor on threads. Not safe from several threads.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  // Adds a sample of `size` elements of the input type, aligned or not; a weight of 0 has no effect.
  // `fraction` as in Share: `sum` adds that part of the sample, so that a sample whose interval spans several
  // windows is divided among them.
  virtual void combine(std::span<const std::byte> sample, double weight, double fraction = 1.0) = 0;
  // Writes the record in the type of the output and resets the accumulator. Returns the values that the type
  // cannot hold, or that equal its fill value.
  virtual Lost finish(std::span<std::byte> record) = 0;
  virtual bool empty() const = 0;  // nothing combined since the last finish
  // The arrays of a state; the same for every accumulator of one reduction and input type.
  virtual std::vector<KeptArray> kept_arrays() const = 0;
  virtual AccumulatorState state() const = 0;               // how it is saved: docs/formats/state.md
  virtual void restore(const AccumulatorState& state) = 0;  // throws Error(resource) if it does not fit
};

// Defines missing values: those equal to `fill`, or every NaN if `fill` is NaN.
struct Missing {
  model::FillValue fill;    // in the sample: a value of its type
  bool propagates = false;  // one missing sample makes a cell's record missing; otherwise it is left out
};

// `sum` is the sum over samples, each times its fraction. `mean` and `std` are weighted; `std` is that of the
// population (it divides by the sum of weights). A NaN in any sample makes the record NaN. If values may be
// missing, each cell uses its valid ones, and a cell without any gets the fill value of the output.
std::unique_ptr<Accumulator> make_accumulator(ReductionKind kind, model::DataType input, const Stored& output,
                                              std::size_t size,
                                              const std::optional<Missing>& missing = std::nullopt);

}  // namespace tailrace::time
