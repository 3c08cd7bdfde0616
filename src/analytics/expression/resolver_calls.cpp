// Calls: which positional arguments are arrays and which are dims, and what is called.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "analytics/expression/resolver.hpp"
#include "analytics/expression/rewrites.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::analytics::expression {

namespace {

bool is_word(const std::string& name) {
  const char first = name.empty() ? '\0' : name.front();
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
}

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

}  // namespace

std::vector<std::string> function_names() {
  std::vector<std::string> names = operator_names();
  for (const Rewrite& rewrite : rewrites()) names.push_back(rewrite.name);
  std::erase_if(names, [](const std::string& name) {
    return !is_word(name) || name == "and" || name == "or" || name == "not";
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<Value> Resolver::call(const Phrase& here) {
  const bool weighted = std::any_of(here.keywords.begin(), here.keywords.end(),
                                    [](const Keyword& keyword) { return keyword.name == "weights"; });
  if (const Rewrite* rewrite = find_rewrite(here.text, weighted)) return call_rewrite(here, *rewrite);
  const auto own = around_.operators().find(here.text);
  const Operator* op = own != around_.operators().end() ? own->second.get() : find_operator(here.text);
  if (op == nullptr) {
    unknown_function(here);
    return std::nullopt;
  }
  if (const auto* cells = dynamic_cast<const ElementwiseOperator*>(op))
    return call_elementwise(here, cells->code());
  return call_operator(here, *op);
}

void Resolver::unknown_function(const Phrase& here) {
  if (around_.is_name(here.text) || constant_named(here.text)) {
    around_.problem(here.word, fmt::format("\"{}\" is not a function; a product needs a *", here.text));
    return;
  }
  auto names = function_names();
  for (const auto& [name, made] : around_.operators()) names.push_back(name);
  const auto near = base::nearest_name(here.text, names);
  around_.problem(here.word, fmt::format("there is no function \"{}\"{}", here.text,
                                         near ? fmt::format(". Did you mean \"{}\"?", *near)
                                              : fmt::format(" (known: {})", fmt::join(names, ", "))));
}

std::optional<Value> Resolver::call_elementwise(const Phrase& here, Opcode opcode) {
  std::vector<std::optional<Value>> values;
  for (const int child : here.children) values.push_back(resolve(child));
  if (!here.keywords.empty()) {
    around_.problem(here.keywords[0].at, fmt::format("{} takes no named arguments",
                                                     analytics::elementwise(opcode).doc().signature));
    return std::nullopt;
  }
  return elementwise(here, opcode, std::move(values));
}

bool Resolver::has_dim(const Arguments& arguments, const std::string& name) const {
  return std::any_of(arguments.arrays.begin(), arguments.arrays.end(),
                     [&](const Value& value) { return builder_.shape(value).find(name).has_value(); });
}

std::string Resolver::dims_text(const Arguments& arguments) const {
  std::vector<std::string> names;
  for (const Value& value : arguments.arrays)
    for (const Dim& dim : builder_.dims(value))
      if (std::find(names.begin(), names.end(), dim.name) == names.end()) names.push_back(dim.name);
  if (names.empty()) return "none";
  const auto text = fmt::format("{}", fmt::join(names, ", "));
  return text;
}

void Resolver::dim(const Phrase& word, Arguments& into) {
  into.failed = true;
  if (word.kind != PhraseKind::name) {
    around_.problem(word.word,
                    "the name of a dimension is expected here: arrays come first, then dimensions, then "
                    "name=value");
  } else if (!has_dim(into, word.text)) {
    std::vector<std::string> names;
    for (const Value& value : into.arrays)
      for (const Dim& dim : builder_.dims(value)) names.push_back(dim.name);
    const auto near = base::nearest_name(word.text, names);
    around_.problem(word.begin,
                    fmt::format("\"{}\" is no dimension of the argument (it has: {}){}", word.text,
                                dims_text(into), near ? fmt::format(". Did you mean \"{}\"?", *near) : ""));
  } else if (std::find(into.dims.begin(), into.dims.end(), word.text) != into.dims.end()) {
    around_.problem(word.begin, fmt::format("the dimension \"{}\" is given twice", word.text));
  } else {
    into.failed = false;
    into.dims.push_back(word.text);
  }
}

// A name that comes once more is first the field, then the dim: interpolate(th, z, z, levels=[100]).
bool Resolver::names_coordinate(const Phrase& here, std::size_t child) const {
  const std::string& name = phrase(here.children[child]).text;
  return around_.is_name(name) &&
         std::any_of(
             here.children.begin() + static_cast<std::ptrdiff_t>(child) + 1, here.children.end(),
             [&](int later) { return phrase(later).kind == PhraseKind::name && phrase(later).text == name; });
}

Resolver::Arguments Resolver::arguments(const Phrase& here, std::size_t most) {
  Arguments result;
  bool failed = false;
  std::size_t arrays = 0;
  for (std::size_t i = 0; i < here.children.size(); ++i) {
    const int child = here.children[i];
    const Phrase& word = phrase(child);
    const bool names_dim =
        word.kind == PhraseKind::name && has_dim(result, word.text) && !names_coordinate(here, i);
    const bool names_array = word.kind != PhraseKind::name || around_.is_name(word.text) ||
                             (around_.may_lack_names() && !around_.is_dim(word.text));
    const bool is_array = arrays < most && result.dims.empty() &&
                          (arrays == 0 || most != any_number || (!names_dim && names_array));
    if (!is_array) {
      // Where the array itself is not understood, nothing can be said about its dims.
      if (failed) continue;
      dim(word, result);
      failed = result.failed;
      continue;
    }
    ++arrays;
    if (const auto value = resolve(child))
      result.arrays.push_back(*value);
    else
      failed = true;
  }
  result.failed = failed;
  return result;
}

std::optional<double> Resolver::constant(int number) {
  const auto value = resolve(number);
  if (!value) return std::nullopt;
  const auto known = builder_.constant(*value);
  if (!known)
    around_.problem(phrase(number).word,
                    "this must be a number that is known beforehand: no field may be in it");
  return known;
}

std::optional<ParameterValue> Resolver::parameter(const Keyword& keyword) {
  const Phrase& here = phrase(keyword.value);
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

std::optional<Value> Resolver::call_operator(const Phrase& here, const Operator& op) {
  const auto arrays = op.only_arrays();
  if (arrays && here.children.size() > *arrays) {
    around_.problem(here.word, fmt::format("{} takes {} argument{}, not {}", here.text, *arrays,
                                           *arrays == 1 ? "" : "s", here.children.size()));
    return std::nullopt;
  }
  Arguments given = arguments(here, arrays.value_or(any_number));
  Call call;
  call.dims = given.dims;
  for (const Keyword& keyword : here.keywords) {
    if (auto value = parameter(keyword))
      call.parameters[keyword.name] = std::move(*value);
    else
      given.failed = true;
  }
  if (given.failed) return std::nullopt;
  try {
    Call asked = call;
    for (const Value& value : given.arrays) asked.arguments.push_back(builder_.shape(value));
    for (const std::string& dim : op.coordinates_wanted(asked))
      if (const auto* values = around_.coordinates(dim)) call.parameters[dim + ".coordinates"] = *values;
    return builder_.apply(here.text, op, std::move(call), given.arrays);
  } catch (const CallProblem& problem) {
    complain(here, problem);
  } catch (const std::exception& error) {
    around_.problem(here.word, fmt::format("{}: {}", here.text, error.what()));
  }
  return std::nullopt;
}

std::optional<Value> Resolver::call_rewrite(const Phrase& here, const Rewrite& rewrite) {
  Arguments given = arguments(here, rewrite.arrays);
  RewriteCall call{given.arrays, given.dims, std::nullopt, {}};
  for (const Keyword& keyword : here.keywords) {
    if (std::find(rewrite.keywords.begin(), rewrite.keywords.end(), keyword.name) == rewrite.keywords.end()) {
      around_.problem(keyword.at, fmt::format("{} takes no \"{}\".{}", rewrite.doc.signature, keyword.name,
                                              base::name_hint(keyword.name, rewrite.keywords)));
      given.failed = true;
    } else if (keyword.name == "weights") {
      call.weights = resolve(keyword.value);
      given.failed = given.failed || !call.weights;
    } else if (auto value = parameter(keyword)) {
      call.parameters[keyword.name] = std::move(*value);
    } else {
      given.failed = true;
    }
  }
  if (given.failed) return std::nullopt;
  try {
    if (given.arrays.size() != rewrite.arrays)
      throw CallProblem(-1, "",
                        fmt::format("{} takes {} array{} and is given {}", rewrite.doc.signature,
                                    rewrite.arrays, rewrite.arrays == 1 ? "" : "s", given.arrays.size()));
    if (!rewrite.takes_dims && !call.dims.empty())
      throw CallProblem(static_cast<int>(rewrite.arrays), "",
                        fmt::format("{} takes no dimensions", rewrite.doc.signature));
    if (rewrite.takes_dims) complete_dims(call);
    return write(rewrite, call);
  } catch (const CallProblem& problem) {
    complain(here, problem);
  }
  return std::nullopt;
}

// Problems with something that stands further inside belong to the call as a whole.
Value Resolver::write(const Rewrite& rewrite, const RewriteCall& call) {
  try {
    return rewrite.write(builder_, call);
  } catch (const CallProblem& problem) {
    if (problem.argument < static_cast<int>(rewrite.arrays)) throw;
    throw CallProblem(-1, "", problem.what());
  }
}

// All dims where none is named; and each argument must have them.
void Resolver::complete_dims(RewriteCall& call) const {
  const bool all = call.dims.empty();
  for (std::size_t i = 0; i < call.arrays.size(); ++i) {
    const Value& array = call.arrays[i];
    if (builder_.constant(array))
      throw CallProblem(static_cast<int>(i), "", "an array is expected here, and this is a number");
    if (all)
      for (const Dim& dim : builder_.dims(array))
        if (std::find(call.dims.begin(), call.dims.end(), dim.name) == call.dims.end())
          call.dims.push_back(dim.name);
  }
  for (std::size_t i = 0; i < call.arrays.size(); ++i)
    for (const std::string& dim : call.dims)
      if (!builder_.shape(call.arrays[i]).find(dim))
        throw CallProblem(static_cast<int>(i), "", fmt::format("this has no dimension \"{}\"", dim));
}

}  // namespace tailrace::analytics::expression
