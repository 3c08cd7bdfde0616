// Graphs for tests of programs, made without the expression compiler.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analytics/opcodes.hpp"
#include "analytics/program.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::program_graphs {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline std::vector<simd::Level> levels() {
  std::vector<simd::Level> got;
  for (const auto level : {simd::Level::portable, simd::Level::avx2, simd::Level::avx512})
    if (simd::supported(level)) got.push_back(level);
  return got;
}

inline bool same(double a, double b) {
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

inline const Operator* operator_of(Opcode opcode) {
  static std::map<Opcode, AnOpcode> all;
  return &all.try_emplace(opcode, opcode).first->second;
}

// Records the values that it gets.
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

// A node with the dims of its arguments, those of the first in front.
inline Node apply(const Graph& graph, Opcode opcode, std::vector<int> args) {
  Shape shape;
  for (const int arg : args)
    for (const Dim& dim : graph.nodes[base::index(arg)].shape.dims)
      if (std::ranges::find(shape.dims, dim) == shape.dims.end()) shape.dims.push_back(dim);
  return operator_node(*operator_of(opcode), std::string(traits_of(opcode).name), {}, std::move(args),
                       std::move(shape));
}

inline Node reduce(const Graph& graph, int arg, std::vector<std::string> consumed) {
  Node node;
  node.kind = NodeKind::reduction;
  node.name = "record";
  node.args = {arg};
  node.call.arguments = {graph.nodes[base::index(arg)].shape};
  node.call.dims = std::move(consumed);
  return node;
}

// The bytes of a source and their values.
struct Source {
  std::vector<std::byte> bytes;
  std::size_t start = 0;  // 1: not aligned
  model::DataType type = model::DataType::float64;
  std::vector<double> values;
  Operand operand() const { return {std::span(bytes).subspan(start), type}; }
};

inline Source source_of(const std::vector<double>& numbers, model::DataType type, bool aligned = true) {
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

}  // namespace tailrace::analytics::program_graphs
