#include "analytics/expression/compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analytics/expression/around_diagnostic.hpp"
#include "analytics/expression/calls.hpp"
#include "analytics/expression/resolver.hpp"
#include "analytics/expression/syntax/parser.hpp"
#include "base/nearest_name.hpp"
#include "units/unit_system.hpp"

namespace tailrace::analytics::expression {

config::Location place_of(const DiagnosticSource& source, std::size_t at) {
  config::Location place = source.location;
  const std::string before = source.text.substr(0, std::min(at, source.text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  place.line += static_cast<int>(lines);
  place.column += static_cast<int>(last == std::string::npos ? before.size() : before.size() - last - 1);
  return place;
}

Compiler::Compiler(const std::vector<DiagnosticSource>& sources, const Scope& scope,
                   config::Problems& problems)
    : scope_(scope), problems_(problems) {
  for (const DiagnosticSource& source : sources) {
    entries_.emplace_back();
    entries_.back().source = &source;
  }
}

Compiled Compiler::compile() {
  units::unit_system();
  index_names();
  parse_all();
  for (const std::size_t number : order())
    if (entries_[number].state == State::waiting) resolve(number);
  Compiled compiled;
  compiled.graph = collect(builder_.nodes(), entries_);
  warn(entries_, odd_units_, compiled);
  compiled.graph.operators = scope_.operators;
  tell_purposes(compiled.graph);
  return compiled;
}

void Compiler::problem(const Entry& entry, std::size_t at, const std::string& what) {
  problems_.add(place_of(*entry.source, at), entry.source->path, what);
}

void Compiler::index_names() {
  for (std::size_t i = 0; i < scope_.inputs.size(); ++i) {
    inputs_.try_emplace(scope_.inputs[i].name, static_cast<int>(i));
    for (const Dim& dim : scope_.inputs[i].shape.dims) dims_.insert(dim.name);
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const std::string& name = entry.source->name;
    if (inputs_.contains(name)) {
      problem(entry, 0,
              fmt::format("\"{}\" is the name of a field or coordinate of the model; give the diagnostic "
                          "another name name",
                          name));
      entry.state = State::failed;
      continue;
    }
    const auto [first, is_new] = diagnostics_.try_emplace(name, i);
    if (is_new) continue;
    problem(entry, 0,
            fmt::format("there are two diagnostics \"{}\"; the other is at {}", name,
                        entries_[first->second].source->location.text()));
    entry.state = State::failed;
  }
}

void Compiler::parse_all() {
  for (Entry& entry : entries_) {
    try {
      entry.ast = syntax::parse(entry.source->text);
    } catch (const syntax::Mistake& mistake) {
      problem(entry, mistake.at, mistake.what());
      entry.state = State::failed;
    }
  }
}

std::vector<std::size_t> Compiler::used_by(const Entry& entry) const {
  std::vector<std::size_t> used;
  if (!entry.ast) return used;
  for (const syntax::Phrase& phrase : entry.ast->phrases) {
    if (phrase.kind != syntax::PhraseKind::name) continue;
    const auto found = diagnostics_.find(phrase.text);
    if (found != diagnostics_.end()) used.push_back(found->second);
  }
  return used;
}

// Depth first, without recursion since chains of diagnostics may be long.
std::vector<std::size_t> Compiler::order() const {
  struct Visit {
    std::size_t number;
    std::vector<std::size_t> used;
    std::size_t next = 0;
  };
  std::vector<std::size_t> done;
  std::vector<bool> seen(entries_.size(), false);
  for (std::size_t root = 0; root < entries_.size(); ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    std::vector<Visit> path{{root, used_by(entries_[root])}};
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next == visit.used.size()) {
        done.push_back(visit.number);
        path.pop_back();
        continue;
      }
      const std::size_t next = visit.used[visit.next++];
      if (seen[next]) continue;
      seen[next] = true;
      path.push_back({next, used_by(entries_[next])});
    }
  }
  return done;
}

void Compiler::resolve(std::size_t number) {
  Entry& entry = entries_[number];
  entry.state = State::running;
  running_.push_back(number);
  AroundDiagnostic around(*this, number);
  const auto value = Resolver(*entry.ast, builder_, around).resolve();
  running_.pop_back();
  if (value) {
    entry.value = *value;
    finish(entry);
    return;
  }
  const bool only_absent = !entry.absent.empty() && !around.has_problem();
  entry.state = only_absent && entry.state == State::running ? State::left_out : State::failed;
}

void Compiler::finish(Entry& entry) {
  entry.state = State::failed;
  if (builder_.constant(entry.value)) {
    problem(entry, 0, "a diagnostic is computed from fields, but this is only a number");
    return;
  }
  try {
    take_units(entry);
    entry.state = State::done;
  } catch (const CallProblem& mismatch) {
    problem(entry, 0, mismatch.what());
  }
}

void Compiler::take_units(Entry& entry) {
  const std::string& declared = entry.source->units;
  const auto& computed = entry.value.units;
  entry.units = declared.empty() ? computed.value_or("") : declared;
  if (declared.empty()) return;
  if (!units::unit_system().knows(declared)) {
    odd_units_[declared].push_back(entry.source->name);
  } else if (computed && units::unit_system().knows(*computed)) {
    entry.value = builder_.converted(entry.value, declared, -1,
                                     fmt::format("the result does not agree with \"units: {}\"", declared));
  }
  entry.value.units = declared;
}

std::string Compiler::unknown_name(const std::string& name) const {
  if (dims_.contains(name))
    return fmt::format("\"{}\" is a dimension, but the model declares no coordinate of that name", name);
  if (scope_.options.contains(name)) return fmt::format("\"{0}\" is an option: write {{{0}}}", name);
  const auto functions = function_names();
  if (std::binary_search(functions.begin(), functions.end(), name))
    return fmt::format("\"{0}\" is a function: write {0}(...)", name);
  std::vector<std::string> names;
  for (const auto& [known, number] : inputs_) names.push_back(known);
  for (const auto& [known, number] : diagnostics_) names.push_back(known);
  const std::string said = fmt::format("there is no field or diagnostic \"{}\".", name);
  for (const std::string& known : names)
    if (known.ends_with("." + name)) return fmt::format("{} Did you mean \"{}\"?", said, known);
  return said + base::name_hint(name, names);
}

}  // namespace tailrace::analytics::expression
