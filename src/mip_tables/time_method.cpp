#include "mip_tables/time_method.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

namespace tailrace::mip_tables {
namespace {

// A clause such as `area: time: mean where sea (...)`: names, a method, and its qualifiers.
struct Clause {
  std::vector<std::string> names;
  std::vector<std::string> words;

  bool is_of_time() const { return std::ranges::count(names, "time") > 0; }
};

// Removes remarks in parentheses, which may contain colons.
std::string without_remarks(std::string_view text) {
  std::string plain;
  int depth = 0;
  for (const char letter : text) {
    if (letter == '(') ++depth;
    if (depth == 0) plain += letter;
    if (letter == ')' && depth > 0) --depth;
  }
  return plain;
}

std::vector<Clause> clauses_of(std::string_view cell_methods) {
  std::vector<Clause> clauses;
  std::istringstream text(without_remarks(cell_methods));
  for (std::string word; text >> word;) {
    const bool is_name = word.ends_with(':');
    if (clauses.empty() || (is_name && !clauses.back().words.empty())) clauses.emplace_back();
    if (is_name) word.pop_back();
    (is_name ? clauses.back().names : clauses.back().words).push_back(word);
  }
  return clauses;
}

std::optional<time::ReductionKind> operation_of(const std::string& method) {
  if (method == "max") return time::ReductionKind::max;  // some tables write this
  for (const std::string& name : time::reduction_names())
    if (const auto kind = time::find_reduction(name); kind && time::cell_method_of(*kind) == method)
      return kind;
  return std::nullopt;
}

std::string joined(const std::vector<Clause>& clauses) {
  std::string text;
  for (const Clause& clause : clauses) {
    text += text.empty() ? "time:" : " time:";
    for (const std::string& word : clause.words) text += " " + word;
  }
  return text;
}

// The cycle of a climatology, if both clauses have the same method (CF 7.4).
time::Cycle cycle_of(const std::vector<Clause>& clauses) {
  if (clauses.size() != 2 || clauses[0].words.size() != 3 || clauses[1].words.size() != 3)
    return time::Cycle::none;
  const auto& first = clauses[0].words;
  const auto& second = clauses[1].words;
  if (first[0] != second[0] || first[1] != "within" || second[1] != "over" || first[2] != second[2])
    return time::Cycle::none;
  return first[2] == "years" ? time::Cycle::year : first[2] == "days" ? time::Cycle::day : time::Cycle::none;
}

}  // namespace

TimeMethod time_method_of(std::string_view cell_methods) {
  std::vector<Clause> clauses = clauses_of(cell_methods);
  std::erase_if(clauses, [](const Clause& clause) { return !clause.is_of_time() || clause.words.empty(); });
  if (clauses.empty()) return {};
  TimeMethod method;
  method.operation = operation_of(clauses.front().words.front());
  method.cycle = cycle_of(clauses);
  const auto& words = clauses.front().words;
  const bool within = words.size() > 1 && (words[1] == "within" || words[1] == "over");
  const bool one = clauses.size() == 1 ? !within : method.cycle != time::Cycle::none;
  if (!method.operation || !one) method.unsupported = joined(clauses);
  return method;
}

TableFrequency frequency_of(std::string_view frequency) {
  TableFrequency found;
  if (frequency.ends_with("CM")) {
    found.cycle = time::Cycle::day;
    frequency.remove_suffix(2);
  } else if (frequency.ends_with("C")) {
    found.cycle = time::Cycle::year;
    frequency.remove_suffix(1);
  } else if (frequency.ends_with("Pt")) {
    frequency.remove_suffix(2);
  }
  if (frequency == "mon") found.every = time::Period::of_months(1);
  if (frequency == "yr") found.every = time::Period::of_months(12);
  if (frequency == "dec") found.every = time::Period::of_months(120);
  if (frequency == "day") found.every = time::Period::of_seconds(86400.0);
  if (frequency.ends_with("hr")) {
    int hours = 0;
    const char* const end = frequency.data() + frequency.size() - 2;
    const auto [stop, error] = std::from_chars(frequency.data(), end, hours);
    if (error == std::errc() && stop == end && hours > 0)
      found.every = time::Period::of_seconds(3600.0 * hours);
  }
  return found;
}

}  // namespace tailrace::mip_tables
