#include "sinks/kept_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "cf/text.hpp"

namespace tailrace::sinks {
namespace {

using codecs::lossy::Reached;

constexpr const char* bits_attribute = "quantization_nsb";

void check_same_bound(const output::DatasetSpec& spec, const output::VariableSpec& variable,
                      const std::string& found) {
  const std::string wanted = variable.codec.keep ? codecs::lossy::words(*variable.codec.keep) : "";
  if (found == wanted) return;
  const auto in_words = [](const std::string& bound) {
    return bound.empty() ? "exact values" : fmt::format("`keep` of {}", bound);
  };
  throw Error(ErrorCode::resource,
              fmt::format("{}: cannot be continued: its variable \"{}\" has {}, and this run writes {}; "
                          "expected the same `keep`, another path, or `if_exists: replace`",
                          spec.path, variable.name, in_words(found), in_words(wanted)));
}

}  // namespace

KeptErrors::KeptErrors(const output::DatasetSpec& dataset, std::vector<telemetry::KeptCounters>& counters)
    : variables_(dataset.variables.size()), counters_(&counters) {
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const output::VariableSpec& spec = dataset.variables[v];
    const auto& keep = spec.codec.keep;
    variables_[v].name = spec.name;
    variables_[v].rounds = keep.has_value();
    variables_[v].chooses_bits =
        keep && keep->information &&
        std::ranges::any_of(spec.attributes, [](const auto& a) { return a.first == bits_attribute; });
    is_used_ = is_used_ || keep || spec.codec.prefer;
    if (!spec.is_field || spec.chunk.empty() || (!keep && !spec.codec.prefer)) continue;
    variables_[v].counters = static_cast<int>(counters.size());
    counters.push_back({.variable = spec.name, .bound = keep ? codecs::lossy::words(*keep) : ""});
  }
}

void KeptErrors::begin(const output::Format& format, output::DatasetSpec& spec) {
  const bool is_saved = loaded_;
  for (Variable& variable : variables_) {
    variable.told = {};
    if (!is_saved) variable.reached = {};
  }
  if (spec.kept.empty() || !format.makes_files()) return;
  const auto existing = format.existing_bounds(spec.path);
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    output::VariableSpec& of = spec.variables[v];
    if (!of.is_field) continue;
    const auto found = existing.find(of.name);
    check_same_bound(spec, of, found == existing.end() ? "" : found->second.words);
    if (!variables_[v].rounds) continue;
    const Reached& told = variables_[v].told = found->second.reached;
    if (!is_saved) variables_[v].reached = told;
    cf::set_attribute(of.attributes, codecs::lossy::absolute_attribute, told.absolute);
    cf::set_attribute(of.attributes, codecs::lossy::relative_attribute, told.relative);
    if (variables_[v].chooses_bits)
      cf::set_attribute(of.attributes, bits_attribute, static_cast<std::int32_t>(told.bits));
  }
}

// Attributes are written only when they change: the errors of a field soon reach their largest.
void KeptErrors::add_attributes(output::Commit& commit) {
  if (!is_used_) return;
  std::vector<Reached> after;
  for (const Variable& variable : variables_) after.push_back(variable.reached);
  for (const output::EncodedChunk& chunk : commit.chunks)
    after[base::index(chunk.variable)].merge(chunk.reached);
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const Reached& reached = after[v];
    if (!variables_[v].rounds || reached == variables_[v].told) continue;
    const auto add = [&commit, v](const char* name, output::AttributeValue value) {
      commit.attributes.push_back({.variable = static_cast<int>(v), .name = name, .value = std::move(value)});
    };
    add(codecs::lossy::absolute_attribute, reached.absolute);
    add(codecs::lossy::relative_attribute, reached.relative);
    if (variables_[v].chooses_bits && reached.bits > 0)
      add(bits_attribute, static_cast<std::int32_t>(reached.bits));
  }
}

void KeptErrors::end() {
  loaded_ = false;
  for (Variable& variable : variables_) variable.reached = variable.told = {};
}

void KeptErrors::save(model::NumberSaver saver) const {
  for (const Variable& variable : variables_) {
    if (!variable.rounds) continue;
    model::NumberSaver of = saver.in(variable.name);
    of("absolute", variable.reached.absolute);
    of("relative", variable.reached.relative);
    of("bits", variable.reached.bits);
  }
}

void KeptErrors::load(model::NumberLoader loader) {
  for (Variable& variable : variables_) {
    if (!variable.rounds) continue;
    model::NumberLoader of = loader.in(variable.name);
    of("absolute", variable.reached.absolute);
    of("relative", variable.reached.relative);
    of("bits", variable.reached.bits);
  }
  loaded_ = true;
}

void KeptErrors::committed(const output::Commit& commit) {
  loaded_ = false;
  if (!is_used_) return;
  for (const output::EncodedChunk& chunk : commit.chunks) {
    Variable& variable = variables_[base::index(chunk.variable)];
    variable.reached.merge(chunk.reached);
    if (variable.counters < 0) continue;
    telemetry::KeptCounters& counters = (*counters_)[base::index(variable.counters)];
    counters.absolute = std::max(counters.absolute, chunk.reached.absolute);
    counters.relative = std::max(counters.relative, chunk.reached.relative);
    if (const int bits = static_cast<int>(chunk.reached.bits); bits > 0)
      counters.fewest_bits = counters.fewest_bits > 0 ? std::min(counters.fewest_bits, bits) : bits;
    if (!chunk.filtered) continue;
    ++counters.chunks;
    counters.exact_chunks += chunk.is_exact ? 1 : 0;
    for (std::size_t i = 0; i < telemetry::chosen_levels.size(); ++i)
      counters.at_level[i] += chunk.level == telemetry::chosen_levels[i] ? 1 : 0;
  }
  for (Variable& variable : variables_) variable.told = variable.reached;
}

}  // namespace tailrace::sinks
