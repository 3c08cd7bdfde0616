#include "settings/name_checks.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "settings/file_name.hpp"
#include "time/model_time.hpp"
#include "time/ruler.hpp"

namespace tailrace::settings {
namespace {

using config::Problems;

constexpr int files_compared = 400;  // per series: more than a year has days

struct Maker {
  const OutputEntry* file;
  std::string from;  // where the file begins, as text; empty if there is only one file
};

std::string in_words(const FileLimits& limits, const calendar::Calendar& calendar) {
  if (limits.in_steps) return fmt::format("step {}", limits.start_step);
  if (!calendar.has_months()) return fmt::format("{} s", limits.start);
  return calendar::format_date(calendar.date_of(limits.start));
}

class NameChecks {
 public:
  NameChecks(const calendar::Calendar& calendar, Problems& problems)
      : calendar_(calendar), problems_(problems) {}

  void check(const OutputEntry& file) {
    std::optional<FileName> name;
    try {
      name.emplace(file.path);
    } catch (const Error& error) {
      add(file, error.what());
    }
    if (!name) return;
    if (!name->has_limits()) return claim(file.path, {&file, ""});
    const bool in_steps = file.file_period().kind() == time::PeriodKind::steps;
    if (!file.has_many_files() && name->has_end())
      return add(
          file,
          "`{end}` is known only where files end; expected `new_file_every` with it, or `{start}` alone");
    if (name->has_dates() && (!calendar_.has_months() || (file.has_many_files() && in_steps)))
      return add(
          file,
          fmt::format("a limit with a form is a date, and {}; expected `{{start}}` or `{{end}}` alone",
                      calendar_.has_months() ? "these files end by steps" : "`model_time.calendar` is none"));
    if (file.has_many_files() && !file.file_period().is_never()) claim_series(file, *name);
  }

 private:
  void add(const OutputEntry& file, const std::string& what) {
    problems_.add(file.location, "output." + file.path, what);
  }

  void claim_series(const OutputEntry& file, const FileName& name) {
    const time::Period& every = file.file_period();
    const time::Ruler ruler(every, calendar_);
    const std::int64_t first = ruler.place({0, 0.0}).index;
    for (std::int64_t index = first; index < first + files_compared; ++index) {
      FileLimits limits;
      limits.in_steps = every.kind() == time::PeriodKind::steps;
      if (limits.in_steps) {
        limits.start_step = index * every.count();
        limits.end_step = (index + 1) * every.count();
      } else {
        limits.start = ruler.edge(index);
        limits.end = ruler.edge(index + 1);
      }
      claim(name.of(limits, calendar_), {&file, in_words(limits, calendar_)});
      if (told_) return;
    }
  }

  void claim(const std::string& path, const Maker& maker) {
    const auto [other, fresh] =
        made_.try_emplace(std::filesystem::path(path).lexically_normal().string(), maker);
    told_ = !fresh && (!maker.from.empty() || !other->second.from.empty());  // else check_paths tells it
    if (!told_) return;
    if (other->second.file == maker.file)
      add(*maker.file,
          fmt::format(
              "the files from {} and from {} would both be called {}; expected a name that tells them "
              "apart, by more of `{{start}}` or `{{end}}`",
              other->second.from, maker.from, path));
    else
      add(*maker.file, fmt::format("{} would be a file of \"{}\" at {} too; give each its own name", path,
                                   other->second.file->path, other->second.file->location.text()));
  }

  const calendar::Calendar& calendar_;
  Problems& problems_;
  std::map<std::string, Maker> made_;
  bool told_ = false;
};

}  // namespace

void check_file_names(const std::vector<OutputEntry>& files, const config::Sections& all,
                      Problems& problems) {
  if (!all.is_sound("model_time") || problems.touch("output") || problems.touch("model_time")) return;
  const auto& model_time = all.get<time::ModelTime>();
  const calendar::Calendar calendar(model_time.calendar, model_time.start);
  NameChecks checks(calendar, problems);
  for (const OutputEntry& file : files) checks.check(file);
}

}  // namespace tailrace::settings
