// The compiled form of a Program: a list of steps that is executed once for each piece.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/program.hpp"
#include "analytics/simd/kernels.hpp"

namespace tailrace::analytics::program {

// Values are numbered; while a piece is processed each is an Operand. Registers are buffers for the values of
// one piece.
struct Load {
  std::size_t source;
  std::vector<std::size_t> dims;  // of the space, in the source's order
  std::size_t value, scratch;     // `scratch`: a register, if the source cannot be read in place
};

struct Instruction {
  Opcode opcode;  // the last one if the function does several
  simd::Elementwise function;
  std::size_t arity;
  std::array<std::size_t, 3> arguments;
  std::size_t value, result;  // a register
};

struct Store {
  std::size_t store, value;
};

struct Sink {
  std::size_t sink, value, kept;  // `kept`: index into Code::kept
};

struct Step {
  enum Kind { load, compute, store, sink } kind;
  std::size_t number;  // index into Code's loads, instructions, ...
};

struct Code {
  std::size_t space = 0;  // number of dims
  std::size_t values = 0, registers = 0;
  std::vector<std::pair<std::size_t, double>> constants;  // value and number
  std::vector<Load> loads;
  std::vector<Instruction> instructions;
  std::vector<Store> stores;
  std::vector<Sink> sinks;
  std::vector<Step> steps;
  std::vector<std::vector<std::size_t>> kept;  // dims of the space that sinks keep, in their argument's order
};

Code compile(const Graph& graph, const ProgramNodes& nodes, const simd::Kernels& kernels);

}  // namespace tailrace::analytics::program
