// The section `fields`: groups of fields that the model is asked for.
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

struct ListedName {  // a field that a section names
  std::string name;
  config::Location location;
};

struct FieldGroup {  // an entry under `fields:`
  std::string name;
  time::Period every = time::Period::of_steps(1);
  config::Location every_location;   // line 0: not given, or it contains a placeholder
  std::vector<ListedName> fields{};  // with the namespace in front
  std::vector<std::string> dims{};   // of these fields, slowest first; empty: as the model names them
  bool optional =
      false;  // fields that the model does not declare are left out, with everything that needs them
  bool also_at_end = false;  // the last values become a record at the end of the run
  bool once = false;         // fixed fields, put once; `every` is then never
};

// Checks that no field is listed twice, and that the calendar has the periods.
config::Section<std::vector<FieldGroup>> fields_section();

// Months and years need a calendar.
void check_months(const time::Period& period, const config::Location& where, const std::string& path,
                  const config::Sections& all, config::Problems& problems);

// Suggests known fields for unknown names; finds `scalar.vwp` for `vwp`, too. Only the first few names get a
// hint, since the search is slow and a long list of hints helps nobody.
class FieldHints {
 public:
  static constexpr int most = 20;

  explicit FieldHints(std::vector<std::string> known) : known_(std::move(known)) {}
  std::string about(const std::string& name);

 private:
  std::vector<std::string> known_;
  int given_ = 0;
};

// The names that other sections may use: the fields of all groups, and diagnostics.
class ListedNames {
 public:
  explicit ListedNames(const config::Sections& all);
  // Adds a problem if the name is not listed, unless a listed name contains a placeholder.
  void expect(const ListedName& name, const std::string& path, config::Problems& problems);
  // The same for a pattern that matches no name.
  void expect_like(const ListedName& pattern, const std::string& path, config::Problems& problems);

 private:
  std::string hint(const std::string& name);
  void add(const std::string& name);

  std::unordered_set<std::string> names_;
  bool any_open_ = false;
  std::optional<FieldHints> hints_;  // from the first name that is not listed
};

// True for a name with `*` or `?`, which stands for the fields that the model declares and that are like it.
bool is_pattern(const std::string& name);
// True if the name, with or without its namespace, matches the pattern (`*`, `?`).
bool is_like(const std::string& name, const std::string& pattern);

using config::is_open;

}  // namespace tailrace::settings
