// A small scope for which expressions are compiled, and short access to the results.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analytics/compile.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::testing {

inline constexpr std::int64_t nz = 5, ny = 6, nx = 8;

inline Dims whole_box() { return {{"z", nz, false}, {"y", ny, true}, {"x", nx, true}}; }

inline Scope small_scope() {
  const Dims box = whole_box();
  const Dims level{box[0]};
  const Dims plane{box[1], box[2]};
  Scope scope;
  scope.inputs = {
      {"w", {box, "m s-1"}},
      {"th", {box, "K"}},
      {"t_c", {box, "degC"}},
      {"p", {box, "Pa"}},
      {"p_hpa", {box, "hPa"}},
      {"q", {box, "kg kg-1"}},
      {"q_g", {box, "g kg-1"}},
      {"lat", {plane, "degrees_north"}},
      {"area", {plane, "m2"}},
      {"rho", {level, "kg m-3"}},
      {"z", {level, "m"}},
      {"odd", {box, "SI"}},
      {"plain", {box, std::nullopt}},
      {"scalar.vwp", {{{"rank", 4, true}, {"y", 3, false}}, "kg m-2"}},
      {"dt", {{}, "s"}},
      {"coarse", {{{"y", 3, true}, {"x", 4, true}}, "K"}},
      {"sections", {{{"t", 9, false}, {"z", nz, false}}, "K"}},
  };
  scope.options = {{"x_size", "8"}, {"y_size", "6"}, {"name", "bubble"}, {"n", "-2.5e1"}};
  scope.coordinates = {{"z", {0.0, 100.0, 200.0, 300.0, 400.0}, "m"}};
  return scope;
}

inline DiagnosticSource source(const std::string& name, const std::string& text,
                               const std::string& units = "", bool optional = false, int line = 3) {
  return {name, {"run.yml", line, 10}, "diagnostics." + name + ".is", text, units, "", "", optional};
}

struct Outcome {
  Compiled compiled;
  std::string problems;

  const Diagnostic& at(const std::string& name) const {
    for (const Diagnostic& diagnostic : compiled.graph.diagnostics)
      if (diagnostic.name == name) return diagnostic;
    throw std::runtime_error("no diagnostic " + name + "; problems: " + problems);
  }
  const Node& node(const std::string& name = "d") const {
    return compiled.graph.nodes.at(base::index(at(name).node));
  }
  std::string text(const std::string& name = "d") const { return text_of(compiled.graph, at(name).node); }
  std::string units(const std::string& name = "d") const { return at(name).units; }
  std::string dims(const std::string& name = "d") const {
    std::string text;
    for (const Dim& dim : node(name).shape.dims) text += (text.empty() ? "" : ",") + dim.name;
    return text;
  }
};

inline Outcome compile_all(const std::vector<DiagnosticSource>& sources, const Scope& scope = small_scope()) {
  config::Problems problems;
  Outcome outcome;
  outcome.compiled = compile(sources, scope, problems);
  outcome.problems = problems.text();
  return outcome;
}

// Compiles one diagnostic named d, in line 3 from column 10 on.
inline Outcome compiled(const std::string& text, const std::string& units = "",
                        const Scope& scope = small_scope()) {
  return compile_all({source("d", text, units)}, scope);
}

// Its only problem: the column in the text (from 1), and the message.
inline std::string complaint(const std::string& text, const std::string& units = "") {
  const std::string said = compiled(text, units).problems;
  const std::string start = "run.yml:3:";
  if (!said.starts_with(start)) return "nothing: " + said;
  const auto gap = said.find("  ");
  const int column = std::stoi(said.substr(start.size())) - 9;
  const std::string path = "  diagnostics.d.is: ";
  return std::to_string(column) + " " + said.substr(gap + path.size());
}

}  // namespace tailrace::analytics::testing
