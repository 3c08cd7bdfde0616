#include "analytics/expression/calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analytics/expression/arguments.hpp"
#include "analytics/expression/rewrites.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::analytics::expression {

using nodes::Value;

namespace {

using syntax::Keyword;

bool is_word(const std::string& name) {
  const char first = name.empty() ? '\0' : name.front();
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
}

struct CellMethod {
  std::string_view of, word;
};

// The CF cell method (appendix E) of a function; empty if there is none or the function is not a reduction.
std::string cell_method_of(const std::string& function) {
  static constexpr std::array methods{CellMethod{.of = "mean", .word = "mean"},
                                      CellMethod{.of = "sum", .word = "sum"},
                                      CellMethod{.of = "min", .word = "minimum"},
                                      CellMethod{.of = "max", .word = "maximum"},
                                      CellMethod{.of = "var", .word = "variance"},
                                      CellMethod{.of = "rms", .word = "root_mean_square"},
                                      CellMethod{.of = "std", .word = "standard_deviation"}};
  const auto found = std::ranges::find(methods, function, &CellMethod::of);
  return found == methods.end() ? std::string() : std::string(found->word);
}

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

std::optional<Value> Calls::resolve() {
  const bool weighted = std::any_of(here_.keywords.begin(), here_.keywords.end(),
                                    [](const Keyword& keyword) { return keyword.name == "weights"; });
  if (const Rewrite* rewrite = find_rewrite(here_.text, weighted)) return rewritten(*rewrite);
  const auto own = around_.operators().find(here_.text);
  const Operator* op = own != around_.operators().end() ? own->second.get() : find_operator(here_.text);
  if (op == nullptr) {
    unknown_function();
    return std::nullopt;
  }
  if (const auto* cells = dynamic_cast<const ElementwiseOperator*>(op)) return elementwise(cells->code());
  return applied(*op);
}

void Calls::unknown_function() {
  if (around_.is_name(here_.text) || constant_named(here_.text)) {
    around_.problem(here_.word, fmt::format("\"{}\" is not a function; a product needs a *", here_.text));
    return;
  }
  auto names = function_names();
  for (const auto& [name, made] : around_.operators()) names.push_back(name);
  const auto near = base::nearest_name(here_.text, names);
  around_.problem(here_.word, fmt::format("there is no function \"{}\"{}", here_.text,
                                          near ? fmt::format(". Did you mean \"{}\"?", *near)
                                               : fmt::format(" (known: {})", fmt::join(names, ", "))));
}

std::optional<Value> Calls::elementwise(Opcode opcode) {
  std::vector<std::optional<Value>> values;
  for (const int child : here_.children) values.push_back(resolver_.resolve(child));
  if (!here_.keywords.empty()) {
    around_.problem(here_.keywords[0].at, fmt::format("{} takes no named arguments",
                                                      analytics::elementwise(opcode).doc().signature));
    return std::nullopt;
  }
  return resolver_.elementwise(here_, opcode, std::move(values));
}

// A user-defined function may not know that NaN means missing.
bool Calls::refuse_missing(const Operator& op, const std::vector<Value>& arrays) {
  const auto own = around_.operators().find(here_.text);
  if (own == around_.operators().end() || own->second.get() != &op || op.takes_missing()) return false;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!arrays[i].may_miss) continue;
    const syntax::Phrase& at = resolver_.phrase(here_.children[i]);
    around_.problem(
        at.begin,
        fmt::format("this may have missing values (a fill_value), which {0} does not take; expected "
                    "`takes_missing: true` under operators.{0}, where the function knows that NaN stands "
                    "for them, or a number in their place, as in where(isnan(a), 0, a)",
                    here_.text));
    return true;
  }
  return false;
}

std::optional<Value> Calls::applied(const Operator& op) {
  const auto arrays = op.only_arrays();
  if (arrays && here_.children.size() > *arrays) {
    around_.problem(here_.word, fmt::format("{} takes {} argument{}, not {}", here_.text, *arrays,
                                            *arrays == 1 ? "" : "s", here_.children.size()));
    return std::nullopt;
  }
  ArgumentReader reader(resolver_, here_);
  Arguments given = reader.positional(arrays.value_or(any_number));
  Call call;
  call.dims = given.dims;
  for (const Keyword& keyword : here_.keywords) {
    if (auto value = reader.parameter(keyword))
      call.parameters[keyword.name] = std::move(*value);
    else
      given.failed = true;
  }
  if (given.failed || refuse_missing(op, given.arrays)) return std::nullopt;
  try {
    Call asked = call;
    for (const Value& value : given.arrays) asked.arguments.push_back(builder_.shape(value));
    for (const std::string& dim : op.coordinates_wanted(asked))
      if (const auto* values = around_.coordinates(dim)) call.parameters[dim + ".coordinates"] = *values;
    std::vector<std::string> dims = call.dims;
    Value result = builder_.apply(here_.text, op, std::move(call), given.arrays);
    tell_reduced(result, given.arrays, std::move(dims));
    return result;
  } catch (const CallProblem& problem) {
    resolver_.complain(here_, problem);
  } catch (const std::exception& error) {
    around_.problem(here_.word, fmt::format("{}: {}", here_.text, error.what()));
  }
  return std::nullopt;
}

void Calls::tell_reduced(Value& result, const std::vector<Value>& arrays, std::vector<std::string> dims) {
  result.reduced.clear();
  const std::string method = cell_method_of(here_.text);
  if (method.empty() || arrays.size() != 1) return;
  if (dims.empty())
    for (const Dim& dim : builder_.dims(arrays[0])) dims.push_back(dim.name);
  result.reduced = arrays[0].reduced;
  result.reduced.push_back({method, std::move(dims)});
}

std::optional<RewriteCall> Calls::read_call(const Rewrite& rewrite) {
  ArgumentReader reader(resolver_, here_);
  Arguments given = reader.positional(rewrite.arrays);
  RewriteCall call{.arrays = given.arrays, .dims = given.dims};
  for (const Keyword& keyword : here_.keywords) {
    if (std::find(rewrite.keywords.begin(), rewrite.keywords.end(), keyword.name) == rewrite.keywords.end()) {
      around_.problem(keyword.at, fmt::format("{} takes no \"{}\".{}", rewrite.doc.signature, keyword.name,
                                              base::name_hint(keyword.name, rewrite.keywords)));
      given.failed = true;
    } else if (keyword.name == "weights") {
      call.weights = resolver_.resolve(keyword.value);
      given.failed = given.failed || !call.weights;
    } else if (auto value = reader.parameter(keyword)) {
      call.parameters[keyword.name] = std::move(*value);
    } else {
      given.failed = true;
    }
  }
  if (given.failed) return std::nullopt;
  return call;
}

std::optional<Value> Calls::rewritten(const Rewrite& rewrite) {
  std::optional<RewriteCall> call = read_call(rewrite);
  if (!call) return std::nullopt;
  try {
    if (call->arrays.size() != rewrite.arrays)
      throw CallProblem(-1, "",
                        fmt::format("{} takes {} array{}, but is given {}", rewrite.doc.signature,
                                    rewrite.arrays, rewrite.arrays == 1 ? "" : "s", call->arrays.size()));
    if (!rewrite.takes_dims && !call->dims.empty())
      throw CallProblem(static_cast<int>(rewrite.arrays), "",
                        fmt::format("{} takes no dimensions", rewrite.doc.signature));
    if (rewrite.takes_dims) complete_dims(*call);
    look_at_weights(rewrite, *call);
    Value result = write(rewrite, *call);
    const bool same_values = rewrite.name == "with_units" || rewrite.name == "to_units";
    if (same_values)
      result.reduced = call->arrays[0].reduced;
    else
      tell_reduced(result, call->arrays, call->dims);
    return result;
  } catch (const CallProblem& problem) {
    resolver_.complain(here_, problem);
  }
  return std::nullopt;
}

// A mean with equal weights over latitudes overweights the poles: cells are weighted by their areas if these
// are known, otherwise there is a warning.
void Calls::look_at_weights(const Rewrite& rewrite, RewriteCall& call) {
  const auto& keywords = rewrite.keywords;
  if (call.weights || std::find(keywords.begin(), keywords.end(), "weights") == keywords.end()) return;
  for (const std::string& dim : call.dims) {
    const std::string* latitude = around_.latitude(dim);
    if (latitude == nullptr) continue;
    call.weights = areas_along(dim, call);
    if (call.weights) return;
    around_.plain_mean(
        here_.word,
        fmt::format("{} gives all cells along \"{}\" equal weight, but their areas differ with the "
                    "latitude \"{}\"; give weights=, such as a fixed field of cell areas",
                    rewrite.name, dim, *latitude));
    return;
  }
}

// None if they belong to another grid, or with ddof, which weights cannot be combined with.
std::optional<Value> Calls::areas_along(const std::string& dim, const RewriteCall& call) {
  const std::string* name = around_.area(dim);
  if (name == nullptr || call.parameters.contains("ddof")) return std::nullopt;
  std::optional<Value> areas = around_.named(*name, here_.word);
  if (!areas) return std::nullopt;
  for (const Dim& along : builder_.dims(*areas))
    for (const Value& array : call.arrays) {
      const Dims& dims = builder_.dims(array);
      const auto same = [&](const Dim& one) { return one.name == along.name && one.extent == along.extent; };
      if (std::ranges::none_of(dims, same)) return std::nullopt;
    }
  return areas;
}

// Problems with an inner value are reported for the call as a whole.
Value Calls::write(const Rewrite& rewrite, const RewriteCall& call) {
  try {
    return rewrite.write(builder_, call);
  } catch (const CallProblem& problem) {
    if (problem.argument < static_cast<int>(rewrite.arrays)) throw;
    throw CallProblem(-1, "", problem.what());
  }
}

// Without named dims, all are taken. Each argument must have them.
void Calls::complete_dims(RewriteCall& call) const {
  const bool all = call.dims.empty();
  for (std::size_t i = 0; i < call.arrays.size(); ++i) {
    const Value& array = call.arrays[i];
    if (builder_.constant(array))
      throw CallProblem(static_cast<int>(i), "", "an array is expected here, but this is a number");
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
