// The values of attributes that may be {options}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dialects/monc/vocabulary.hpp"
#include "dialects/monc/xml/model.hpp"

namespace tailrace::dialects::monc {

class Values {
 public:
  Values(const Options& options, Warnings& warnings) : options_(options), warnings_(warnings) {}

  bool legacy() const { return options_.legacy; }
  bool has_checkpoints() const { return options_.beside.contains("checkpoint"); }

  // With the options that are known filled in; others stay in braces.
  std::string text(const Word& word) const;

  // The number of steps, where it is known.
  std::optional<std::int64_t> steps(const Word& frequency) const;
  // `never`, `5 steps`, `{n} steps`.
  std::string period_in_steps(const Word& frequency) const;
  // `20.0 s`, `{mm} s`. In legacy a number is what MONC makes of it.
  std::string period_in_seconds(const Word& word) const;
  bool is_zero(const Word& seconds) const;
  // As MONC writes it into names: 20.0.
  std::string seconds_in_names(const Word& word) const;

 private:
  std::optional<double> seconds(const Word& word) const;

  const Options& options_;
  Warnings& warnings_;
};

}  // namespace tailrace::dialects::monc
