#include "config/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "config/check.hpp"
#include "config/node.hpp"

namespace tailrace::config {
namespace {

Type simple(Kind kind, std::string expected) {
  Type type;
  type.kind = kind;
  type.expected = std::move(expected);
  return type;
}

std::string range_words(double lowest, double highest) {
  const bool has_lowest = lowest > -1e308;  // this number means: any finite value
  if (has_lowest && highest < 0x1p53) return fmt::format(" from {} to {}", lowest, highest);
  return has_lowest ? fmt::format(" of {} or more", lowest) : "";
}

bool is_snake_case(const std::string& name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' && name.back() != '_' &&
         std::all_of(name.begin(), name.end(), fits);
}

void assert_valid(const Option& option, const std::string& path, const std::string& word,
                  const std::string& yaml) {
  Problems problems;
  const Node node = parse_yaml(path + " (" + word + ")", yaml, problems);
  check(node, option.type, path, {}, problems);
  TAILRACE_ASSERT(problems.empty(), "the declaration of an option: " + problems.text());
}

void assert_options(const Type& type, const std::string& path);

void assert_option(const Option& option, const std::string& path) {
  TAILRACE_ASSERT(is_snake_case(option.name), "the name of option " + path + " must be in snake_case");
  const std::string& says = option.description;
  TAILRACE_ASSERT(
      !says.empty() && std::islower(static_cast<unsigned char>(says.front())) == 0 && says.back() == '.',
      "the description of option " + path + " must be a sentence with a full stop");
  TAILRACE_ASSERT(!option.since.empty(), "option " + path + " needs the version that introduced it");
  TAILRACE_ASSERT(!option.required || option.default_value.empty(),
                  "the required option " + path + " has a default");
  const bool nested = option.type.kind == Kind::section || option.type.kind == Kind::map;
  TAILRACE_ASSERT(nested || !option.example.empty(), "option " + path + " needs an example");
  if (!option.example.empty()) assert_valid(option, path, "example", option.example);
  if (!option.default_value.empty()) assert_valid(option, path, "default", option.default_value);
  assert_options(option.type, path);
}

void assert_options(const Type& type, const std::string& path) {
  std::set<std::string> names;
  for (const Option& option : type.options) {
    const std::string inner = path_of(path, option.name);
    TAILRACE_ASSERT(names.insert(option.name).second, "option " + inner + " is declared twice");
    for (const std::string& former : option.deprecated_names) {
      TAILRACE_ASSERT(is_snake_case(former),
                      "the deprecated name of option " + inner + " must be in snake_case");
      TAILRACE_ASSERT(names.insert(former).second, "the deprecated name of option " + inner + " is taken");
    }
    for (const std::string& other : option.aliases)
      TAILRACE_ASSERT(is_snake_case(other) && names.insert(other).second,
                      "the alias of option " + inner + " must be in snake_case, and not taken");
    assert_option(option, inner);
  }
  for (const Type& part : type.parts) assert_options(part, path);
}

}  // namespace

Type text() { return simple(Kind::text, "a text"); }
Type flag() { return simple(Kind::flag, "`true` or `false`"); }

Type integer(std::int64_t lowest, std::int64_t highest) { return integer_or({}, lowest, highest); }

Type integer_or(std::vector<std::string> words, std::int64_t lowest, std::int64_t highest) {
  Type type = simple(Kind::integer, "");
  type.lowest = static_cast<double>(lowest);
  type.highest = static_cast<double>(highest);
  type.expected = "a whole number" + range_words(type.lowest, type.highest);
  for (const std::string& word : words) type.expected += fmt::format(" or `{}`", word);
  type.names = std::move(words);
  return type;
}

Type real(double lowest, double highest) {
  Type type = simple(Kind::real, "a number" + range_words(lowest, highest));
  type.lowest = lowest;
  type.highest = highest;
  return type;
}

Type size() { return simple(Kind::size, "a size such as `256 MiB` (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)"); }

Type checked(std::string expected, std::function<std::optional<std::string>(const std::string&)> complaint) {
  Type type = simple(Kind::checked, std::move(expected));
  type.complaint = std::move(complaint);
  return type;
}

Type choice(std::vector<std::string> names, std::vector<std::string> later) {
  Type type = simple(Kind::choice, fmt::format("one of `{}`", fmt::join(names, "`, `")));
  std::erase_if(later, [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  });
  type.names = std::move(names);
  type.later = std::move(later);
  return type;
}

Type plain() { return simple(Kind::plain, "a text or a number"); }

Type list(Type element, std::size_t fewest) {
  Type type = simple(Kind::list, "a list");
  type.parts.push_back(std::move(element));
  type.fewest = fewest;
  return type;
}

Type map(std::string entry_name, Type element) {
  Type type = simple(Kind::map, "a map of named entries");
  type.parts.push_back(std::move(element));
  type.entry_name = std::move(entry_name);
  return type;
}

Type section(std::vector<Option> options) {
  Type type = simple(Kind::section, "a map of options");
  type.options = std::move(options);
  return type;
}

Type unchecked_section(std::string expected) {
  Type type = simple(Kind::section, std::move(expected));
  type.unchecked = true;
  return type;
}

Type joined_section(std::vector<std::vector<Option>> parts) {
  std::vector<Option> options;
  for (std::vector<Option>& part : parts)
    options.insert(options.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return section(std::move(options));
}

Type either(std::vector<Type> alternatives) {
  std::vector<std::string> words;
  for (const Type& alternative : alternatives) words.push_back(alternative.expected);
  Type type = simple(Kind::either, fmt::format("{}", fmt::join(words, ", or ")));
  type.parts = std::move(alternatives);
  return type;
}

void assert_well_declared(const Type& root) { assert_options(root, ""); }

std::vector<Option> inherited(std::vector<Option> options) {
  for (Option& option : options) option.inherited = true;
  return options;
}

Option defaults_option(std::string says, std::vector<Option> options) {
  for (Option& option : options) {
    option.required = option.inherited = false;
    option.default_value.clear();
  }
  return {.name = "defaults", .type = section(std::move(options)), .description = std::move(says)};
}

}  // namespace tailrace::config
