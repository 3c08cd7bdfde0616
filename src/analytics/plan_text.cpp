#include "analytics/plan_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "analytics/planning/schedule.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

constexpr std::size_t longest = 100;  // characters of an expression

std::string dims_words(const Dims& dims) {
  if (dims.empty()) return "a number";
  std::vector<std::string> words;
  for (const Dim& dim : dims) words.push_back(fmt::format("{} {}", dim.name, dim.extent));
  return fmt::format("{}", fmt::join(words, ", "));
}

class Writer {
 public:
  // The positions of blocks are unknown here, so nodes are not bundled.
  Writer(const Graph& graph, const Placement& placement)
      : graph_(graph),
        placement_(placement),
        bundled_(planning::bundle(graph, placement, std::vector(graph.nodes.size(), INT64_MAX),
                                  std::vector<char>(graph.diagnostics.size(), 1))),
        schedule_(planning::make_schedule(bundled_)),
        users_(graph.nodes.size()) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      for (const int arg : graph.nodes[n].args) ++users_[base::index(arg)];
    for (const Diagnostic& diagnostic : graph.diagnostics) {
      ++users_[base::index(diagnostic.node)];
      names_[diagnostic.node].push_back(diagnostic.name);
    }
  }

  std::string write() {
    std::size_t nodes = 0, shared = 0;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes[n].kind == NodeKind::constant) continue;
      ++nodes;
      shared += users_[n] > 1 ? 1 : 0;
    }
    text_ = fmt::format("diagnostics: {}, computed by {} nodes of which {} are shared; phases per step: {}\n",
                        graph_.diagnostics.size(), nodes, shared, schedule_.phases.size());
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) add_node(static_cast<int>(n));
    for (std::size_t p = 0; p < schedule_.phases.size(); ++p) add_phase(p);
    return std::move(text_);
  }

 private:
  void add_node(int node) {
    const Node& here = graph_.nodes[base::index(node)];
    if (here.kind == NodeKind::constant) return;
    std::string what = text_of(graph_, node);
    if (what.size() > longest) what.replace(longest, std::string::npos, "...");
    text_ += fmt::format("{:>5}  {}  [{}]  {}", node, what, dims_words(here.shape.dims), place_words(node));
    if (users_[base::index(node)] > 1) text_ += fmt::format("; shared by {}", users_[base::index(node)]);
    if (here.op != nullptr) text_ += fmt::format("; cost: {}", here.op->doc().cost);
    const auto name = names_.find(node);
    if (name != names_.end()) text_ += fmt::format("  => {}", fmt::join(name->second, ", "));
    text_ += '\n';
  }

  std::string place_words(int node) const {
    switch (placement_.place[base::index(node)]) {
      case Place::known: return "known everywhere";
      case Place::local:
        return fmt::format("in the ranks' blocks, phase {}", placement_.phase[base::index(node)]);
      case Place::global: break;
    }
    return fmt::format("whole, at server {}, phase {}", placement_.root[base::index(node)],
                       placement_.phase[base::index(node)]);
  }

  void add_phase(std::size_t phase) {
    const planning::PhasePlan& plan = schedule_.phases[phase];
    text_ += fmt::format("phase {}\n", phase);
    add_stage("  every server, each of its blocks", plan.blocks);
    for (const planning::RootPlan& root : plan.roots) {
      if (!root.reductions.empty())
        text_ += fmt::format("  to server {}, partial results of {}\n", root.root, numbers(root.reductions));
      if (!root.gathered.empty())
        text_ += fmt::format("  to server {}, blocks of {}\n", root.root, numbers(root.gathered));
      for (const planning::Stage& stage : root.stages)
        add_stage(fmt::format("  server {}", root.root), stage);
      if (!root.broadcast.empty())
        text_ += fmt::format("  from server {} to all, {}\n", root.root, numbers(root.broadcast));
    }
  }

  void add_stage(const std::string& where, const planning::Stage& stage) {
    for (const planning::ProgramPlan& program : stage.programs) {
      std::vector<int> gives = program.stores;
      gives.insert(gives.end(), program.sinks.begin(), program.sinks.end());
      text_ += fmt::format("{}: one pass over [{}] reads {} and gives {}\n", where, dims_words(program.space),
                           numbers(program.sources), numbers(gives));
    }
    for (const int op : stage.ops)
      text_ += fmt::format("{}: {} {}\n", where, bundled_.graph.nodes[base::index(op)].name, numbers({op}));
  }

  std::string numbers(std::vector<int> nodes) const {
    for (int& node : nodes) node = bundled_.members[base::index(node)].front();
    std::sort(nodes.begin(), nodes.end());
    return nodes.empty() ? "nothing" : fmt::format("{}", fmt::join(nodes, ", "));
  }

  const Graph& graph_;
  const Placement& placement_;
  const planning::Bundled bundled_;
  const planning::Schedule schedule_;
  std::vector<int> users_;  // by node
  std::map<int, std::vector<std::string>> names_;
  std::string text_;
};

std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace

std::string plan_text(const Graph& graph, const Placement& placement) {
  return Writer(graph, placement).write();
}

std::string plan_graph(const Graph& graph, const Placement& placement) {
  constexpr const char* shapes[] = {"plaintext", "box", "ellipse"};
  std::string text =
      "digraph diagnostics {\n  rankdir=LR;\n  // box: in the ranks' blocks; ellipse: whole, at a server\n";
  std::map<int, std::vector<std::size_t>> phases;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const std::string label =
        node.kind == NodeKind::constant ? fmt::format("{}", node.constant) : quoted(node.name);
    const std::string where = placement.root[n] >= 0 ? fmt::format("\\nserver {}", placement.root[n]) : "";
    text += fmt::format("  n{} [label=\"{}{}\", shape={}];\n", n, label, where,
                        shapes[static_cast<int>(placement.place[n])]);
    for (const int arg : node.args) text += fmt::format("  n{} -> n{};\n", arg, n);
    if (placement.place[n] != Place::known) phases[placement.phase[n]].push_back(n);
  }
  for (const auto& [phase, nodes] : phases) {
    text += fmt::format("  subgraph cluster_{} {{ label=\"phase {}\"; ", phase, phase);
    for (const std::size_t node : nodes) text += fmt::format("n{}; ", node);
    text += "}\n";
  }
  for (std::size_t d = 0; d < graph.diagnostics.size(); ++d)
    text += fmt::format("  d{} [label=\"{}\", shape=note];\n  n{} -> d{};\n", d,
                        quoted(graph.diagnostics[d].name), graph.diagnostics[d].node, d);
  return text + "}\n";
}

}  // namespace tailrace::analytics
