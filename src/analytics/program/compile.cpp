#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analytics/program/code.hpp"
#include "analytics/program/library.hpp"
#include "base/error.hpp"

namespace tailrace::analytics::program {

namespace {

// Emits steps depth first from each result, so that a value is used soon after it is computed and few
// registers are live at a time.
class Compiler {
 public:
  Compiler(const Graph& graph, const ProgramNodes& nodes, const simd::Kernels& kernels)
      : graph_(graph), space_(nodes.space), kernels_(kernels) {
    code_.space = space_.size();
    for (std::size_t i = 0; i < nodes.sources.size(); ++i) source_of_.try_emplace(nodes.sources[i], i);
  }

  // Stores and sinks of a value directly follow the step that computes it, while it is in the cache.
  void add_store(std::size_t number, int node) {
    expect_whole_space(node);
    code_.stores.push_back({.store = number, .value = value_of(node)});
    code_.steps.push_back({.kind = Step::store, .number = code_.stores.size() - 1});
  }

  void add_sink(std::size_t number, int reduction) {
    const Node& node = graph_.nodes[index(reduction)];
    TAILRACE_ASSERT(node.kind == NodeKind::reduction && node.args.size() == 1, node.name);
    expect_whole_space(node.args[0]);
    const std::size_t value = value_of(node.args[0]);
    code_.sinks.push_back({.sink = number, .value = value, .kept = kept_by(node)});
    code_.steps.push_back({.kind = Step::sink, .number = code_.sinks.size() - 1});
  }

  Code finish() {
    join_products();
    allocate_registers();
    return std::move(code_);
  }

 private:
  static constexpr std::size_t none = SIZE_MAX;
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }

  std::size_t dim(const std::string& name) const {
    for (std::size_t i = 0; i < space_.size(); ++i)
      if (space_[i].name == name) return i;
    base::assertion_failed("dim", __FILE__, __LINE__, fmt::format("'{}' is not a dim of the space", name));
  }

  void expect_whole_space(int node) const {
    TAILRACE_ASSERT(graph_.nodes[index(node)].shape.dims.size() == space_.size(),
                    fmt::format("node {} does not have the dims of the program", node));
  }

  std::size_t kept_by(const Node& reduction) {
    std::vector<std::size_t> kept;
    const auto& consumed = reduction.call.dims;
    for (const Dim& candidate : graph_.nodes[index(reduction.args[0])].shape.dims)
      if (!consumed.empty() && std::ranges::find(consumed, candidate.name) == consumed.end())
        kept.push_back(dim(candidate.name));
    const auto known = std::ranges::find(code_.kept, kept);
    if (known != code_.kept.end()) return static_cast<std::size_t>(known - code_.kept.begin());
    code_.kept.push_back(std::move(kept));
    return code_.kept.size() - 1;
  }

  // Emits the arguments of a node, then the node. Without recursion, since a sum may have very many terms.
  std::size_t value_of(int node) {
    std::vector<int> open{node};
    while (!open.empty()) {
      const int last = open.back();
      if (value_of_.contains(last)) {
        open.pop_back();
      } else if (const auto needed = first_needed(last)) {
        open.push_back(*needed);
      } else {
        value_of_.emplace(last, make(last));
        open.pop_back();
      }
    }
    return value_of_.at(node);
  }

  std::optional<int> first_needed(int node) const {
    const Node& made = graph_.nodes[index(node)];
    if (source_of_.contains(node) || made.kind == NodeKind::constant) return std::nullopt;
    const auto missing = std::ranges::find_if(made.args, [&](int arg) { return !value_of_.contains(arg); });
    return missing == made.args.end() ? std::nullopt : std::optional(*missing);
  }

  std::size_t make(int node) {
    const Node& made = graph_.nodes[index(node)];
    if (const auto source = source_of_.find(node); source != source_of_.end())
      return load(source->second, made);
    return made.kind == NodeKind::constant ? constant(made.constant) : compute(made);
  }

  std::size_t load(std::size_t source, const Node& node) {
    Load load{.source = source, .dims = {}, .value = 0, .scratch = 0};
    for (const Dim& of_node : node.shape.dims) load.dims.push_back(dim(of_node.name));
    const Step step{.kind = Step::load, .number = code_.loads.size()};
    load.value = code_.values++;
    code_.loads.push_back(std::move(load));
    code_.steps.push_back(step);
    return code_.loads.back().value;
  }

  std::size_t constant(double number) {
    const auto [place, fresh] = constants_.try_emplace(std::bit_cast<std::uint64_t>(number), 0);
    if (fresh) {
      place->second = code_.values++;
      code_.constants.emplace_back(place->second, number);
    }
    return place->second;
  }

  std::size_t compute(const Node& node) {
    TAILRACE_ASSERT(node.kind == NodeKind::elementwise,
                    fmt::format("'{}' is neither elementwise nor given", node.name));
    const auto opcode = static_cast<Opcode>(static_cast<const Elementwise*>(node.op)->opcode());
    Instruction made{.opcode = opcode,
                     .function = function_for(opcode, kernels_),
                     .arity = node.args.size(),
                     .arguments = {},
                     .value = 0,
                     .result = 0};
    TAILRACE_ASSERT(made.arity == traits_of(opcode).arity, node.name);
    for (std::size_t i = 0; i < made.arity; ++i) made.arguments[i] = value_of_.at(node.args[i]);
    if (traits_of(opcode).commutes && made.arguments[0] > made.arguments[1])
      std::swap(made.arguments[0], made.arguments[1]);
    const auto [place, fresh] = computed_.try_emplace({opcode, made.arguments}, 0);
    if (fresh) {
      const Step step{.kind = Step::compute, .number = code_.instructions.size()};
      place->second = made.value = code_.values++;
      code_.instructions.push_back(made);
      code_.steps.push_back(step);
    }
    return place->second;
  }

  template <class Visit>
  void for_each_use(const Step& step, Visit&& visit) const {
    if (step.kind == Step::store) visit(code_.stores[step.number].value);
    if (step.kind == Step::sink) visit(code_.sinks[step.number].value);
    if (step.kind == Step::compute) {
      const Instruction& instruction = code_.instructions[step.number];
      for (std::size_t i = 0; i < instruction.arity; ++i) visit(instruction.arguments[i]);
    }
  }

  // Fuses a product with the sum or difference that is its only user: one pass over a piece instead of two.
  void join_products() {
    std::vector<std::size_t> uses(code_.values, 0), product_of(code_.values, none);
    for (const Step& step : code_.steps) for_each_use(step, [&](std::size_t value) { ++uses[value]; });
    std::vector<bool> joined(code_.instructions.size(), false);
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      Instruction& instruction = code_.instructions[i];
      if (instruction.opcode == Opcode::mul) product_of[instruction.value] = i;
      if (instruction.opcode != Opcode::add && instruction.opcode != Opcode::sub) continue;
      for (std::size_t a = 0; a < 2; ++a) {
        const std::size_t product = product_of[instruction.arguments[a]];
        if (product == none || uses[instruction.arguments[a]] != 1) continue;
        const bool adds = instruction.opcode == Opcode::add;
        instruction.function = adds ? kernels_.mul_add : a == 0 ? kernels_.mul_sub : kernels_.sub_mul;
        const auto& factors = code_.instructions[product].arguments;
        instruction.arguments = {factors[0], factors[1], instruction.arguments[1 - a]};
        instruction.arity = 3;
        joined[product] = true;
        break;
      }
    }
    std::erase_if(code_.steps,
                  [&](const Step& step) { return step.kind == Step::compute && joined[step.number]; });
  }

  // The register of a value is free after its last use, and the last user may write its result there.
  // Register 0 is reserved for values that are constant along a piece and needed as a row.
  void allocate_registers() {
    std::vector<std::size_t> last_use(code_.values, 0), register_of(code_.values, 0);
    for (std::size_t at = 0; at < code_.steps.size(); ++at)
      for_each_use(code_.steps[at], [&](std::size_t value) { last_use[value] = at; });
    code_.registers = 1;
    std::vector<std::size_t> free;
    for (std::size_t at = 0; at < code_.steps.size(); ++at) {
      for_each_use(code_.steps[at], [&](std::size_t value) {
        if (last_use[value] != at || register_of[value] == 0) return;
        free.push_back(register_of[value]);
        register_of[value] = 0;
      });
      const Step step = code_.steps[at];
      if (step.kind != Step::load && step.kind != Step::compute) continue;
      std::size_t taken = code_.registers;
      if (free.empty()) {
        ++code_.registers;
      } else {
        taken = free.back();
        free.pop_back();
      }
      const bool loads = step.kind == Step::load;
      (loads ? code_.loads[step.number].scratch : code_.instructions[step.number].result) = taken;
      register_of[loads ? code_.loads[step.number].value : code_.instructions[step.number].value] = taken;
    }
  }

  const Graph& graph_;
  const Dims& space_;
  const simd::Kernels& kernels_;
  Code code_;
  std::map<int, std::size_t> source_of_, value_of_;  // by node
  std::map<std::uint64_t, std::size_t> constants_;   // by bits
  std::map<std::pair<Opcode, std::array<std::size_t, 3>>, std::size_t> computed_;
};

}  // namespace

Code compile(const Graph& graph, const ProgramNodes& nodes, const simd::Kernels& kernels) {
  Compiler compiler(graph, nodes, kernels);
  for (std::size_t i = 0; i < nodes.sinks.size(); ++i) compiler.add_sink(i, nodes.sinks[i]);
  for (std::size_t i = 0; i < nodes.stores.size(); ++i) compiler.add_store(i, nodes.stores[i]);
  return compiler.finish();
}

}  // namespace tailrace::analytics::program
