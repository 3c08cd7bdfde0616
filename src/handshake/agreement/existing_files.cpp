#include "handshake/agreement/existing_files.hpp"

#include <fmt/format.h>

#include "config/problems.hpp"
#include "output/dataset.hpp"
#include "plan/series_clock.hpp"

namespace tailrace::handshake {
namespace {

std::string why(const settings::FileEntry& file, const std::string& path, const model::Tick& begin) {
  if (file.if_exists)
    return fmt::format(
        "the file {} exists; expected none of this name, as `if_exists: fail` says: move it, or write "
        "`replace` "
        "or another path",
        path);
  return fmt::format(
      "the file {} exists, and this run begins at {} s of model time: a run that goes on where another one "
      "ended "
      "replaces nothing silently; expected another path, or `if_exists: replace`",
      path, begin.time);
}

bool is_kept(const plan::FilePlan& file, const model::Tick& begin) {
  const settings::FileEntry& entry = file.entry;
  return settings::if_exists(entry, begin.time) == output::IfExists::fail &&
         entry.on_error != settings::OnError::skip && output::find_format(entry.format)->makes_files();
}

}  // namespace

void refuse_existing_files(const plan::Plan& plan, const model::Tick& begin, const env::FileSystem& files) {
  config::Problems problems;
  for (const plan::FilePlan& file : plan.files) {
    if (!is_kept(file, begin)) continue;
    const std::string path = plan::first_path(file, plan.calendar, begin);
    if (files.entry(path) == env::Entry::none) continue;
    const bool is_asked_for = file.entry.if_exists_location.line > 0;
    problems.add(is_asked_for ? file.entry.if_exists_location : file.entry.location,
                 "output." + file.entry.path + (is_asked_for ? ".if_exists" : ""),
                 why(file.entry, path, begin));
  }
  problems.throw_if_any();
}

}  // namespace tailrace::handshake
