#include "analytics/expression/rewrites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "units/unit_system.hpp"

namespace tailrace::analytics::expression {

using nodes::Builder;
using nodes::Value;

namespace {

using DimNames = std::vector<std::string>;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool flag(const RewriteCall& call, const std::string& name) {
  const auto found = call.parameters.find(name);
  if (found == call.parameters.end()) return false;
  const auto* number = std::get_if<double>(&found->second);
  if (number == nullptr || (*number != 0.0 && *number != 1.0))
    throw CallProblem(-1, name, fmt::format("{} is 0 or 1", name));
  return *number == 1.0;
}

double number_of(const RewriteCall& call, const std::string& name, double fallback) {
  const auto found = call.parameters.find(name);
  if (found == call.parameters.end()) return fallback;
  const auto* number = std::get_if<double>(&found->second);
  if (number == nullptr) throw CallProblem(-1, name, fmt::format("{} is a number", name));
  return *number;
}

std::string units_of(const RewriteCall& call) {
  const auto found = call.parameters.find("units");
  if (found == call.parameters.end())
    throw CallProblem(-1, "", "units=\"...\" is missing: the units of the result");
  const auto* text = std::get_if<std::string>(&found->second);
  if (text == nullptr) throw CallProblem(-1, "units", "units must be a text such as \"kg m-2\"");
  if (!units::unit_system().knows(*text))
    throw CallProblem(-1, "units", fmt::format("UDUNITS does not know the units \"{}\"", *text));
  return *text;
}

// Values that may be missing are excluded by default.
Value reduced(Builder& builder, const std::string& name, const Value& value, const DimNames& dims,
              std::optional<bool> skip_missing = {}) {
  const Operator* op = find_operator(name);
  TAILRACE_ASSERT(op != nullptr, fmt::format("the operator {} is not built in", name));
  Call call;
  call.dims = dims;
  if (skip_missing && (*skip_missing || value.may_miss))
    call.parameters["skip_missing"] = *skip_missing ? 1.0 : 0.0;
  return builder.apply(name, *op, std::move(call), {value});
}

Value with_units_of(Value value, const Value& other) {
  value.units = other.units;
  value.scaled = other.scaled;
  return value;
}

// A weighted sum of degrees Celsius is not a temperature, but the mean computed from it is.
Value without_origin(Value value) {
  if (value.units) value.units = units::unit_system().difference(*value.units);
  return value;
}

// Number of cells of `value` for each cell of the result.
double cells_of(const Builder& builder, const Value& value, const DimNames& dims) {
  double cells = 1.0;
  for (const Dim& dim : builder.dims(value))
    if (std::find(dims.begin(), dims.end(), dim.name) != dims.end()) cells *= static_cast<double>(dim.extent);
  return cells;
}

DimNames shared(const Builder& builder, const Value& value, const DimNames& dims) {
  DimNames result;
  for (const Dim& dim : builder.dims(value))
    if (std::find(dims.begin(), dims.end(), dim.name) != dims.end()) result.push_back(dim.name);
  return result;
}

struct How {
  DimNames dims;
  std::optional<Value> weights;
  bool skip_missing = false;
  double fewer = 0.0;  // ddof
};

void check_weights(const Builder& builder, const Value& value, const Value& weights) {
  const Shape shape = builder.shape(value);
  for (const Dim& dim : builder.dims(weights))
    if (!shape.find(dim.name))
      throw CallProblem(
          -1, "weights",
          fmt::format("the weights have a dimension \"{}\", which the argument does not have", dim.name));
}

// Weights that do not vary along a consumed dimension apply to each of its cells.
Value weighted_mean(Builder& builder, const Value& value, const How& how) {
  const Value weights = without_origin(*how.weights);
  const Value product = builder.elementwise(Opcode::mul, {without_origin(value), weights});
  if (how.skip_missing) {
    const Value absent = builder.elementwise(Opcode::isnan, {product});
    const Value zero = builder.number(0.0);
    const Value kept = builder.elementwise(Opcode::where, {absent, zero, product});
    const Value counted = builder.elementwise(Opcode::where, {absent, zero, weights});
    return builder.elementwise(
        Opcode::div, {reduced(builder, "sum", kept, how.dims), reduced(builder, "sum", counted, how.dims)});
  }
  const DimNames varying = shared(builder, weights, how.dims);
  Value total = varying.empty() ? weights : reduced(builder, "sum", weights, varying);
  const double copies = cells_of(builder, value, how.dims) / cells_of(builder, weights, how.dims);
  if (copies != 1.0) total = builder.elementwise(Opcode::mul, {total, builder.number(copies)});
  return builder.elementwise(Opcode::div, {reduced(builder, "sum", product, how.dims), total});
}

Value plain_mean(Builder& builder, const Value& value, const How& how) {
  const Value sum = reduced(builder, "sum", value, how.dims, how.skip_missing);
  Value count = how.skip_missing ? reduced(builder, "count", value, how.dims)
                                 : builder.number(cells_of(builder, value, how.dims) - how.fewer);
  if (how.skip_missing && how.fewer != 0.0)
    count = builder.elementwise(Opcode::sub, {count, builder.number(how.fewer)});
  return builder.elementwise(Opcode::div, {sum, count});
}

// Without a valid cell this is 0 / 0, which is NaN: missing.
Value mean(Builder& builder, Value value, How how) {
  if (how.weights) check_weights(builder, value, *how.weights);
  if (builder.dims(value).empty()) return value;
  const bool may_miss = value.may_miss || (how.weights && how.weights->may_miss);
  value.may_miss = false;
  if (how.weights) how.weights->may_miss = false;
  Value result = how.weights ? weighted_mean(builder, value, how) : plain_mean(builder, value, how);
  result.may_miss = may_miss;
  return with_units_of(result, value);
}

Value anomaly(Builder& builder, const Value& value, How how) {
  how.fewer = 0.0;
  return builder.elementwise(Opcode::sub, {value, mean(builder, value, how)});
}

Value variance(Builder& builder, const Value& value, const How& how) {
  return mean(builder, builder.elementwise(Opcode::square, {anomaly(builder, value, how)}), how);
}

Value deviation(Builder& builder, const Value& value, const How& how) {
  Value result = builder.elementwise(Opcode::sqrt, {variance(builder, value, how)});
  return with_units_of(result, without_origin(value));
}

// A cell in which one of the two is missing is excluded from both.
void drop_unpaired(Builder& builder, Value& a, Value& b) {
  const Value unpaired = builder.elementwise(
      Opcode::logical_or, {builder.elementwise(Opcode::isnan, {a}), builder.elementwise(Opcode::isnan, {b})});
  const Value nothing = builder.number(missing);
  a = builder.elementwise(Opcode::where, {unpaired, nothing, a});
  b = builder.elementwise(Opcode::where, {unpaired, nothing, b});
}

Value covariance(Builder& builder, const Value& a, const Value& b, const How& how) {
  const Value product =
      builder.elementwise(Opcode::mul, {anomaly(builder, a, how), anomaly(builder, b, how)});
  return mean(builder, product, how);
}

// As given in the call; by default, whether a value may be missing.
bool skips_missing(const RewriteCall& call) {
  if (call.parameters.contains("skip_missing")) return flag(call, "skip_missing");
  return std::ranges::any_of(call.arrays, &Value::may_miss) || (call.weights && call.weights->may_miss);
}

How how_of(const RewriteCall& call) {
  How how{call.dims, call.weights, skips_missing(call), number_of(call, "ddof", 0.0)};
  if (how.fewer != 0.0 && how.weights)
    throw CallProblem(-1, "ddof", "ddof and weights cannot be given together");
  return how;
}

Value write_mean(Builder& builder, const RewriteCall& call) {
  return mean(builder, call.arrays[0], how_of(call));
}

Value write_sum(Builder& builder, const RewriteCall& call) {
  check_weights(builder, call.arrays[0], *call.weights);
  const Value product = builder.elementwise(Opcode::mul, {call.arrays[0], *call.weights});
  return reduced(builder, "sum", product, call.dims, skips_missing(call));
}

Value write_var(Builder& builder, const RewriteCall& call) {
  return variance(builder, call.arrays[0], how_of(call));
}

Value write_std(Builder& builder, const RewriteCall& call) {
  return deviation(builder, call.arrays[0], how_of(call));
}

Value write_cov(Builder& builder, const RewriteCall& call) {
  const How how = how_of(call);
  Value a = call.arrays[0];
  Value b = call.arrays[1];
  if (how.skip_missing) drop_unpaired(builder, a, b);
  return covariance(builder, a, b, how);
}

Value write_corr(Builder& builder, const RewriteCall& call) {
  const How how = how_of(call);
  Value a = call.arrays[0];
  Value b = call.arrays[1];
  if (how.skip_missing) drop_unpaired(builder, a, b);
  const Value spread =
      builder.elementwise(Opcode::mul, {deviation(builder, a, how), deviation(builder, b, how)});
  Value result = builder.elementwise(Opcode::div, {covariance(builder, a, b, how), spread});
  result.units = std::string("1");
  result.scaled = false;
  return result;
}

Value write_anomaly(Builder& builder, const RewriteCall& call) {
  return anomaly(builder, call.arrays[0], how_of(call));
}

Value write_rms(Builder& builder, const RewriteCall& call) {
  const Value squares = mean(builder, builder.elementwise(Opcode::square, {call.arrays[0]}), how_of(call));
  return with_units_of(builder.elementwise(Opcode::sqrt, {squares}), call.arrays[0]);
}

Value write_mask(Builder& builder, const RewriteCall& call) {
  return builder.elementwise(Opcode::where, {call.arrays[1], call.arrays[0], builder.number(missing)});
}

Value write_to_units(Builder& builder, const RewriteCall& call) {
  return builder.to_units(call.arrays[0], units_of(call), 0);
}

Value write_with_units(Builder&, const RewriteCall& call) {
  Value value = call.arrays[0];
  value.units = units_of(call);
  value.bare = value.scaled = false;
  return value;
}

constexpr const char* a_sum = "a sum";
constexpr const char* two_passes = "two passes: a sum, then one of the deviations from the mean";

std::vector<Rewrite> make() {
  const std::vector<std::string> averaging{"weights", "skip_missing"};
  const std::vector<std::string> spreading{"weights", "skip_missing", "ddof"};
  return {
      {"anomaly",
       1,
       true,
       averaging,
       {"anomaly(a, dims..., weights=, skip_missing=0)",
        "a - mean(a, dims...): the deviation from the mean, with the dims of a.", a_sum, ""},
       write_anomaly},
      {"corr",
       2,
       true,
       averaging,
       {"corr(a, b, dims..., weights=, skip_missing=0)",
        "Pearson's correlation: cov(a, b) / (std(a) * std(b)); NaN where either is constant.", two_passes,
        ""},
       write_corr},
      {"cov",
       2,
       true,
       spreading,
       {"cov(a, b, dims..., weights=, skip_missing=0, ddof=0)",
        "The covariance: the mean of the product of both anomalies. cov(w, theta, y, x) is a resolved flux.",
        two_passes, ""},
       write_cov},
      {"mask",
       2,
       false,
       {},
       {"mask(a, cond)", "a where cond is not 0, NaN (missing) elsewhere: where(cond, a, nan).",
        "1 flop per cell", ""},
       write_mask},
      {"mean",
       1,
       true,
       averaging,
       {"mean(a, dims..., weights=, skip_missing=0)",
        "The mean over the named dimensions, or all: sum / number of cells, or with weights "
        "sum(a * w) / sum(w). Over latitudes cells are weighted by their areas where these are known, and "
        "equally "
        "with "
        "weights=1. NaN gives NaN; with skip_missing=1 NaN is left out of both.",
        a_sum, ""},
       write_mean},
      {"rms",
       1,
       true,
       averaging,
       {"rms(a, dims..., weights=, skip_missing=0)", "The square root of the mean square.", a_sum, ""},
       write_rms},
      {"std",
       1,
       true,
       spreading,
       {"std(a, dims..., weights=, skip_missing=0, ddof=0)", "The standard deviation: sqrt(var(a, dims...)).",
        two_passes, ""},
       write_std},
      {"sum",
       1,
       true,
       averaging,
       {"sum(a, dims..., weights=, skip_missing=0)", "With weights: sum(a * w).", a_sum, ""},
       write_sum},
      {"to_units",
       1,
       false,
       {"units"},
       {"to_units(a, units=\"hPa\")", "a converted to these units, by UDUNITS' factor and offset.",
        "1 or 2 flops per cell", ""},
       write_to_units},
      {"var",
       1,
       true,
       spreading,
       {"var(a, dims..., weights=, skip_missing=0, ddof=0)",
        "The variance: the mean square of the deviation from the mean. With ddof=1 the sum is divided by one "
        "less than the number of cells.",
        two_passes, ""},
       write_var},
      {"with_units",
       1,
       false,
       {"units"},
       {"with_units(a, units=\"hPa\")", "The same numbers, taken to be in these units.", "nothing", ""},
       write_with_units},
  };
}

}  // namespace

const std::vector<Rewrite>& rewrites() {
  static const std::vector<Rewrite> all = make();
  return all;
}

const Rewrite* find_rewrite(const std::string& name, bool with_weights) {
  if (name == "sum" && !with_weights) return nullptr;
  const std::string known = name == "covariance" ? "cov" : name == "correlation" ? "corr" : name;
  const auto found = std::find_if(rewrites().begin(), rewrites().end(),
                                  [&](const Rewrite& rewrite) { return rewrite.name == known; });
  return found == rewrites().end() ? nullptr : &*found;
}

}  // namespace tailrace::analytics::expression
