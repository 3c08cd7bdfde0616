// Programs of random graphs over random regions, compared with an evaluation cell by cell.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "analytics/program/tests/program_graphs.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

using namespace program_graphs;

// A random case, and its reference: one cell of one node at a time.
struct Case {
  explicit Case(std::uint64_t seed) : random(seed) {
    const std::size_t rank = pick(5);
    const char* const names[] = {"z", "y", "x", "s", "t"};
    const std::int64_t extents[] = {0, 1, 1, 2, 3, 7, 33, 40, 300};
    std::vector<model::Runs> runs;
    std::int64_t cells = 1;
    for (std::size_t i = 0; i < rank; ++i) {
      std::int64_t extent = extents[pick(12) == 0 ? 0 : 1 + pick(8)];
      if (cells * extent > 10000) extent = 2;
      cells *= std::max<std::int64_t>(extent, 1);
      space.push_back({names[i], 1000, true});
      runs.push_back({{static_cast<std::int64_t>(pick(5)), extent}});
    }
    std::shuffle(space.begin(), space.end(), random);
    region = model::Region(runs);
    make_nodes();
  }

  std::size_t pick(std::size_t below) { return random() % below; }

  void make_nodes() {
    const std::size_t inputs = 1 + pick(4);
    for (std::size_t i = 0; i < inputs; ++i) {
      Dims dims;
      for (const Dim& dim : space)
        if (i == 0 || pick(3)) dims.push_back(dim);
      if (pick(4) == 0) std::shuffle(dims.begin(), dims.end(), random);
      sources.push_back(graph.add(input_node(0, "", {dims, {}})));
      data.push_back(
          source_of(draw(size_of(dims)), static_cast<model::DataType>(pick(3) ? 1 : pick(4)), pick(4)));
    }
    graph.add(constant_node(0.75));
    graph.add(constant_node(-3.0));
    for (std::size_t i = pick(12); i-- > 0;) {
      const auto opcode = static_cast<Opcode>(pick(opcode_count));
      std::vector<int> args;
      for (std::size_t arg = 0; arg < traits_of(opcode).arity; ++arg)
        args.push_back(static_cast<int>(pick(graph.nodes.size())));
      graph.add(apply(graph, opcode, args));
    }
    const auto known = static_cast<int>(graph.nodes.size());
    for (int node = 0; node < known; ++node) {
      if (graph.nodes[base::index(node)].shape.dims.size() != space.size()) continue;
      if (pick(3) == 0) stores.push_back(node);
      if (pick(3)) add_sink(node);
    }
  }

  void add_sink(int node) {
    std::vector<std::string> consumed;
    for (const Dim& dim : space)
      if (pick(2)) consumed.push_back(dim.name);
    sinks.push_back(graph.add(reduce(graph, node, consumed)));
  }

  std::vector<double> draw(std::size_t n) {
    std::normal_distribution<double> normal(0, 3);
    std::vector<double> values(n);
    for (double& value : values) {
      value = normal(random);
      if (pick(20) == 0) value = std::array{0.0, -0.0, 1.0, 2.5, -7.0}[pick(5)];
    }
    return values;
  }

  std::size_t place(const std::string& dim) const {
    return static_cast<std::size_t>(std::ranges::find(space, dim, &Dim::name) - space.begin());
  }
  std::size_t size_of(const Dims& dims) const {
    std::size_t size = 1;
    for (const Dim& dim : dims) size *= static_cast<std::size_t>(region.count(place(dim.name)));
    return size;
  }

  // The C-order index in an array with some of the dims, for a cell of the space.
  std::size_t flat(const Dims& dims, const std::vector<std::int64_t>& at) const {
    std::int64_t index = 0;
    for (const Dim& dim : dims) index = index * region.count(place(dim.name)) + at[place(dim.name)];
    return static_cast<std::size_t>(index);
  }

  double value(int node, const std::vector<std::int64_t>& at) const {
    const Node& made = graph.nodes[base::index(node)];
    if (made.kind == NodeKind::input) return data[base::index(node)].values[flat(made.shape.dims, at)];
    if (made.kind == NodeKind::constant) return made.constant;
    double args[3] = {};
    for (std::size_t i = 0; i < made.args.size(); ++i) args[i] = value(made.args[i], at);
    const auto opcode = static_cast<Opcode>(static_cast<const Elementwise*>(made.op)->opcode());
    return evaluate(opcode, args[0], args[1], args[2]);
  }

  template <class Visit>
  void for_each_cell(Visit&& visit) const {
    std::vector<std::int64_t> at(space.size(), 0);
    for (std::int64_t cell = 0; cell < region.size(); ++cell) {
      std::int64_t rest = cell;
      for (std::size_t dim = space.size(); dim-- > 0;) {
        at[dim] = rest % region.count(dim);
        rest /= region.count(dim);
      }
      visit(static_cast<std::size_t>(cell), at);
    }
  }

  Dims kept(int sink) const {
    const Node& node = graph.nodes[base::index(sink)];
    Dims kept;
    for (const Dim& dim : node.call.arguments[0].dims)
      if (!node.call.dims.empty() && std::ranges::find(node.call.dims, dim.name) == node.call.dims.end())
        kept.push_back(dim);
    return kept;
  }

  ProgramNodes nodes() const {
    return {.space = space, .sources = sources, .stores = stores, .sinks = sinks};
  }

  std::mt19937_64 random;
  Dims space;
  model::Region region;
  Graph graph;
  std::vector<int> sources, stores, sinks;
  std::vector<Source> data;
};

struct Results {
  std::vector<std::vector<double>> stores;
  std::vector<Record> sinks;
};

Results run(const Case& made, const Program& program) {
  Results results{{}, std::vector<Record>(made.sinks.size())};
  std::vector<Operand> operands;
  for (const Source& source : made.data) operands.push_back(source.operand());
  std::vector<std::span<double>> stores;
  results.stores.assign(made.stores.size(),
                        std::vector<double>(static_cast<std::size_t>(made.region.size()), 99.0));
  for (auto& store : results.stores) stores.emplace_back(store);
  std::vector<FusiblePartial*> sinks;
  for (Record& sink : results.sinks) sinks.push_back(&sink);
  program.run(made.region, operands, stores, sinks);
  return results;
}

void expect_right(const Case& made, const Results& got) {
  if (made.region.size() == 0) {
    for (const Record& sink : got.sinks) EXPECT_EQ(sink.calls, 0);
    return;
  }
  std::vector<std::vector<std::size_t>> taken(made.sinks.size());
  for (std::size_t i = 0; i < made.sinks.size(); ++i) {
    const Dims kept = made.kept(made.sinks[i]);
    ASSERT_EQ(got.sinks[i].kept.rank(), kept.size());
    for (std::size_t dim = 0; dim < kept.size(); ++dim)
      EXPECT_EQ(got.sinks[i].kept.runs(dim), made.region.runs(made.place(kept[dim].name)));
    taken[i].assign(got.sinks[i].cells.size(), 0);
  }
  made.for_each_cell([&](std::size_t cell, const std::vector<std::int64_t>& at) {
    for (std::size_t i = 0; i < made.stores.size(); ++i) {
      const double expected = made.value(made.stores[i], at);
      ASSERT_TRUE(same(got.stores[i][cell], expected)) << got.stores[i][cell] << " is not " << expected;
    }
    for (std::size_t i = 0; i < made.sinks.size(); ++i) {
      const std::size_t into = made.flat(made.kept(made.sinks[i]), at);
      const double expected = made.value(made.graph.nodes[base::index(made.sinks[i])].args[0], at);
      const auto& values = got.sinks[i].cells.at(into);
      ASSERT_LT(taken[i][into], values.size());
      const double value = values[taken[i][into]++];
      ASSERT_TRUE(same(value, expected)) << value << " is not " << expected;
    }
  });
  for (std::size_t i = 0; i < made.sinks.size(); ++i)
    for (std::size_t cell = 0; cell < taken[i].size(); ++cell)
      EXPECT_EQ(taken[i][cell], got.sinks[i].cells[cell].size());
}

TEST(Program, RandomGraphsAgreeWithOneCellAtATime) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case made(seed);
    for (const auto level : levels()) {
      const Program program(made.graph, made.nodes(), level);
      expect_right(made, run(made, program));
      if (HasFatalFailure() || HasNonfatalFailure())
        FAIL() << "seed " << seed << ", " << simd::name_of(level);
    }
  }
}

TEST(Program, SeveralThreadsShareOne) {
  const Case made(7);
  const Program program(made.graph, made.nodes());
  std::vector<Results> results(4);
  std::vector<std::thread> threads;
  for (Results& result : results) threads.emplace_back([&] { result = run(made, program); });
  for (auto& thread : threads) thread.join();
  for (const Results& result : results) expect_right(made, result);
}

}  // namespace
}  // namespace tailrace::analytics
