#include "analytics/planning/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::planning {
namespace {

std::int64_t length_of(const model::Runs& runs) {
  std::int64_t length = 0;
  for (const auto& run : runs) length += run.count;
  return length;
}

// The rule by which a node's block follows from those of its arguments, for all ranks: names of dims are
// looked up only once.
class Joint {
 public:
  Joint(const Graph& graph, const Placement& placement, int node)
      : graph_(graph), node_(graph.nodes[base::index(node)]) {
    for (const int arg : node_.args) {
      if (placement.place[base::index(arg)] != Place::local) continue;
      locals_.push_back(arg);
      for (const Dim& dim : graph.nodes[base::index(arg)].shape.dims) places_.push_back(place_of(dim.name));
    }
    std::vector<std::string> whole;
    if (node_.kind == NodeKind::kernel) whole = static_cast<const Kernel*>(node_.op)->needs_whole(node_.call);
    for (const Dim& dim : node_.shape.dims) {
      const auto from = std::find(dims_.begin(), dims_.end(), dim.name);
      const bool is_whole =
          from == dims_.end() || std::find(whole.begin(), whole.end(), dim.name) != whole.end();
      gives_.push_back(is_whole ? -1 : static_cast<int>(from - dims_.begin()));
    }
  }

  // Nodes with the same key have the same decomposition.
  std::vector<std::int64_t> key(const std::vector<int>& cut) const {
    std::vector<std::int64_t> key;
    for (const int arg : locals_) key.push_back(cut[base::index(arg)]);
    key.push_back(-2);
    key.insert(key.end(), places_.begin(), places_.end());
    key.push_back(-2);
    for (std::size_t d = 0; d < gives_.size(); ++d)
      key.insert(key.end(), {gives_[d], gives_[d] < 0 ? node_.shape.dims[d].extent : 0});
    return key;
  }

  model::Region region(const Blocks& blocks, std::size_t rank) const {
    check_that_all_or_none(blocks, rank);
    std::vector<Found> found(dims_.size());
    auto place = places_.begin();
    for (const int arg : locals_) {
      const model::Region& region = blocks.of(arg)[rank];
      for (std::size_t d = 0; d < region.rank(); ++d) join(found[base::index(*place++)], arg, region, d);
    }
    std::vector<model::Runs> runs;
    for (std::size_t d = 0; d < gives_.size(); ++d)
      runs.push_back(gives_[d] < 0 ? model::Runs{{0, node_.shape.dims[d].extent}}
                                   : *found[base::index(gives_[d])].runs);
    return model::Region(std::move(runs));
  }

 private:
  // All arguments must have cells on the same ranks; otherwise no rank could compute some cells of the
  // result.
  void check_that_all_or_none(const Blocks& blocks, std::size_t rank) const {
    int some = -1, none = -1;
    for (const int arg : locals_) (blocks.of(arg)[rank].size() > 0 ? some : none) = arg;
    if (some < 0 || none < 0) return;
    throw Error(
        ErrorCode::configuration,
        fmt::format(
            "\"{}\" and \"{}\" are combined in an expression, but rank {} holds cells of the first and "
            "none of the second; expected parts on the same ranks, or the whole on every rank (a "
            "replicated grid, a coordinate that is given whole)",
            text_of(graph_, some), text_of(graph_, none), rank));
  }

  struct Found {
    const model::Runs* runs = nullptr;
    int arg = -1;
  };

  int place_of(const std::string& dim) {
    const auto known = std::find(dims_.begin(), dims_.end(), dim);
    if (known != dims_.end()) return static_cast<int>(known - dims_.begin());
    dims_.push_back(dim);
    return static_cast<int>(dims_.size()) - 1;
  }

  void join(Found& found, int arg, const model::Region& region, std::size_t d) const {
    const model::Runs& runs = region.runs(d);
    if (found.runs == nullptr) {
      found = {&runs, arg};
      return;
    }
    if (*found.runs == runs) return;
    // A rank without cells may have the extent 0 in any dimension.
    if (region.size() == 0 || length_of(*found.runs) == 0) {
      if (length_of(runs) == 0) found.runs = &runs;
      return;
    }
    throw Error(
        ErrorCode::configuration,
        fmt::format("\"{}\" and \"{}\" are combined in an expression, but a rank holds different parts of "
                    "their dimension \"{}\"",
                    text_of(graph_, found.arg), text_of(graph_, arg),
                    graph_.nodes[base::index(arg)].shape.dims[d].name));
  }

  const Graph& graph_;
  const Node& node_;
  std::vector<int> locals_;        // the local arguments
  std::vector<std::string> dims_;  // their dims
  std::vector<int> places_;        // index into `dims_` of each dim of each local argument
  std::vector<int> gives_;         // by dim of the node: index of its runs; -1: whole
};

class Finder {
 public:
  Finder(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs)
      : graph_(graph), placement_(placement), inputs_(inputs) {
    for (const EngineInput& input : inputs) ranks_ = std::max(ranks_, input.regions.size());
  }

  Blocks find() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      blocks_.cut.push_back(placement_.place[n] == Place::local ? cut_of(static_cast<int>(n)) : -1);
    return std::move(blocks_);
  }

 private:
  int cut_of(int node) {
    const Node& here = graph_.nodes[base::index(node)];
    if (here.kind == NodeKind::input) return number_of(inputs_[base::index(here.input)].regions);
    const Joint joint(graph_, placement_, node);
    const auto [known, fresh] = joints_.try_emplace(joint.key(blocks_.cut), -1);
    if (fresh) {
      model::Regions regions;
      for (std::size_t rank = 0; rank < ranks_; ++rank) regions.push_back(joint.region(blocks_, rank));
      known->second = number_of(regions);
    }
    return known->second;
  }

  int number_of(const model::Regions& regions) {
    const auto number = std::find(blocks_.cuts.begin(), blocks_.cuts.end(), regions) - blocks_.cuts.begin();
    if (number == std::ssize(blocks_.cuts)) blocks_.cuts.push_back(regions);
    return static_cast<int>(number);
  }

  const Graph& graph_;
  const Placement& placement_;
  const std::vector<EngineInput>& inputs_;
  std::size_t ranks_ = 0;
  std::map<std::vector<std::int64_t>, int> joints_;  // key to index of the decomposition
  Blocks blocks_;
};

}  // namespace

Blocks find_blocks(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs) {
  return Finder(graph, placement, inputs).find();
}

}  // namespace tailrace::analytics::planning
