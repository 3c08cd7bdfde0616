#include "analytics/engine/operator_state/kernel_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analytics/engine/operator_state/call_text.hpp"
#include "analytics/engine/work/regions.hpp"
#include "analytics/engine/work/step_values.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::engine::operator_state {
namespace {

constexpr const char* hint =
    "; expected the same state arrays as before, or another name for the operator, which then starts without "
    "it";

model::StateArray array_of(const std::string& prefix, const Memory& memory) {
  model::StateArray array{prefix + memory.name, memory.type, {}, {}};
  for (const Dim& dim : memory.dims) {
    array.dims.push_back(dim.name);
    array.shape.push_back(dim.extent);
  }
  return array;
}

std::string prefix_of(const std::string& op, std::size_t number) {
  return fmt::format("operators/{}/{}/", op, number);
}

}  // namespace

KernelRuns::KernelRuns(const planning::Layout& layout) : layout_(layout) {
  for (std::size_t n = 0; n < layout.graph.nodes.size(); ++n)
    if (!memories_of(layout.graph.nodes[n]).empty()) add(static_cast<int>(n));
}

void KernelRuns::add(int node) {
  const Node& op = layout_.graph.nodes[base::index(node)];
  const auto number = std::ranges::count_if(all_, [&](const Remembering& each) {
    return layout_.graph.nodes[base::index(each.node)].name == op.name;
  });
  Remembering& added = all_.emplace_back();
  added.node = node;
  added.prefix = prefix_of(op.name, static_cast<std::size_t>(number));
  added.call = call_text(layout_.graph, node);
  added.memories = memories_of(op);
  added.blocks = blocks_of(node);
  for (const Block& block : added.blocks)
    for (const auto& values : block.run->memories(block.result)) bytes_ += values.size();
}

std::vector<KernelRuns::Block> KernelRuns::blocks_of(int node) const {
  const auto at = base::index(node);
  const Node& op = layout_.graph.nodes[at];
  const auto& kernel = *static_cast<const Kernel*>(op.op);
  std::vector<Block> blocks;
  if (layout_.placement.place[at] != Place::local) {
    if (layout_.placement.root[at] == layout_.server.rank)
      blocks.push_back({work::whole_region(op.shape), kernel.start(op.call)});
    return blocks;
  }
  const model::Regions& regions = layout_.regions[base::index(layout_.placement.cut[at])];
  for (const int client : layout_.clients)
    blocks.push_back({regions[base::index(client)], kernel.start(op.call)});
  return blocks;
}

KernelRun* KernelRuns::find(int node, std::size_t client) {
  const auto found = std::ranges::find(all_, node, &Remembering::node);
  if (found == all_.end()) return nullptr;
  return found->blocks[client == work::StepValues::at_root ? 0 : client].run.get();
}

void KernelRuns::save(model::StateSaver& saver) const {
  for (const Remembering& each : all_) {
    model::NumberSaver(saver, each.prefix)("call", each.call);
    for (const Block& block : each.blocks) {
      const auto values = block.run->memories(block.result);
      for (std::size_t m = 0; m < values.size(); ++m) {
        const model::Region region = region_of(each, m, block);
        if (region.size() > 0) saver.save(array_of(each.prefix, each.memories[m]), region, values[m]);
      }
    }
  }
}

model::Region KernelRuns::region_of(const Remembering& of, std::size_t memory, const Block& block) const {
  const Shape& result = layout_.graph.nodes[base::index(of.node)].shape;
  return work::part_for({of.memories[memory].dims, {}}, result.dims, block.result);
}

// The prefix of the call in the saved state; empty if it is not there. Node numbers differ if diagnostics
// were added or removed, so calls are compared by text.
std::string KernelRuns::saved_prefix(const model::StateLoader& loader, const Remembering& of) const {
  const std::string& op = layout_.graph.nodes[base::index(of.node)].name;
  for (std::size_t number = 0; loader.find(prefix_of(op, number) + "call"); ++number) {
    std::string call;
    model::NumberLoader(loader, prefix_of(op, number))("call", call);
    if (call == of.call) return prefix_of(op, number);
  }
  return {};
}

void KernelRuns::load(const model::StateLoader& loader) {
  for (const Remembering& each : all_) {
    const std::string prefix = saved_prefix(loader, each);
    if (prefix.empty()) continue;
    for (const Block& block : each.blocks) {
      const auto values = block.run->memories(block.result);
      for (std::size_t m = 0; m < values.size(); ++m) {
        const model::Region region = region_of(each, m, block);
        if (region.size() == 0) continue;
        const model::StateArray array = array_of(prefix, each.memories[m]);
        try {
          loader.load(array, region, values[m]);
        } catch (const Error& error) {
          const bool is_other = loader.find(array.name) != array;
          throw Error(error.code(), fmt::format("the state of {} cannot be restored: {}{}", each.call,
                                                error.what(), is_other ? hint : ""));
        }
      }
    }
  }
}

}  // namespace tailrace::analytics::engine::operator_state
