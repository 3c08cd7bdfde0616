#include "analytics/expression/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/index.hpp"

namespace tailrace::analytics::expression {

namespace {

std::vector<bool> reachable(const std::vector<Node>& nodes, const std::vector<int>& roots) {
  std::vector<bool> needed(nodes.size(), false);
  for (const int root : roots) needed[base::index(root)] = true;
  for (std::size_t i = nodes.size(); i-- > 0;)
    if (needed[i])
      for (const int argument : nodes[i].args) needed[base::index(argument)] = true;
  return needed;
}

// Finds the inputs of each diagnostic. Diagnostics that use others reuse their results, so that a long chain
// is traversed once.
class Inputs {
 public:
  explicit Inputs(Graph& graph) : nodes_(graph.nodes), seen_(graph.nodes.size(), -1) {
    std::map<int, std::vector<Diagnostic*>> by_node;  // arguments first
    for (Diagnostic& diagnostic : graph.diagnostics) by_node[diagnostic.node].push_back(&diagnostic);
    for (const auto& [node, diagnostics] : by_node) {
      const std::vector<int>& inputs = known_[node] = inputs_of(node);
      for (Diagnostic* diagnostic : diagnostics) diagnostic->inputs = inputs;
    }
  }

 private:
  std::vector<int> inputs_of(int root) {
    std::vector<int> inputs, waiting{root};
    while (!waiting.empty()) {
      const int number = waiting.back();
      waiting.pop_back();
      const auto at = base::index(number);
      if (std::exchange(seen_[at], root) == root) continue;
      if (nodes_[at].kind == NodeKind::input) inputs.push_back(nodes_[at].input);
      if (const auto known = known_.find(number); number != root && known != known_.end())
        inputs.insert(inputs.end(), known->second.begin(), known->second.end());
      else
        waiting.insert(waiting.end(), nodes_[at].args.begin(), nodes_[at].args.end());
    }
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    return inputs;
  }

  const std::vector<Node>& nodes_;
  std::vector<int> seen_;                  // by node: the last root for which it was visited
  std::map<int, std::vector<int>> known_;  // by node of a diagnostic
};

std::string line(const DiagnosticSource& source, const std::string& what) {
  return fmt::format("{}  {}: {}", source.location.text(), source.path, what);
}

}  // namespace

Graph collect(const std::vector<Node>& nodes, const std::vector<Entry>& entries) {
  std::vector<int> roots;
  for (const Entry& entry : entries)
    if (entry.state == State::done) roots.push_back(entry.value.node);
  const auto needed = reachable(nodes, roots);

  Graph graph;
  std::vector<int> renamed(nodes.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    renamed[i] = graph.add(nodes[i]);
    for (int& argument : graph.nodes.back().args) argument = renamed[base::index(argument)];
  }
  for (const Entry& entry : entries) {
    if (entry.state != State::done) continue;
    const DiagnosticSource& source = *entry.source;
    const int node = renamed[base::index(entry.value.node)];
    graph.diagnostics.push_back({.name = source.name,
                                 .location = source.location,
                                 .text = source.text,
                                 .node = node,
                                 .units = entry.units,
                                 .long_name = source.long_name,
                                 .standard_name = source.standard_name,
                                 .reduced = entry.value.reduced,
                                 .inputs = {},
                                 .may_miss = entry.value.may_miss});
  }
  Inputs{graph};
  return graph;
}

namespace {

constexpr std::size_t few = 5;

std::string some_of(const std::vector<std::string>& names) {
  if (names.size() <= few) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + few, ", "),
                     names.size() - few);
}

void warn_of_missing_units(const std::vector<Entry>& entries, Compiled& compiled) {
  std::vector<std::string> lines;
  for (const Entry& entry : entries)
    if (entry.state == State::done && !entry.without_units.empty())
      lines.push_back(
          line(*entry.source,
               fmt::format("the units of {} are unknown, so those of this diagnostic are not checked",
                           fmt::join(entry.without_units, ", "))));
  if (lines.size() > few) {
    compiled.warnings.push_back(
        fmt::format("{} (and the same of {} other diagnostics)", lines.front(), lines.size() - 1));
    compiled.details.insert(compiled.details.end(), lines.begin(), lines.end());
  } else {
    compiled.warnings.insert(compiled.warnings.end(), lines.begin(), lines.end());
  }
}

void warn_of_plain_means(const std::vector<Entry>& entries, Compiled& compiled) {
  std::vector<std::string> lines;
  for (const Entry& entry : entries)
    if (entry.state == State::done)
      lines.insert(lines.end(), entry.plain_means.begin(), entry.plain_means.end());
  if (lines.size() > few) {
    compiled.warnings.push_back(fmt::format("{} (and {} others like it)", lines.front(), lines.size() - 1));
    compiled.details.insert(compiled.details.end(), lines.begin(), lines.end());
  } else {
    compiled.warnings.insert(compiled.warnings.end(), lines.begin(), lines.end());
  }
}

// With the place of the first diagnostic that has them. Fields of the model that have them have no place.
void warn_of_odd_units(const std::vector<Entry>& entries, const OddUnits& odd_units, Compiled& compiled) {
  std::string place;
  for (const Entry& entry : entries)
    if (place.empty() && odd_units.contains(entry.source->units))
      place = fmt::format("{}  ", entry.source->location.text());
  const auto told = [&place](const std::string& units, const std::string& names) {
    return fmt::format(
        "{}UDUNITS does not know the units \"{}\"; they are written unchanged and not checked: {}", place,
        units, names);
  };
  if (odd_units.size() == 1)
    compiled.warnings.push_back(told(odd_units.begin()->first, some_of(odd_units.begin()->second)));
  std::vector<std::string> counted;
  for (const auto& [units, names] : odd_units) {
    counted.push_back(fmt::format("\"{}\" (of {})", units, names.size()));
    if (names.size() > few || odd_units.size() > 1)
      compiled.details.push_back(told(units, fmt::format("{}", fmt::join(names, ", "))));
  }
  if (odd_units.size() > 1)
    compiled.warnings.push_back(
        fmt::format("{}UDUNITS does not know the units {}; they are written unchanged and not checked", place,
                    fmt::join(counted, ", ")));
}

void warn_of_left_out(const std::vector<Entry>& entries, Compiled& compiled) {
  std::map<std::set<std::string>, std::vector<std::string>> left_out;
  std::set<std::string> absent;
  std::size_t count = 0;
  for (const Entry& entry : entries) {
    if (entry.state != State::left_out) continue;
    left_out[entry.absent].push_back(entry.source->name);
    absent.insert(entry.absent.begin(), entry.absent.end());
    ++count;
  }
  const bool many = left_out.size() > few;  // then the plan has a line about all the fields
  if (many)
    compiled.details.push_back(
        fmt::format("{} optional diagnostics are left out, because the model has no field {}", count,
                    some_of({absent.begin(), absent.end()})));
  auto& lines = many ? compiled.details : compiled.warnings;
  for (const auto& [fields, names] : left_out)
    lines.push_back(fmt::format("the model has no field {}; left out: {}", fmt::join(fields, ", "),
                                fmt::join(names, ", ")));
}

}  // namespace

// One line for each of a few diagnostics; for many, as in a general configuration, one line for all, with the
// list in `details`.
void warn(const std::vector<Entry>& entries, const OddUnits& odd_units, Compiled& compiled) {
  warn_of_missing_units(entries, compiled);
  warn_of_plain_means(entries, compiled);
  warn_of_odd_units(entries, odd_units, compiled);
  warn_of_left_out(entries, compiled);
}

}  // namespace tailrace::analytics::expression
