#include "input/vertical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

bool descends(std::span<const double> levels) { return levels.size() > 1 && levels[1] < levels[0]; }

void check_levels(std::span<const double> levels, VerticalRule rule) {
  if (levels.empty()) refuse("the vertical coordinate has no levels");
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (!std::isfinite(levels[k])) refuse(fmt::format("level {} (counted from 0) is {}", k, levels[k]));
    if (rule == VerticalRule::logarithmic && !(levels[k] > 0.0))
      refuse(fmt::format("level {} (counted from 0) is {}, and `interpolate: log` needs levels above 0", k,
                         levels[k]));
    if (k > 0 && !(descends(levels) ? levels[k] < levels[k - 1] : levels[k] > levels[k - 1]))
      refuse(fmt::format("level {} (counted from 0) is {} and the one before {}; expected levels that {}", k,
                         levels[k], levels[k - 1], descends(levels) ? "descend" : "ascend"));
  }
}

// The first of the two levels between which `level` lies; beyond the levels, of the two next to it.
std::size_t first_of_two(std::span<const double> from, double level) {
  const auto end = from.end() - 1;
  const auto after = descends(from) ? std::upper_bound(from.begin() + 1, end, level, std::greater<>())
                                    : std::upper_bound(from.begin() + 1, end, level);
  return static_cast<std::size_t>(after - from.begin()) - 1;
}

LevelWeight weight_at(std::span<const double> from, double level, const VerticalOptions& options) {
  if (std::isnan(level)) return {};
  const auto [low, high] = std::minmax(from.front(), from.back());
  const bool is_beyond = level < low || level > high;
  if (is_beyond && options.beyond == Beyond::missing) return {};
  if (options.rule == VerticalRule::logarithmic && !(level > 0.0))
    refuse(fmt::format("a level of the model is {}, and `interpolate: log` needs levels above 0", level));
  const auto last = static_cast<std::int32_t>(from.size() - 1);
  if (last == 0 || (is_beyond && options.beyond == Beyond::hold))
    return {(level < low) != descends(from) ? 0 : last, 0.0};
  const std::size_t first = first_of_two(from, level);
  const auto first_number = static_cast<std::int32_t>(first);
  double at = level, a = from[first], b = from[first + 1];
  if (at == a) return {first_number, 0.0};
  if (at == b) return {first_number + 1, 0.0};
  if (options.rule == VerticalRule::logarithmic) {
    at = std::log(at);
    a = std::log(a);
    b = std::log(b);
  }
  return {first_number, (at - a) / (b - a)};
}

std::map<std::string, std::string> terms_of(std::string_view text) {
  std::map<std::string, std::string> terms;
  std::istringstream words{std::string(text)};
  for (std::string term, variable; words >> term >> variable;)
    if (term.size() > 1 && term.back() == ':') terms[term.substr(0, term.size() - 1)] = variable;
  return terms;
}

}  // namespace

void find_level_weights(std::span<const double> from, std::span<const double> to,
                        const VerticalOptions& options, std::span<LevelWeight> weights) {
  check_levels(from, options.rule);
  TAILRACE_ASSERT(weights.size() == to.size(), "a weight for each level");
  std::ranges::transform(to, weights.begin(), [&](double level) { return weight_at(from, level, options); });
}

void apply_level_weights(std::span<const LevelWeight> weights, const double* column, std::size_t stride,
                         double* result, std::size_t result_stride) {
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const LevelWeight& one = weights[k];
    double& value = result[k * result_stride];
    if (one.first == LevelWeight::missing) {
      value = std::nan("");
      continue;
    }
    const double* const first = column + static_cast<std::size_t>(one.first) * stride;
    value = one.weight == 0.0 ? *first : (1.0 - one.weight) * *first + one.weight * first[stride];
  }
}

HybridLevels::HybridLevels(std::string_view standard_name, std::string_view formula_terms)
    : variables_(terms_of(formula_terms)) {
  std::vector<const char*> needed;
  if (standard_name == "atmosphere_hybrid_sigma_pressure_coordinate") {
    const bool has_p0 = variables_.contains("p0") || variables_.contains("a");
    formula_ = has_p0 ? Formula::pressure_hybrid_with_p0 : Formula::pressure_hybrid;
    needed = has_p0 ? std::vector{"a", "b", "p0", "ps"} : std::vector{"ap", "b", "ps"};
  } else if (standard_name == "atmosphere_sigma_coordinate") {
    formula_ = Formula::sigma;
    needed = {"sigma", "ptop", "ps"};
  } else {
    refuse(fmt::format(
        "the standard_name of the vertical coordinate is {}; expected levels of one dimension, or "
        "atmosphere_hybrid_sigma_pressure_coordinate or atmosphere_sigma_coordinate",
        standard_name));
  }
  for (const char* term : needed)
    if (!variables_.contains(term))
      refuse(fmt::format("`formula_terms` (\"{}\") lacks the term {} of {}", formula_terms, term,
                         standard_name));
}

void HybridLevels::levels(const std::map<std::string, std::span<const double>>& terms, double surface,
                          std::span<double> levels) const {
  const auto term = [&](const char* name) {
    const auto values = terms.at(name);
    return [values](std::size_t k) { return values.size() == 1 ? values.front() : values[k]; };
  };
  const auto fill = [&](const auto& formula) {
    for (std::size_t k = 0; k < levels.size(); ++k) levels[k] = formula(k);
  };
  switch (formula_) {
    case Formula::pressure_hybrid:
      fill([&, ap = term("ap"), b = term("b")](std::size_t k) { return ap(k) + b(k) * surface; });
      break;
    case Formula::pressure_hybrid_with_p0:
      fill([&, a = term("a"), p0 = term("p0"), b = term("b")](std::size_t k) {
        return a(k) * p0(k) + b(k) * surface;
      });
      break;
    case Formula::sigma:
      fill([&, top = term("ptop"), sigma = term("sigma")](std::size_t k) {
        return top(k) + sigma(k) * (surface - top(k));
      });
      break;
  }
}

}  // namespace tailrace::input
