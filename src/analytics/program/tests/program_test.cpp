#include "analytics/program.hpp"

#include <gtest/gtest.h>

#include "analytics/program/tests/program_graphs.hpp"
#include "tailrace/error.hpp"

namespace tailrace::analytics {
namespace {

using namespace program_graphs;

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
      for (std::size_t i = 0; i < 3; ++i) graph.add(input_node(0, "", {space, {}}));
      for (std::size_t i = 0; i < traits.arity; ++i) args.push_back(static_cast<int>(i));
      const int wanted = graph.add(apply(graph, traits.opcode, args));
      const Program program(graph, {.space = space, .sources = {0, 1, 2}, .stores = {wanted}}, level);
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

TEST(Program, ASumOfVeryManyTermsNeedsNoStack) {
  const Dims space{{"x", 3, true}};
  Graph graph;
  graph.add(input_node(0, "", {space, {}}));
  int sum = 0;
  constexpr int terms = 300000;
  for (int i = 1; i < terms; ++i) sum = graph.add(apply(graph, Opcode::add, {sum, 0}));
  const Program program(graph, {.space = space, .sources = {0}, .stores = {sum}}, levels().front());
  const std::vector<double> values{1.0, 2.0, -0.5};
  const Operand operands[] = {{std::as_bytes(std::span(values))}};
  std::vector<double> out(3);
  const std::span<double> stores[] = {out};
  program.run(model::Region({{{0, 3}}}), operands, stores, {});
  EXPECT_EQ(out, (std::vector<double>{terms, 2.0 * terms, -0.5 * terms}));
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
    for (int i = 0; i < 3; ++i) graph.add(input_node(0, "", {space, {}}));
    const int product = graph.add(apply(graph, Opcode::mul, {0, 1}));
    const int shared = graph.add(apply(graph, Opcode::mul, {1, 2}));  // also a result itself
    std::vector<int> wanted{shared};
    for (const int of : {product, shared}) {
      wanted.push_back(graph.add(apply(graph, Opcode::add, {of, 2})));
      wanted.push_back(graph.add(apply(graph, Opcode::sub, {of, 2})));
      wanted.push_back(graph.add(apply(graph, Opcode::sub, {2, of})));
    }
    const int square = graph.add(apply(graph, Opcode::mul, {0, 0}));
    wanted.push_back(graph.add(apply(graph, Opcode::add, {square, square})));
    const Operand operands[] = {
        {std::as_bytes(std::span(a))}, {std::as_bytes(std::span(b))}, {std::as_bytes(std::span(c))}};
    for (std::size_t w = 0; w <= wanted.size(); ++w) {  // each alone, so that its product may be fused
      const std::vector<int> stored = w < wanted.size() ? std::vector{wanted[w]} : wanted;
      const Program program(graph, {.space = space, .sources = {0, 1, 2}, .stores = stored}, level);
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

TEST(Program, ALongRowIsPassedToItsSinkInPlace) {
  const Dims space{{"z", 4, false}, {"x", 5000, true}};
  Graph graph;
  const int field = graph.add(input_node(0, "", {space, {}}));
  const int whole = graph.add(reduce(graph, field, {}));
  const int profile = graph.add(reduce(graph, field, {"x"}));
  const Source source = source_of(std::vector<double>(20000, 2.0), model::DataType::float64);
  const Operand operands[] = {source.operand()};
  const model::Region region({{{0, 4}}, {{0, 5000}}});
  Record one, rows;
  FusiblePartial* const sinks[] = {&one};
  Program(graph, {.space = space, .sources = {field}, .sinks = {whole}}).run(region, operands, {}, sinks);
  EXPECT_EQ(one.calls, 1);
  FusiblePartial* const by_row[] = {&rows};
  Program(graph, {.space = space, .sources = {field}, .sinks = {profile}}).run(region, operands, {}, by_row);
  EXPECT_EQ(rows.calls, 4);
}

TEST(Program, ANodeThatIsNeitherSourceNorElementwiseIsABug) {
  Graph graph;
  const int field = graph.add(input_node(0, "", {{{"x", 3, true}}, {}}));
  const int other = graph.add(input_node(0, "", {{{"x", 3, true}}, {}}));
  const int sum = graph.add(apply(graph, Opcode::add, {field, other}));
  EXPECT_THROW(Program(graph, {.space = {{"x", 3, true}}, .sources = {field}, .stores = {sum}}), Error);
  EXPECT_THROW(Program(graph, {.space = {{"y", 3, true}}, .sources = {field, other}, .stores = {sum}}),
               Error);
}

}  // namespace
}  // namespace tailrace::analytics
