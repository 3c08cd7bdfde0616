// Vertical interpolation of the columns of an input field to the model's levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tailrace::input {

enum class VerticalRule : std::uint8_t {
  linear,       // in the coordinate
  logarithmic,  // in its logarithm, for pressure; all levels must be above 0
};
// The values above the highest and below the lowest level of the file.
enum class Beyond : std::uint8_t { hold, linear, missing };

struct VerticalOptions {
  VerticalRule rule = VerticalRule::linear;
  Beyond beyond = Beyond::hold;
};

// The value at a level is (1 - weight) * x[first] + weight * x[first + 1]; with the weight 0 it is x[first],
// and with `missing` it is missing.
struct LevelWeight {
  static constexpr std::int32_t missing = -1;
  std::int32_t first = missing;
  double weight = 0.0;
  bool operator==(const LevelWeight&) const = default;
};

// Weights for `to` levels from a column with levels `from`, which ascend or descend; `to` may be in any
// order. A level of NaN has no value. Both in the same units. Throws Error(resource) that names the level:
// for levels `from` that are equal or out of order, and for those that are not above 0 with `logarithmic`.
void find_level_weights(std::span<const double> from, std::span<const double> to,
                        const VerticalOptions& options, std::span<LevelWeight> weights);

// Applies weights to one column. `stride`: between levels. A missing value is NaN, and gives NaN where its
// weight is not 0.
void apply_level_weights(std::span<const LevelWeight> weights, const double* column, std::size_t stride,
                         double* result, std::size_t result_stride);

// The levels of a hybrid or sigma coordinate, by CF's appendix D.
class HybridLevels {
 public:
  // `standard_name` and `formula_terms`: the attributes of the vertical coordinate. Throws Error(resource)
  // for a coordinate without a formula here, with those that have one, and for a term that is missing.
  HybridLevels(std::string_view standard_name, std::string_view formula_terms);

  // The variables that the formula needs, by term ("ap", "b", "ps", ...).
  const std::map<std::string, std::string>& variables() const { return variables_; }
  // The term that is a field of the surface.
  static constexpr std::string_view surface_term = "ps";

  // `terms`: the values of all other terms: one for each level, or one for all. `surface`: that of one
  // column. Fills `levels` with the pressure of each level.
  void levels(const std::map<std::string, std::span<const double>>& terms, double surface,
              std::span<double> levels) const;

 private:
  enum class Formula : std::uint8_t { pressure_hybrid, pressure_hybrid_with_p0, sigma };
  Formula formula_ = Formula::pressure_hybrid;
  std::map<std::string, std::string> variables_;
};

}  // namespace tailrace::input
