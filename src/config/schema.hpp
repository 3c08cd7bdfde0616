// Declarations of options: each option is declared once, as data. Reading and checking (check.hpp), the
// reference page and the JSON schema (documents/documents.hpp) are all derived from it. This room declares no
// option itself.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailrace::config {

enum class Kind {
  text,
  flag,  // true | false
  integer,
  real,
  size,     // bytes, such as 256 MiB
  checked,  // text in a notation of its own, such as a period
  choice,   // one of some names
  plain,    // text, an integer or a real, whichever it looks like; in quotes always text
  list,
  map,      // entries whose names the user chooses
  section,  // a map of declared options
  either,   // a scalar, list or map of different types
};

struct Option;

struct Type {
  Kind kind = Kind::text;
  std::string expected;  // a phrase for messages and the reference: "a period such as `10 s`"
  double lowest = -std::numeric_limits<double>::infinity();  // integer, real
  double highest = std::numeric_limits<double>::infinity();
  std::vector<std::string> names;  // choice: all; integer: words that are accepted instead of a number (auto)
  std::vector<std::string> later;  // choice: known, but not available yet
  // choice: deprecated words, which are still read with a warning, and their present names
  std::vector<std::pair<std::string, std::string>> former;
  std::function<std::optional<std::string>(const std::string&)>
      complaint;  // what is wrong, if anything, with a text (checked; section: in its place) or a name (map)
  std::vector<Type> parts;      // list and map: the one element type; either: the alternatives
  std::size_t fewest = 0;       // list: elements
  std::string entry_name;       // map: a placeholder for keys, for paths in the reference: <file>
  std::vector<Option> options;  // section
  bool unchecked = false;       // section: it may hold anything, which is checked later
};

struct Option {
  std::string name;  // snake_case
  Type type;
  std::string description;      // one sentence, with a full stop
  std::string example{};        // a YAML value; must be valid
  std::string default_value{};  // the default as a YAML value, must be valid; empty: none
  bool required = false;
  bool available = true;  // false: known and documented, but refused with "not available yet"
  std::string unit{};
  std::string since = "0.1";
  std::vector<std::string> deprecated_names{};  // older names, still read with a warning
  std::vector<std::string> aliases{};           // other names, read without a warning
  // If it is not given, its value is that in the `defaults` of the sections around it, innermost first.
  bool inherited = false;
  std::string belongs_to{};  // an option: if the section gives that one, this one is neither inherited nor
                             // required
  // Options: if the section gives one of these, this one is not required.
  std::vector<std::string> implied_by{};
};

Type text();
Type flag();
Type integer(std::int64_t lowest, std::int64_t highest = std::int64_t{1} << 53);
Type integer_or(std::vector<std::string> words, std::int64_t lowest,
                std::int64_t highest = std::int64_t{1} << 53);
Type real(double lowest, double highest = std::numeric_limits<double>::infinity());
Type size();
// `complaint` returns what is wrong with a text, or nothing.
Type checked(std::string expected, std::function<std::optional<std::string>(const std::string&)> complaint);
Type choice(std::vector<std::string> names, std::vector<std::string> later = {});
Type plain();
Type list(Type element, std::size_t fewest = 0);
Type map(std::string entry_name, Type element);
Type section(std::vector<Option> options);
Type unchecked_section(std::string expected);
Type joined_section(std::vector<std::vector<Option>> parts);  // the options of all parts, in order
Type either(std::vector<Type> alternatives);

// The same options, marked as inherited: `defaults` around their section may give them too.
std::vector<Option> inherited(std::vector<Option> options);
// The option `defaults` with these options, none of which is required or has a default there.
Option defaults_option(std::string description, std::vector<Option> options);

// Asserts the rules for all declarations below `root` (a section): names are unique and in snake_case,
// descriptions start with a capital letter and end with a full stop, every option that is not a section has
// an example, and examples and defaults are valid. Throws Error(internal) that names the option.
void assert_well_declared(const Type& root);

}  // namespace tailrace::config
