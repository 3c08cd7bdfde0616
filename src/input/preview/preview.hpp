// Tells before a job, for `tailrace check`, what the servers will read of input: from the headers of the
// files.
#pragma once

#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "input/options.hpp"
#include "input/preview/coverage.hpp"
#include "model/declarations.hpp"

namespace tailrace::input {

struct PreviewContext {
  calendar::Calendar calendar;
  std::string folder;     // with the program tailrace_read_netcdf
  std::string directory;  // in which relative names of files begin
  std::string weights;    // the cache directory of regridding
};

struct FieldPreview {
  std::string name = {};
  std::string variable = {};  // "tos(time, lat, lon) of int16"; with declarations the name alone
  Coverage coverage = {};
  std::string regridded = {};  // from which cells to which, and how; empty: it is not asked for
  double record_bytes = 0.0;   // over the whole grid, as they travel; without declarations, as in the files
  double held_records = 0.0;   // by the servers together, ahead of the model and at its time
  bool is_read_once = false;
  std::vector<std::string> warnings = {};
};

struct EntryPreview {
  const Entry* entry = nullptr;  // of the options
  std::string awaited = {};      // why its files are not there yet, if `wait_for` allows that
  std::vector<std::string> files = {};
  std::vector<FieldPreview> fields = {};
};

// Opens all files of the entry in the process that reads them; blocks. Files that a job may wait for need
// not be there. Throws Error(configuration) with a
// line for each field that cannot work, which begins with its place in the configuration and names file and
// variable.
EntryPreview preview_of(const Entry& entry, const PreviewContext& context);
// The same for the fields of these indices in the declarations, one or more, with all that a run checks in
// `ready`.
EntryPreview preview_of(const Entry& entry, const std::vector<int>& fields,
                        const model::Declarations& declarations, const PreviewContext& context);

// A tree of lines with times, volumes and memory; empty without entries. `memory`: the bound of all servers
// together in bytes; 0: not known.
std::string describe(const std::vector<EntryPreview>& entries, const calendar::Calendar& calendar,
                     double memory);

}  // namespace tailrace::input
