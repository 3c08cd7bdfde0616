#include "analytics/expression/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_name.hpp"

namespace tailrace::analytics::expression {

using nodes::Value;
using syntax::Phrase;
using syntax::PhraseKind;

std::string ArgumentReader::dims_text() const {
  std::vector<std::string> names;
  for (const Value& value : read_.arrays)
    for (const Dim& dim : resolver_.builder().dims(value))
      if (std::find(names.begin(), names.end(), dim.name) == names.end()) names.push_back(dim.name);
  if (names.empty()) return "none";
  const auto text = fmt::format("{}", fmt::join(names, ", "));
  return text;
}

void ArgumentReader::read_dim(const Phrase& word) {
  const auto refuse = [&](std::size_t at, const std::string& what) {
    read_.failed = true;
    resolver_.around().problem(at, what);
  };
  if (word.kind != PhraseKind::name)
    return refuse(word.word,
                  "the name of a dimension is expected here: arrays come first, then dimensions, then "
                  "name=value");
  if (!has_dim(word.text)) {
    std::vector<std::string> names;
    for (const Value& value : read_.arrays)
      for (const Dim& dim : resolver_.builder().dims(value)) names.push_back(dim.name);
    const auto near = base::nearest_name(word.text, names);
    return refuse(word.begin,
                  fmt::format("\"{}\" is not a dimension of the argument (it has: {}){}", word.text,
                              dims_text(), near ? fmt::format(". Did you mean \"{}\"?", *near) : ""));
  }
  if (std::find(read_.dims.begin(), read_.dims.end(), word.text) != read_.dims.end())
    return refuse(word.begin, fmt::format("the dimension \"{}\" is given twice", word.text));
  read_.dims.push_back(word.text);
}

// If a name occurs twice, it is first the field and then the dim: interpolate(th, z, z, levels=[100]).
bool ArgumentReader::names_coordinate(std::size_t child) const {
  const std::string& name = resolver_.phrase(call_.children[child]).text;
  return resolver_.around().is_name(name) &&
         std::any_of(call_.children.begin() + static_cast<std::ptrdiff_t>(child) + 1, call_.children.end(),
                     [&](int later) {
                       const Phrase& other = resolver_.phrase(later);
                       return other.kind == PhraseKind::name && other.text == name;
                     });
}

// `arrays`: number of arrays before it.
bool ArgumentReader::is_array(std::size_t child, std::size_t arrays, std::size_t most) const {
  if (arrays >= most || !read_.dims.empty()) return false;
  if (arrays == 0 || most != any_number) return true;
  const Phrase& word = resolver_.phrase(call_.children[child]);
  const EvaluationScope& around = resolver_.around();
  const bool names_dim = word.kind == PhraseKind::name && has_dim(word.text) && !names_coordinate(child);
  const bool names_array = word.kind != PhraseKind::name || around.is_name(word.text) ||
                           (around.may_lack_names() && !around.is_dim(word.text));
  return !names_dim && names_array;
}

Arguments ArgumentReader::positional(std::size_t most) {
  std::size_t arrays = 0;
  for (std::size_t i = 0; i < call_.children.size(); ++i) {
    const int child = call_.children[i];
    if (!is_array(i, arrays, most)) {
      // If an array could not be resolved, its dims are unknown.
      if (!read_.failed) read_dim(resolver_.phrase(child));
      continue;
    }
    ++arrays;
    if (const auto value = resolver_.resolve(child)) {
      read_.arrays.push_back(*value);
      for (const Dim& dim : resolver_.builder().dims(*value)) known_dims_.insert(dim.name);
    } else {
      read_.failed = true;
    }
  }
  return std::move(read_);
}

std::optional<double> ArgumentReader::constant(int number) {
  const auto value = resolver_.resolve(number);
  if (!value) return std::nullopt;
  const auto known = resolver_.builder().constant(*value);
  if (!known)
    resolver_.around().problem(resolver_.phrase(number).word,
                               "this must be a number known before the run: it cannot contain a field");
  return known;
}

std::optional<ParameterValue> ArgumentReader::parameter(const syntax::Keyword& keyword) {
  const Phrase& here = resolver_.phrase(keyword.value);
  if (here.kind == PhraseKind::text) return here.text;
  if (here.kind == PhraseKind::name && !constant_named(here.text)) return here.text;
  if (here.kind != PhraseKind::list) return constant(keyword.value);
  std::vector<double> numbers;
  for (const int item : here.children) {
    const auto number = constant(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace tailrace::analytics::expression
