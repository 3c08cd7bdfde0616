// Random texts for the expression compiler: bytes, words in any order, expressions with mistakes, and
// expressions with a known value. The same seed gives the same texts.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tailrace::analytics::testing {

class Fuzz {
 public:
  explicit Fuzz(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  std::string bytes() {
    std::string text(below(40), ' ');
    for (char& c : text) c = static_cast<char>(below(256));
    return text;
  }

  std::string words() {
    std::string text;
    for (std::size_t i = below(25); i > 0; --i) text += pick(vocabulary()) + (below(4) == 0 ? " " : "");
    return text;
  }

  // Follows the grammar, but with names, dims and keywords that are often wrong.
  std::string expression(int depth) {
    if (depth <= 0 || below(6) == 0) return pick(leaves());
    switch (below(8)) {
      case 0: return fmt::format("({})", expression(depth - 1));
      case 1: return pick({"-", "+", "not "}) + expression(depth - 1);
      case 2:
      case 3: return call(depth);
      default: return expression(depth - 1) + pick(operators()) + expression(depth - 1);
    }
  }

  // Changes, removes, duplicates or inserts a few bytes.
  std::string damaged(std::string text) {
    for (std::size_t i = below(4); i > 0; --i) {
      if (text.empty()) return text;
      const std::size_t at = below(text.size());
      const std::size_t count = 1 + below(6);
      switch (below(4)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, count); break;
        case 2: text.insert(at, text.substr(at, count)); break;
        default: text.insert(at, pick(vocabulary())); break;
      }
    }
    return text;
  }

  std::string units() {
    static const std::vector<std::string> parts{"m",
                                                "s",
                                                "kg",
                                                "K",
                                                "degC",
                                                "-1",
                                                "2",
                                                " ",
                                                "/",
                                                "^",
                                                "(",
                                                ")",
                                                ".",
                                                "1",
                                                "%",
                                                "@",
                                                "since 2000-01-01",
                                                "lg(re 1 mW)",
                                                "Pa",
                                                "e",
                                                "-",
                                                "99"};
    std::string text;
    for (std::size_t i = below(6); i > 0; --i) text += pick(parts);
    return text;
  }

  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

 private:
  std::string call(int depth) {
    std::string text = pick(functions()) + "(" + expression(depth - 1);
    for (std::size_t i = below(3); i > 0; --i) text += ", " + expression(below(2) == 0 ? 0 : depth - 1);
    for (std::size_t i = below(3); i > 0; --i) text += ", " + pick({"y", "x", "z", "rank", "t"});
    if (below(4) == 0)
      text += ", " + pick({"weights", "skip_missing", "ddof", "units", "q", "z"}) + "=" + value(depth);
    return text + ")";
  }

  std::string value(int depth) {
    switch (below(5)) {
      case 0: return "[" + expression(0) + ", " + expression(depth - 1) + "]";
      case 1: return "\"" + units() + "\"";
      case 2: return "1";
      default: return expression(depth - 1);
    }
  }

  static const std::vector<std::string>& operators() {
    static const std::vector<std::string> all{" + ", "-",    "*",    "/",    "%",     "**",  "^",
                                              " < ", " <= ", " == ", " != ", " and ", " or "};
    return all;
  }
  static const std::vector<std::string>& leaves() {
    static const std::vector<std::string> all{
        "w",   "th", "t_c", "p",      "p_hpa", "q",   "q_g", "lat",       "area",     "rho",
        "z",   "1",  "2",   "0.5",    "1e3",   "odd", "dt",  "plain",     "sections", "{x_size}",
        "nan", "d0", "{n}", "coarse", "ice",   "pi",  "d1",  "scalar.vwp"};
    return all;
  }
  static const std::vector<std::string>& functions() {
    static const std::vector<std::string> all{"mean", "sum",      "max",        "min",      "count",  "var",
                                              "std",  "cov",      "corr",       "mask",     "rms",    "where",
                                              "sqrt", "to_units", "with_units", "anomaly",  "exp",    "clip",
                                              "sin",  "atan2",    "round",      "quantile", "nothing"};
    return all;
  }
  static const std::vector<std::string>& vocabulary() {
    static const std::vector<std::string> all{
        "w",  "th",   "mean", "(",     ")",        "[",   "]",    ",",     "=",      "==",
        "**", "*",    "-",    "+",     "<",        "and", "or",   "not",   "\"",     "'",
        "{",  "}",    "{n}",  "1",     "1e",       ".5",  "9e99", "where", "units=", "x",
        "d0", "\xC3", ".",    "sum(w", "weights=", "\n",  "z",    "e400",  "if",     "to_units(p"};
    return all;
  }

  std::mt19937_64 random_;
};

}  // namespace tailrace::analytics::testing
