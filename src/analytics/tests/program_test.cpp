#include "analytics/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "analytics/opcodes.hpp"
#include "analytics/row_kernels.hpp"
#include "tailrace/error.hpp"

namespace tailrace::analytics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<simd::Level> levels() {
  std::vector<simd::Level> got;
  for (const auto level : {simd::Level::portable, simd::Level::avx2, simd::Level::avx512})
    if (simd::supported(level)) got.push_back(level);
  return got;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

class AnOpcode final : public Elementwise {
 public:
  explicit AnOpcode(Opcode opcode) : opcode_(opcode) {}
  OperatorDoc doc() const override { return {}; }
  Shape infer(const Call&) const override { return {}; }
  int opcode() const override { return static_cast<int>(opcode_); }

 private:
  Opcode opcode_;
};

const Operator* operator_of(Opcode opcode) {
  static std::map<Opcode, AnOpcode> all;
  return &all.try_emplace(opcode, opcode).first->second;
}

// Keeps what it is given.
class Record final : public FusiblePartial {
 public:
  void add(std::span<const ConstArray>) override {}
  void merge(std::span<const std::byte>) override {}
  std::vector<std::byte> to_bytes() const override { return {}; }
  void clear() override {}
  Array finish() const override { return {}; }
  void begin(const model::Region& region) override {
    kept = region;
    cells.resize(static_cast<std::size_t>(region.size()));
  }
  void add_row(std::size_t cell, std::span<const double> values) override {
    cells.at(cell).insert(cells[cell].end(), values.begin(), values.end());
    calls += 1;
  }
  void add_cells(std::size_t first, std::span<const double> values) override {
    for (std::size_t i = 0; i < values.size(); ++i) cells.at(first + i).push_back(values[i]);
    calls += 1;
  }

  model::Region kept;
  std::vector<std::vector<double>> cells;
  int calls = 0;
};

Node input(Dims dims) {
  Node node;
  node.kind = NodeKind::input;
  node.shape.dims = std::move(dims);
  return node;
}

Node constant(double number) {
  Node node;
  node.constant = number;
  return node;
}

// What has the dims of its arguments, those of the first in front.
Node apply(const Graph& graph, Opcode opcode, std::vector<int> args) {
  Node node;
  node.kind = NodeKind::elementwise;
  node.op = operator_of(opcode);
  node.name = traits_of(opcode).name;
  for (const int arg : args)
    for (const Dim& dim : graph.nodes[static_cast<std::size_t>(arg)].shape.dims)
      if (std::ranges::find(node.shape.dims, dim) == node.shape.dims.end()) node.shape.dims.push_back(dim);
  node.args = std::move(args);
  return node;
}

Node reduce(const Graph& graph, int arg, std::vector<std::string> consumed) {
  Node node;
  node.kind = NodeKind::reduction;
  node.name = "record";
  node.args = {arg};
  node.call.arguments = {graph.nodes[static_cast<std::size_t>(arg)].shape};
  node.call.dims = std::move(consumed);
  return node;
}

int put(Graph& graph, Node node) {
  graph.nodes.push_back(std::move(node));
  return static_cast<int>(graph.nodes.size()) - 1;
}

// Bytes of a source and what they mean.
struct Source {
  std::vector<std::byte> bytes;
  std::size_t start = 0;  // 1: not aligned
  model::DataType type = model::DataType::float64;
  std::vector<double> values;
  Operand operand() const { return {std::span(bytes).subspan(start), type}; }
};

Source source_of(const std::vector<double>& numbers, model::DataType type, bool aligned = true) {
  Source source;
  source.type = type;
  source.start = aligned ? 0 : 1;
  const std::size_t each = model::size_of(type);
  source.bytes.resize(source.start + numbers.size() * each);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    model::dispatch(type, [&](auto number) {
      number = static_cast<decltype(number)>(numbers[i]);
      source.values.push_back(static_cast<double>(number));
      std::memcpy(source.bytes.data() + source.start + i * each, &number, each);
    });
  return source;
}

// A case made at random, and the plain way of computing it: one cell of one node at a time.
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
      sources.push_back(put(graph, input(dims)));
      data.push_back(
          source_of(draw(size_of(dims)), static_cast<model::DataType>(pick(3) ? 1 : pick(4)), pick(4)));
    }
    put(graph, constant(0.75));
    put(graph, constant(-3.0));
    for (std::size_t i = pick(12); i-- > 0;) {
      const auto opcode = static_cast<Opcode>(pick(opcode_count));
      std::vector<int> args;
      for (std::size_t arg = 0; arg < traits_of(opcode).arity; ++arg)
        args.push_back(static_cast<int>(pick(graph.nodes.size())));
      put(graph, apply(graph, opcode, args));
    }
    const auto known = static_cast<int>(graph.nodes.size());
    for (int node = 0; node < known; ++node) {
      if (graph.nodes[static_cast<std::size_t>(node)].shape.dims.size() != space.size()) continue;
      if (pick(3) == 0) stores.push_back(node);
      if (pick(3)) add_sink(node);
    }
  }

  void add_sink(int node) {
    std::vector<std::string> consumed;
    for (const Dim& dim : space)
      if (pick(2)) consumed.push_back(dim.name);
    sinks.push_back(put(graph, reduce(graph, node, consumed)));
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

  // C order of some dims, at a cell of the space.
  std::size_t flat(const Dims& dims, const std::vector<std::int64_t>& at) const {
    std::int64_t index = 0;
    for (const Dim& dim : dims) index = index * region.count(place(dim.name)) + at[place(dim.name)];
    return static_cast<std::size_t>(index);
  }

  double value(int node, const std::vector<std::int64_t>& at) const {
    const Node& made = graph.nodes[static_cast<std::size_t>(node)];
    if (made.kind == NodeKind::input)
      return data[static_cast<std::size_t>(node)].values[flat(made.shape.dims, at)];
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
    const Node& node = graph.nodes[static_cast<std::size_t>(sink)];
    Dims kept;
    for (const Dim& dim : node.call.arguments[0].dims)
      if (!node.call.dims.empty() && std::ranges::find(node.call.dims, dim.name) == node.call.dims.end())
        kept.push_back(dim);
    return kept;
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
      const double expected =
          made.value(made.graph.nodes[static_cast<std::size_t>(made.sinks[i])].args[0], at);
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
      const Program program(made.graph, made.space, made.sources, made.stores, made.sinks, level);
      expect_right(made, run(made, program));
      if (HasFatalFailure() || HasNonfatalFailure())
        FAIL() << "seed " << seed << ", " << simd::name_of(level);
    }
  }
}

TEST(Program, EveryOpcodeOnAwkwardNumbers) {
  const std::vector<double> numbers{0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    3.0,
                                    infinity,
                                    -infinity,
                                    nan,
                                    1e300,
                                    -1e300,
                                    5e-324,
                                    0.49999999999999994};
  std::vector<double> a, b, c;
  for (const double one : numbers)
    for (const double two : numbers)
      for (const double three : {0.0, -1.0, nan, 2.0}) {
        a.push_back(one);
        b.push_back(two);
        c.push_back(three);
      }
  const auto cells = static_cast<std::int64_t>(a.size());
  const Dims space{{"x", cells, true}};
  for (const OpcodeTraits& traits : opcode_traits)
    for (const auto level : levels()) {
      Graph graph;
      std::vector<int> args;
      for (std::size_t i = 0; i < 3; ++i) put(graph, input(space));
      for (std::size_t i = 0; i < traits.arity; ++i) args.push_back(static_cast<int>(i));
      const int wanted = put(graph, apply(graph, traits.opcode, args));
      const Program program(graph, space, {0, 1, 2}, {wanted}, {}, level);
      const Operand operands[] = {
          {std::as_bytes(std::span(a))}, {std::as_bytes(std::span(b))}, {std::as_bytes(std::span(c))}};
      std::vector<double> out(a.size());
      const std::span<double> stores[] = {out};
      program.run(model::Region({{{0, cells}}}), operands, stores, {});
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double expected = evaluate(traits.opcode, a[i], b[i], c[i]);
        EXPECT_TRUE(same(out[i], expected))
            << traits.name << "(" << a[i] << ", " << b[i] << ", " << c[i] << ") is " << out[i]
            << " instead of " << expected << ", " << simd::name_of(level);
      }
    }
}

TEST(Program, ProductsAreRoundedBeforeTheyAreAdded) {
  const Dims space{{"x", 300, true}};
  std::vector<double> a(300), b(300), c(300);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0 + static_cast<double>(i + 1) * 0x1p-30;
    b[i] = 1.0 - static_cast<double>(i + 1) * 0x1p-30;  // a * b is 1 - (i + 1)^2 * 2^-60, and rounds to 1
    c[i] = i % 2 ? -1.0 : 1.0 / 3.0;
  }
  for (const auto level : levels()) {
    Graph graph;
    for (int i = 0; i < 3; ++i) put(graph, input(space));
    const int product = put(graph, apply(graph, Opcode::mul, {0, 1}));
    const int shared = put(graph, apply(graph, Opcode::mul, {1, 2}));  // also wanted by itself
    std::vector<int> wanted{shared};
    for (const int of : {product, shared}) {
      wanted.push_back(put(graph, apply(graph, Opcode::add, {of, 2})));
      wanted.push_back(put(graph, apply(graph, Opcode::sub, {of, 2})));
      wanted.push_back(put(graph, apply(graph, Opcode::sub, {2, of})));
    }
    const int square = put(graph, apply(graph, Opcode::mul, {0, 0}));
    wanted.push_back(put(graph, apply(graph, Opcode::add, {square, square})));
    const Operand operands[] = {
        {std::as_bytes(std::span(a))}, {std::as_bytes(std::span(b))}, {std::as_bytes(std::span(c))}};
    for (std::size_t w = 0; w <= wanted.size(); ++w) {  // each by itself, so that its product may be joined
      const std::vector<int> stored = w < wanted.size() ? std::vector{wanted[w]} : wanted;
      const Program program(graph, space, {0, 1, 2}, stored, {}, level);
      std::vector<std::vector<double>> out(stored.size(), std::vector<double>(a.size()));
      std::vector<std::span<double>> stores(out.begin(), out.end());
      program.run(model::Region({{{0, 300}}}), operands, stores, {});
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double ab = evaluate(Opcode::mul, a[i], b[i]), bc = evaluate(Opcode::mul, b[i], c[i]);
        const double aa = evaluate(Opcode::mul, a[i], a[i]);
        const double expected[] = {bc,        ab + c[i], ab - c[i], c[i] - ab,
                                   bc + c[i], bc - c[i], c[i] - bc, aa + aa};
        for (std::size_t s = 0; s < stored.size(); ++s)
          ASSERT_EQ(out[s][i], expected[w < wanted.size() ? w : s]) << "wanted " << w << ", cell " << i;
      }
    }
  }
}

TEST(Program, ALongRowGoesIntoItsSinkAsItLies) {
  const Dims space{{"z", 4, false}, {"x", 5000, true}};
  Graph graph;
  const int field = put(graph, input(space));
  const int whole = put(graph, reduce(graph, field, {}));
  const int profile = put(graph, reduce(graph, field, {"x"}));
  const Source source = source_of(std::vector<double>(20000, 2.0), model::DataType::float64);
  const Operand operands[] = {source.operand()};
  const model::Region region({{{0, 4}}, {{0, 5000}}});
  Record one, rows;
  FusiblePartial* const sinks[] = {&one};
  Program(graph, space, {field}, {}, {whole}).run(region, operands, {}, sinks);
  EXPECT_EQ(one.calls, 1);
  FusiblePartial* const by_row[] = {&rows};
  Program(graph, space, {field}, {}, {profile}).run(region, operands, {}, by_row);
  EXPECT_EQ(rows.calls, 4);
}

TEST(Program, SeveralThreadsShareOne) {
  const Case made(7);
  const Program program(made.graph, made.space, made.sources, made.stores, made.sinks);
  std::vector<Results> results(4);
  std::vector<std::thread> threads;
  for (Results& result : results) threads.emplace_back([&] { result = run(made, program); });
  for (auto& thread : threads) thread.join();
  for (const Results& result : results) expect_right(made, result);
}

TEST(Program, WhatIsNeitherGivenNorElementwiseIsABug) {
  Graph graph;
  const int field = put(graph, input({{"x", 3, true}}));
  const int other = put(graph, input({{"x", 3, true}}));
  const int sum = put(graph, apply(graph, Opcode::add, {field, other}));
  EXPECT_THROW(Program(graph, {{"x", 3, true}}, {field}, {sum}, {}), Error);
  EXPECT_THROW(Program(graph, {{"y", 3, true}}, {field, other}, {sum}, {}), Error);
}

TEST(RowKernels, ExtremesAreThoseOfAnyOrder) {
  std::mt19937_64 random(1);
  for (const auto level : levels()) {
    const simd::Kernels& kernels = simd::kernels(level);
    for (std::size_t n = 0; n < 200; ++n) {
      std::vector<double> values(n), low(n, 1.0), high(n, 1.0);
      double lowest = infinity, highest = -infinity;
      std::size_t missing = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double choices[] = {
            nan, 0.0, -0.0, infinity, -infinity, 3.0, static_cast<double>(random() % 1000) - 400};
        values[i] = choices[random() % (n % 3 == 0 ? 7 : n % 3 == 1 ? 3 : 6)];
        if (std::isnan(values[i])) {
          ++missing;
          continue;
        }
        lowest = std::min(lowest, values[i]) + 0.0;
        highest = std::max(highest, values[i]) + 0.0;
      }
      EXPECT_TRUE(same(kernels.row_min(values.data(), n).value, lowest));
      EXPECT_TRUE(same(kernels.row_max(values.data(), n).value, highest));
      EXPECT_EQ(kernels.row_min(values.data(), n).missing, missing);
      EXPECT_EQ(kernels.row_max(values.data(), n).missing, missing);
      kernels.cells_min(low.data(), values.data(), n);
      kernels.cells_max(high.data(), values.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_TRUE(same(low[i], std::isnan(values[i]) ? 1.0 : std::min(1.0, values[i]) + 0.0));
        EXPECT_TRUE(same(high[i], std::isnan(values[i]) ? 1.0 : std::max(1.0, values[i])));
      }
    }
  }
}

TEST(RowKernels, TheBestLevelIsTheOneInUse) {
  const std::vector<double> values{3.0, nan, -0.0, 7.0};
  EXPECT_TRUE(same(row_min(values).value, 0.0));
  EXPECT_EQ(row_max(values).value, 7.0);
  EXPECT_EQ(row_max(values).missing, 1U);
  std::vector<double> cells(4, 1.0);
  cells_min(cells, values);
  EXPECT_EQ(cells, (std::vector<double>{1, 1, 0, 1}));
  cells_max(cells, values);
  EXPECT_EQ(cells, (std::vector<double>{3, 1, 0, 7}));
}

}  // namespace
}  // namespace tailrace::analytics
