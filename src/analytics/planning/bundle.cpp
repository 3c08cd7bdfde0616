#include "analytics/planning/bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/index.hpp"

namespace tailrace::analytics::planning {
namespace {

// Bundling larger blocks has no advantage.
constexpr std::int64_t small_block = 1024;  // cells

// Connected parts are ordered by their smallest node number, so that every server finds the same parts in the
// same order. A part joins the first bundle whose first member it equals in form. Comparing all pairs would
// not find more, since this is an equivalence relation.
class Bundler {
 public:
  Bundler(const Graph& graph, const Placement& placement, const std::vector<std::int64_t>& cells)
      : graph_(graph), placement_(placement), cells_(cells) {}

  Bundled make(const std::vector<char>& due) {
    mark(due);
    bundled_.positions.resize(graph_.nodes.size());
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (needed_[n] && is(n, Place::known)) add({{static_cast<int>(n)}});
    for (const auto& parts : bundles()) add(parts);
    return std::move(bundled_);
  }

 private:
  using Part = std::vector<int>;  // connected nodes, ignoring known ones; ascending

  bool is(std::size_t node, Place place) const { return placement_.place[node] == place; }
  int cut(std::size_t node) const { return placement_.cut.empty() ? 0 : placement_.cut[node]; }

  void mark(const std::vector<char>& due) {
    needed_.assign(graph_.nodes.size(), 0);
    output_.assign(graph_.nodes.size(), 0);
    for (std::size_t d = 0; d < due.size(); ++d)
      if (due[d])
        needed_[base::index(graph_.diagnostics[d].node)] = output_[base::index(graph_.diagnostics[d].node)] =
            1;
    for (std::size_t n = graph_.nodes.size(); n-- > 0;)
      if (needed_[n])
        for (const int arg : graph_.nodes[n].args) needed_[base::index(arg)] = 1;
  }

  std::vector<Part> parts() {
    std::vector<std::size_t> group(graph_.nodes.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto first_of = [&](std::size_t node) {
      while (group[node] != node) node = group[node] = group[group[node]];
      return node;
    };
    const auto moves = [&](std::size_t node) { return needed_[node] && !is(node, Place::known); };
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!moves(n)) continue;
      for (const int arg : graph_.nodes[n].args)
        if (moves(base::index(arg)))
          group[std::max(first_of(n), first_of(base::index(arg)))] =
              std::min(first_of(n), first_of(base::index(arg)));
    }
    std::vector<Part> parts;
    std::vector<int> part_of(graph_.nodes.size(), -1);
    position_.assign(graph_.nodes.size(), -1);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!moves(n)) continue;
      int& part = part_of[first_of(n)];
      if (part < 0) {
        part = static_cast<int>(parts.size());
        parts.emplace_back();
      }
      position_[n] = static_cast<int>(parts[base::index(part)].size());
      parts[base::index(part)].push_back(static_cast<int>(n));
    }
    return parts;
  }

  std::vector<std::vector<Part>> bundles() {
    std::vector<std::vector<Part>> bundles;
    for (Part& part : parts()) {
      const auto same = !may_join(part)
                            ? bundles.end()
                            : std::find_if(bundles.begin(), bundles.end(),
                                           [&](const auto& bundle) { return alike(bundle.front(), part); });
      if (same == bundles.end())
        bundles.push_back({std::move(part)});
      else
        same->push_back(std::move(part));
    }
    return bundles;
  }

  bool may_join(const Part& part) const {
    return std::all_of(part.begin(), part.end(), [&](int node) {
      const Node& found = graph_.nodes[base::index(node)];
      const std::int64_t cells =
          is(base::index(node), Place::local) ? cells_[base::index(node)] : found.shape.size();
      if (cells > small_block) return false;
      switch (found.kind) {
        case NodeKind::input: return is(base::index(node), Place::local);
        case NodeKind::elementwise: return true;
        case NodeKind::reduction:
          // A reduction that names no dimensions would also consume the dimension of the bundle.
          return static_cast<const Reduction*>(found.op)->fusible() &&
                 !found.call.arguments.front().dims.empty();
        case NodeKind::constant:
        case NodeKind::kernel: break;
      }
      return false;
    });
  }

  bool alike(const Part& a, const Part& b) const {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](int one, int other) {
             return alike(graph_.nodes[base::index(one)], graph_.nodes[base::index(other)]) &&
                    placed_alike(base::index(one), base::index(other));
           });
  }

  bool placed_alike(std::size_t a, std::size_t b) const {
    return output_[a] == output_[b] && placement_.place[a] == placement_.place[b] &&
           placement_.phase[a] == placement_.phase[b] && placement_.root[a] == placement_.root[b] &&
           cut(a) == cut(b);
  }

  // Whether two nodes compute the same, ignoring units, which do not affect numbers.
  bool alike(const Node& a, const Node& b) const {
    const auto same_dims = [](const Shape& x, const Shape& y) { return x.dims == y.dims; };
    return a.kind == b.kind && a.op == b.op && a.shape.dims == b.shape.dims && a.call.dims == b.call.dims &&
           a.call.parameters == b.call.parameters &&
           std::equal(a.call.arguments.begin(), a.call.arguments.end(), b.call.arguments.begin(),
                      b.call.arguments.end(), same_dims) &&
           std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), [&](int x, int y) {
             return is(base::index(x), Place::known)
                        ? x == y
                        : !is(base::index(y), Place::known) &&
                              position_[base::index(x)] == position_[base::index(y)];
           });
  }

  void add(const std::vector<Part>& bundle) {
    const Dim across{fmt::format("#{}", bundled_.graph.nodes.size()),
                     static_cast<std::int64_t>(bundle.size()), false};
    for (std::size_t i = 0; i < bundle.front().size(); ++i) {
      const std::size_t first = base::index(bundle.front()[i]);
      Node node = graph_.nodes[first];
      if (bundle.size() > 1) widen(node, across);
      for (int& arg : node.args) arg = bundled_.positions[base::index(arg)].node;
      const int number = bundled_.graph.add(std::move(node));
      bundled_.placement.place.push_back(placement_.place[first]);
      bundled_.placement.phase.push_back(placement_.phase[first]);
      bundled_.placement.root.push_back(placement_.root[first]);
      bundled_.placement.cut.push_back(cut(first));
      bundled_.wanted.push_back(output_[first]);
      auto& members = bundled_.members.emplace_back();
      for (const Part& part : bundle) {
        bundled_.positions[base::index(part[i])] = {number, static_cast<int>(members.size())};
        members.push_back(part[i]);
      }
    }
  }

  // `node` still has its original arguments.
  void widen(Node& node, const Dim& across) const {
    if (node.kind == NodeKind::reduction && node.call.dims.empty())
      for (const Dim& dim : node.call.arguments.front().dims) node.call.dims.push_back(dim.name);
    for (std::size_t a = 0; a < node.args.size(); ++a) {
      auto& dims = node.call.arguments[a].dims;
      if (!is(base::index(node.args[a]), Place::known)) dims.insert(dims.begin(), across);
    }
    node.shape.dims.insert(node.shape.dims.begin(), across);
  }

  const Graph& graph_;
  const Placement& placement_;
  const std::vector<std::int64_t>& cells_;
  std::vector<char> needed_, output_;
  std::vector<int> position_;  // index of a node in its part
  Bundled bundled_;
};

}  // namespace

Bundled bundle(const Graph& graph, const Placement& placement, const std::vector<std::int64_t>& cells,
               const std::vector<char>& due) {
  return Bundler(graph, placement, cells).make(due);
}

}  // namespace tailrace::analytics::planning
