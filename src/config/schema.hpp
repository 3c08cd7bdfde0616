// How options are declared: once, as data. Reading and checking (check.hpp), the reference page
// (reference.hpp) and the JSON schema (json_schema.hpp) all come from it. This room declares no option
// itself.
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
  plain,    // text, an integer or a real, as it looks; in quotes always text
  list,
  map,      // entries whose names the user chooses
  section,  // a map of declared options
  either,   // a scalar, list or map of different types
};

struct Option;

struct Type {
  Kind kind = Kind::text;
  std::string expected;  // for messages and the reference: "a period such as `10 s`"
  double lowest = -std::numeric_limits<double>::infinity();  // integer, real
  double highest = std::numeric_limits<double>::infinity();
  std::vector<std::string> names;  // choice: all; integer: words that may stand instead of a number (auto)
  std::vector<std::string> later;  // choice: known, but not available yet
  // choice: deprecated words, which are read with a note, and their names
  std::vector<std::pair<std::string, std::string>> former;
  std::function<std::optional<std::string>(const std::string&)>
      complaint;                // checked: what is wrong, if anything; map: with the name of an entry
  std::vector<Type> parts;      // list and map: the one element type; either: the alternatives
  std::size_t fewest = 0;       // list: elements
  std::string entry_name;       // map: what an entry's key is, for paths in the reference: <file>
  std::vector<Option> options;  // section
};

struct Option {
  std::string name;  // snake_case
  Type type;
  std::string description;      // one sentence, with its full stop
  std::string example{};        // a YAML value; must be valid
  std::string default_value{};  // the default as a YAML value, must be valid; empty: none
  bool required = false;
  bool available = true;  // false: documented, but refused as "not available yet"
  std::string unit{};
  std::string since = "0.1";
  std::vector<std::string> deprecated_names{};  // older names, still read, with a note that tells the new one
  std::vector<std::string> aliases{};           // other names, read as well, without a note
  // If it is not given, the `defaults` of the enclosing sections apply, the innermost first.
  bool inherited = false;
  std::string belongs_to{};  // an option: where the section gives that one, this one is neither inherited nor
                             // required
  // If the section gives one of these options, this one is not required.
  std::vector<std::string> implied_by{};
};

Type text();
Type flag();
Type integer(std::int64_t lowest, std::int64_t highest = std::int64_t{1} << 53);
Type integer_or(std::vector<std::string> words, std::int64_t lowest,
                std::int64_t highest = std::int64_t{1} << 53);
Type real(double lowest, double highest = std::numeric_limits<double>::infinity());
Type size();
// `complaint` says what is wrong with a text, or nothing.
Type checked(std::string expected, std::function<std::optional<std::string>(const std::string&)> complaint);
Type choice(std::vector<std::string> names, std::vector<std::string> later = {});
Type plain();
Type list(Type element, std::size_t fewest = 0);
Type map(std::string entry_name, Type element);
Type section(std::vector<Option> options);
Type joined_section(std::vector<std::vector<Option>> parts);  // the options of all parts, in order
Type either(std::vector<Type> alternatives);

// The same options, which may be inherited from `defaults` of an enclosing section.
std::vector<Option> inherited(std::vector<Option> options);
// The section `defaults` with these options: none is required there, and none has a default value.
Option defaults_option(std::string says, std::vector<Option> options);

// Asserts the spelling rules on all declarations below `root` (a section): names in snake_case and unique,
// sentences that start with a capital letter and end with a full stop, an example for every option that is
// not itself a section, examples and defaults that are valid. Throws Error(internal) that names the option.
void assert_well_declared(const Type& root);

}  // namespace tailrace::config
