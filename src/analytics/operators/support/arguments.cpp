#include "analytics/operators/support/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "units/unit_system.hpp"

namespace tailrace::analytics::operators {
namespace {

constexpr std::string_view coordinate_suffix = ".coordinates";

const ParameterValue* find(const Call& call, const std::string& name) {
  const auto found = call.parameters.find(name);
  return found == call.parameters.end() ? nullptr : &found->second;
}

std::vector<std::string> names_of(const Dims& dims) {
  std::vector<std::string> names;
  for (const Dim& dim : dims) names.push_back(dim.name);
  return names;
}

std::string join(std::initializer_list<std::string_view> words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

void expect_arguments(const Call& call, std::size_t least, std::size_t most) {
  const std::size_t given = call.arguments.size();
  if (given >= least && given <= most) return;
  const std::string expected = least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
  throw CallProblem(-1, "",
                    fmt::format("takes {} argument{}, not {}", expected, most == 1 ? "" : "s", given));
}

void expect_parameters(const Call& call, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : call.parameters) {
    if (std::string_view(name).ends_with(coordinate_suffix)) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    throw CallProblem(-1, name,
                      fmt::format("parameter \"{}\" is unknown.{}", name,
                                  names.empty() ? " (there is none)" : base::name_hint(name, names)));
  }
}

void expect_no_dims(const Call& call) {
  if (!call.dims.empty())
    throw CallProblem(-1, call.dims[0], "takes its dimensions as parameters: DIM=..., not by name alone");
}

std::size_t place_of(const Call& call, const std::string& dim, const std::string& parameter) {
  if (const auto place = call.arguments.at(0).find(dim)) return *place;
  const std::vector<std::string> names = names_of(call.arguments[0].dims);
  throw CallProblem(-1, parameter.empty() ? dim : parameter,
                    fmt::format("the argument has no dimension \"{}\".{}", dim,
                                names.empty() ? " (it is a scalar)" : base::name_hint(dim, names)));
}

std::vector<std::size_t> dim_places(const Call& call) {
  std::vector<std::size_t> places;
  for (const std::string& dim : call.dims) {
    places.push_back(place_of(call, dim));
    if (std::count(places.begin(), places.end(), places.back()) > 1)
      throw CallProblem(-1, dim, fmt::format("dimension \"{}\" is named twice", dim));
  }
  return places;
}

std::vector<bool> consumed_dims(const Call& call) {
  const std::vector<std::size_t> places = dim_places(call);
  std::vector<bool> consumed(call.arguments.at(0).dims.size(), places.empty());
  for (const std::size_t place : places) consumed[place] = true;
  return consumed;
}

std::size_t only_dim(const Call& call) {
  if (call.dims.size() != 1)
    throw CallProblem(-1, "", fmt::format("takes exactly one dimension, not {}", call.dims.size()));
  return place_of(call, call.dims[0]);
}

double number(const Call& call, const std::string& name, double fallback) {
  const ParameterValue* value = find(call, name);
  if (value == nullptr) return fallback;
  if (const double* given = std::get_if<double>(value)) return *given;
  throw CallProblem(-1, name, fmt::format("\"{}\" must be a number", name));
}

double required_number(const Call& call, const std::string& name) {
  if (find(call, name) == nullptr)
    throw CallProblem(-1, "", fmt::format("parameter \"{}\" is missing", name));
  return number(call, name, 0.0);
}

std::int64_t to_whole(double value, const std::string& parameter) {
  if (!(std::abs(value) < 9e15) || value != std::floor(value))
    throw CallProblem(-1, parameter, fmt::format("\"{}\" must be a whole number, not {}", parameter, value));
  return static_cast<std::int64_t>(value);
}

std::int64_t whole_number(const Call& call, const std::string& name, std::int64_t fallback) {
  return to_whole(number(call, name, static_cast<double>(fallback)), name);
}

bool flag(const Call& call, const std::string& name) {
  const double value = number(call, name, 0.0);
  if (value != 0.0 && value != 1.0)
    throw CallProblem(-1, name, fmt::format("\"{}\" must be 0 or 1, not {}", name, value));
  return value == 1.0;
}

bool is_list(const Call& call, const std::string& name) {
  const ParameterValue* value = find(call, name);
  return value != nullptr && std::holds_alternative<std::vector<double>>(*value);
}

std::vector<double> numbers(const Call& call, const std::string& name) {
  const ParameterValue* value = find(call, name);
  if (value == nullptr) return {};
  if (std::holds_alternative<std::string>(*value))
    throw CallProblem(-1, name, fmt::format("\"{}\" must be a list of numbers", name));
  const std::vector<double> list =
      is_list(call, name) ? std::get<std::vector<double>>(*value) : std::vector{std::get<double>(*value)};
  if (list.empty()) throw CallProblem(-1, name, fmt::format("\"{}\" is an empty list", name));
  for (const double element : list)
    if (!std::isfinite(element))
      throw CallProblem(-1, name, fmt::format("\"{}\" holds {}, which is not finite", name, element));
  return list;
}

std::string text(const Call& call, const std::string& name, const std::string& fallback) {
  const ParameterValue* value = find(call, name);
  if (value == nullptr) return fallback;
  if (const std::string* given = std::get_if<std::string>(value)) return *given;
  throw CallProblem(-1, name, fmt::format("\"{}\" must be a text in quotes", name));
}

std::string word(const Call& call, const std::string& name, std::string_view fallback,
                 std::initializer_list<std::string_view> choices) {
  const std::string given = text(call, name, std::string(fallback));
  if (std::find(choices.begin(), choices.end(), given) != choices.end()) return given;
  throw CallProblem(-1, name, fmt::format("{}=\"{}\" is not one of: {}", name, given, join(choices)));
}

std::vector<double> coordinates(const Call& call, const std::string& dim) {
  const std::vector<double> values = numbers(call, dim + std::string(coordinate_suffix));
  if (values.empty())
    throw CallProblem(-1, dim, fmt::format("dimension \"{}\" has no coordinate, which is needed here", dim));
  const std::int64_t extent = call.arguments.at(0).dims[place_of(call, dim)].extent;
  if (static_cast<std::int64_t>(values.size()) != extent)
    throw CallProblem(
        -1, dim,
        fmt::format("the coordinate of \"{}\" has {} values, the dimension {}", dim, values.size(), extent));
  return values;
}

void add_dim(Shape& shape, const std::string& name, std::int64_t extent) {
  if (shape.find(name))
    throw CallProblem(-1, "dim", fmt::format("the result would have dimension \"{}\" twice", name));
  shape.dims.push_back({.name = name, .extent = extent, .split = false});
}

Dim shortened(const Dim& dim, std::int64_t extent) {
  return {.name = extent == dim.extent ? dim.name : fmt::format("{}_{}", dim.name, extent),
          .extent = extent,
          .split = false};
}

Shape without(const Call& call, const std::vector<bool>& removed) {
  const Shape& argument = call.arguments.at(0);
  Shape shape;
  shape.units = argument.units;
  for (std::size_t d = 0; d < argument.dims.size(); ++d)
    if (!removed[d]) shape.dims.push_back(argument.dims[d]);
  return shape;
}

std::optional<std::string> dimensionless() { return std::string("1"); }

std::optional<std::string> product_units(const std::optional<std::string>& a,
                                         const std::optional<std::string>& b) {
  return a && b ? units::unit_system().product(*a, *b) : std::nullopt;
}

std::optional<std::string> power_units(const std::optional<std::string>& a, double exponent) {
  return a ? units::unit_system().power(*a, exponent) : std::nullopt;
}

std::optional<std::string> difference_units(const std::optional<std::string>& a) {
  return a ? std::optional(units::unit_system().difference(*a)) : std::nullopt;
}

}  // namespace tailrace::analytics::operators
