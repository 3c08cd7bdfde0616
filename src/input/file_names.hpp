// The files that an entry of the section `input` names: single names, globs, and templates of dates.
//
// A template has `{time:...}` with the format of a date (calendar/date_pattern.hpp), as often as it likes:
// "{time:%Y}/era5_{time:%Y%m}.nc". Its files are those that are there, in the order of their dates: how long
// a run goes on is not known when it begins. Years have four or five digits. A glob has `*`, `?` or `[...]`,
// in any part of the path but not across `/`; its files are in the order of their names. A template may
// contain `*` and `?` too. A name with
// "://" is a URL, and is left as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "env/file_system.hpp"

namespace tailrace::input {

// The fault in the form of a name, if there is one.
std::optional<std::string> file_name_complaint(const std::string& name);

bool is_url(const std::string& name);
bool is_glob(const std::string& name);    // not of a template
bool has_dates(const std::string& name);  // it is a template

// The paths of the files that are there: names in the order of the list, each once (of several places the
// last one). Relative names begin in `directory`; with an empty one in the working directory. Throws
// Error(resource) for a name that has no file, with what is there instead: the caller may ask again if
// files are awaited. REQUIRES: the names have no complaint.
std::vector<std::string> find_files(const std::vector<std::string>& names, const std::string& directory,
                                    const env::FileSystem& files);

// A stretch of model time, in seconds since the start of the run.
struct Stretch {
  double begin = 0.0, end = 0.0;
};

// The names that a template has for the dates of the stretch, in their order, each once. Throws
// Error(configuration) if the calendar has no dates, or if there are more than a million.
// REQUIRES: the template has no complaint, and no `*` or `?`.
std::vector<std::string> names_of_dates(const std::string& name, const Stretch& stretch,
                                        const calendar::Calendar& calendar);

}  // namespace tailrace::input
