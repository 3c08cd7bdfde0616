#include "session/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/nearest_name.hpp"
#include "config/placeholders.hpp"

namespace tailrace::session {
namespace {

bool is_open(const std::string& text) { return !config::placeholders_in(std::string_view(text)).empty(); }

class ConsistencyCheck {
 public:
  ConsistencyCheck(const Configuration& configuration, config::Problems& problems)
      : configuration_(configuration), problems_(problems) {}

  void run() {
    check_paths();
    check_series();
    check_calendar();
    collect_fields();
    collect_diagnostics();
    if (problems_.touch("fields")) return;  // what hangs on them would only repeat the mistake
    const bool groups_are_wrong = problems_.touch("groups");
    check_group_members();
    check_targets(groups_are_wrong);
  }

 private:
  void check_paths() {
    std::map<std::string, const FileEntry*> seen;
    for (const FileEntry& file : configuration_.files) {
      const std::string path = std::filesystem::path(file.path).lexically_normal().string();
      const auto [first, fresh] = seen.try_emplace(path, &file);
      if (!fresh)
        problems_.add(file.location, "output." + file.path,
                      fmt::format("is the same file as \"{}\" at {}", first->second->path,
                                  first->second->location.text()));
    }
  }

  void check_series() {
    for (const FileEntry& file : configuration_.files)
      for (const VariableEntry& variable : file.variables)
        if (file.series && !variable.chunk.empty() && variable.chunk.front() > 1)
          problems_.add(
              variable.chunk_location, variable.config_path + ".chunk",
              fmt::format("a chunk of a series holds one record, since any may be the first of a file; "
                          "expected 1 along \"records\", but got {}",
                          variable.chunk.front()));
  }

  void check_calendar() {
    if (problems_.touch("time")) return;
    for (const FieldGroup& group : configuration_.field_groups)
      check_months(group.every, group.every_location, "fields." + group.name + ".every");
    for (const FileEntry& file : configuration_.files) {
      check_months(file.write_every, file.write_every_location, "output." + file.path + ".write_every");
      for (const VariableEntry& variable : file.variables)
        check_months(variable.every, variable.every_location, variable.config_path + ".every");
    }
  }

  void check_months(const time::Period& period, const config::Location& where, const std::string& path) {
    if (period.kind() != time::PeriodKind::months || configuration_.calendar_name != "none" ||
        where.line == 0)
      return;
    problems_.add(
        where, path,
        fmt::format("no step can meet \"{}\": months and years need a calendar, and `time.calendar` is none",
                    period.sentence()));
  }

  void collect_fields() {
    std::map<std::string, config::Location> seen;
    for (const FieldGroup& group : configuration_.field_groups) {
      for (const auto& [name, where] : group.fields) {
        const auto [first, fresh] = seen.try_emplace(name, where);
        if (fresh)
          listed_.push_back(name);
        else
          problems_.add(where, "fields." + group.name + ".names",
                        fmt::format("\"{}\" is listed twice under `fields`; the first is at {}", name,
                                    first->second.text()));
      }
    }
  }

  void collect_diagnostics() {
    for (const DiagnosticEntry& diagnostic : configuration_.diagnostics) listed_.push_back(diagnostic.name);
  }

  void check_group_members() {
    for (const auto& [group, members] : configuration_.groups)
      for (const auto& [name, where] : members) check_field(name, where, "groups." + group);
  }

  void check_targets(bool groups_are_wrong) {
    std::vector<std::string> groups;
    for (const auto& [name, members] : configuration_.groups) groups.push_back(name);
    for (const FileEntry& file : configuration_.files) {
      for (const VariableEntry& variable : file.variables) {
        if (!variable.field.empty())
          check_field(variable.field, variable.target_location, variable.config_path + ".field");
        if (variable.group.empty() || is_open(variable.group) || groups_are_wrong) continue;
        if (!configuration_.groups.contains(variable.group))
          problems_.add(variable.target_location, variable.config_path + ".group",
                        fmt::format("\"{}\" is not among the `groups`.{}", variable.group,
                                    base::name_hint(variable.group, groups)));
      }
    }
  }

  void check_field(const std::string& name, const config::Location& where, const std::string& path) {
    const bool open = is_open(name) || std::any_of(listed_.begin(), listed_.end(), is_open);
    if (open || std::find(listed_.begin(), listed_.end(), name) != listed_.end()) return;
    problems_.add(
        where, path,
        fmt::format("\"{}\" is neither listed under `fields`, so that the model is asked for it, nor under "
                    "`diagnostics`.{}",
                    name, field_hint(name, listed_)));
  }

  const Configuration& configuration_;
  config::Problems& problems_;
  std::vector<std::string> listed_;
};

}  // namespace

void check_consistency(const Configuration& configuration, config::Problems& problems) {
  ConsistencyCheck(configuration, problems).run();
}

std::string field_hint(const std::string& name, const std::vector<std::string>& known) {
  for (const std::string& candidate : known)
    if (candidate.ends_with("." + name)) return fmt::format(" Did you mean \"{}\"?", candidate);
  return base::name_hint(name, known);
}

}  // namespace tailrace::session
