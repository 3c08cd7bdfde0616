#include "analytics/expression/around_diagnostic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analytics/expression/syntax/parser.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "config/scalars.hpp"
#include "units/unit_system.hpp"

namespace tailrace::analytics::expression {

using nodes::Value;

bool AroundDiagnostic::is_name(const std::string& name) const {
  return all_.inputs_.contains(name) || all_.diagnostics_.contains(name);
}

bool AroundDiagnostic::may_lack_names() const { return entry().source->optional; }

void AroundDiagnostic::problem(std::size_t at, const std::string& what) {
  has_problem_ = true;
  all_.problem(entry(), at, what);
}

namespace {

const std::string* name_of(const std::map<std::string, std::string>& names, const std::string& dim) {
  const auto found = names.find(dim);
  return found == names.end() ? nullptr : &found->second;
}

}  // namespace

const std::string* AroundDiagnostic::latitude(const std::string& dim) const {
  return name_of(all_.scope_.latitudes, dim);
}

const std::string* AroundDiagnostic::area(const std::string& dim) const {
  return name_of(all_.scope_.areas, dim);
}

void AroundDiagnostic::plain_mean(std::size_t at, const std::string& what) {
  const DiagnosticSource& source = *entry().source;
  entry().plain_means.push_back(fmt::format("{}  {}: {}", place_of(source, at).text(), source.path, what));
}

// Nested expressions share one limit of depth, so that a cycle of diagnostics cannot overflow the stack.
bool AroundDiagnostic::deeper() { return ++all_.depth_ <= 2 * syntax::deepest_nesting; }

std::optional<Value> AroundDiagnostic::named(const std::string& name, std::size_t at) {
  const auto input = all_.inputs_.find(name);
  if (input != all_.inputs_.end()) {
    const Input& field = all_.scope_.inputs[base::index(input->second)];
    Value value = all_.builder_.input(input->second, field.name, field.shape);
    value.may_miss = field.may_miss;
    return with_known_units(name, std::move(value));
  }
  const auto other = all_.diagnostics_.find(name);
  if (other != all_.diagnostics_.end()) return diagnostic(other->second, at);
  absent({name}, at, [&] { return all_.unknown_name(name); });
  return std::nullopt;
}

std::optional<Value> AroundDiagnostic::with_known_units(const std::string& name, Value value) {
  if (!value.units || !units::unit_system().knows(*value.units)) entry().without_units.insert(name);
  return value;
}

std::optional<Value> AroundDiagnostic::diagnostic(std::size_t other, std::size_t at) {
  Entry& used = all_.entries_[other];
  if (used.state == State::waiting) all_.resolve(other);
  switch (used.state) {
    case State::done: {
      Value value = used.value;
      value.scaled = false;  // its units were checked
      return with_known_units(used.source->name, value);
    }
    case State::running: circle(other, at); return std::nullopt;
    case State::left_out:
      absent(used.absent, at, [&] {
        return fmt::format(
            "\"{}\" is left out, because the model has no field {}; mark this diagnostic optional too",
            used.source->name, fmt::join(used.absent, ", "));
      });
      return std::nullopt;
    default: has_problem_ = true; return std::nullopt;
  }
}

void AroundDiagnostic::circle(std::size_t other, std::size_t at) {
  std::vector<std::string> names;
  const auto first = std::find(all_.running_.begin(), all_.running_.end(), other);
  for (auto number = first; number != all_.running_.end(); ++number)
    names.push_back(all_.entries_[*number].source->name);
  names.push_back(names.front());
  problem(at, fmt::format("diagnostics cannot use each other in a circle: {}", fmt::join(names, " -> ")));
}

// `what` makes the message only if it is an error: a general configuration may name hundreds of fields that a
// model lacks, and the search for similar names takes long.
void AroundDiagnostic::absent(const std::set<std::string>& fields, std::size_t at,
                              const std::function<std::string()>& what) {
  if (entry().source->optional)
    entry().absent.insert(fields.begin(), fields.end());
  else
    problem(at, what());
}

std::optional<Value> AroundDiagnostic::option(const std::string& name, std::size_t at) {
  const auto found = all_.scope_.options.find(name);
  if (found == all_.scope_.options.end() && !all_.scope_.options_known) {
    Value value = all_.builder_.number(1.0);
    value.open = true;
    return value;
  }
  if (found == all_.scope_.options.end()) {
    std::vector<std::string> names;
    for (const auto& [known, text] : all_.scope_.options) names.push_back(known);
    problem(at, fmt::format("the model gives no option \"{}\".{}", name, base::name_hint(name, names)));
    return std::nullopt;
  }
  const auto number = config::parse_real(found->second);
  if (number) return all_.builder_.number(*number);
  problem(at, fmt::format("the option \"{}\" is \"{}\", and a number is expected here", name, found->second));
  return std::nullopt;
}

// For `DIM.turn`, the period of the coordinate; only longitudes have one.
const std::vector<double>* AroundDiagnostic::coordinates(const std::string& dim) const {
  static const std::vector<double> circle{360.0};
  for (const DimCoordinate& coordinate : all_.scope_.coordinates) {
    if (coordinate.dim == dim) return &coordinate.values;
    const bool turns = coordinate.standard_name == "longitude" || coordinate.units == "degrees_east";
    if (turns && dim == coordinate.dim + ".turn") return &circle;
  }
  return nullptr;
}

}  // namespace tailrace::analytics::expression
