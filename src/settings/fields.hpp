// `fields:`, what the model is asked for, in groups.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/placeholders.hpp"
#include "config/section.hpp"
#include "time/options.hpp"

namespace tailrace::settings {

struct ListedName {  // where a section names a field
  std::string name;
  config::Location location;
};

struct FieldGroup {  // an entry under `fields:`
  std::string name;
  time::Period every = time::Period::of_steps(1);
  config::Location every_location;   // line 0: not given, or it holds a `{name}` that is not filled in
  std::vector<ListedName> fields{};  // with the namespace in front
  std::vector<std::string> dims{};   // of these fields, slowest first; none: as the model names them
  bool optional = false;     // fields that the model does not declare are left out, with what needs them
  bool also_at_end = false;  // what the model put last becomes a record at the end of the run
  bool once = false;         // fixed fields, put once; `every` is then never
};

// Checks that no field is listed twice, and the calendar of its periods.
config::Section<std::vector<FieldGroup>> fields_section();

// No step can meet months or years without a calendar.
void check_months(const time::Period& period, const config::Location& where, const std::string& path,
                  const config::Sections& all, config::Problems& problems);

// Hints about names that are not among the known fields; finds `scalar.vwp` for `vwp`, too. Only the first
// few names get one: to search takes long, and who misspelt all names needs no list of them.
class FieldHints {
 public:
  static constexpr int most = 20;

  explicit FieldHints(std::vector<std::string> known) : known_(std::move(known)) {}
  std::string about(const std::string& name);

 private:
  std::vector<std::string> known_;
  int given_ = 0;
};

// What other sections may name: the fields of all groups, and diagnostics.
class ListedNames {
 public:
  explicit ListedNames(const config::Sections& all);
  // Adds a problem where the name is not listed; not if any name holds a `{name}` that is not filled in.
  void expect(const ListedName& name, const std::string& path, config::Problems& problems);
  // The same where no name is like the pattern.
  void expect_like(const ListedName& pattern, const std::string& path, config::Problems& problems);

 private:
  std::string hint(const std::string& name);
  void add(const std::string& name);

  std::unordered_set<std::string> names_;
  bool any_open_ = false;
  std::optional<FieldHints> hints_;  // from the first name that is not listed
};

// Whether the name, with or without its namespace, is like the pattern (`*`, `?`).
bool is_like(const std::string& name, const std::string& pattern);

using config::is_open;

}  // namespace tailrace::settings
