#include "handshake/ready/existing_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/log.hpp"
#include "config/problems.hpp"
#include "env/place.hpp"
#include "plan/series_clock.hpp"
#include "settings/streams.hpp"

namespace tailrace::handshake {
namespace {

std::string why(const settings::OutputEntry& file, const std::string& path, const model::Tick& begin,
                bool has_checkpoints) {
  if (file.if_exists)
    return fmt::format(
        "the file {} exists, and `if_exists: fail` does not allow it to be replaced; move it, or use "
        "`replace` "
        "or another path",
        path);
  if (!file.writer()->makes_file(path))
    return fmt::format(
        "the store {} exists, and a store on an object store is not replaced by default; expected another "
        "name, `if_exists: append` or `if_exists: replace`",
        path);
  const char* expected =
      has_checkpoints
          ? "a checkpoint of that run for `checkpoint.restart`, another path or `if_exists: replace`"
          : "a section `checkpoint` in that run and in this one, which then goes on inside the files, "
            "another path, `if_exists: append` or `if_exists: replace`";
  return fmt::format(
      "the file {} exists, and this run begins at {} s of model time, so it may continue an earlier run, "
      "whose files are not replaced by default; expected {}",
      path, begin.time, expected);
}

bool is_there(const output::Format& format, const std::string& path, const env::FileSystem& files) {
  return format.makes_file(path) ? files.entry(path) != env::Entry::none : format.exists(path);
}

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code is_none;
  return std::filesystem::equivalent(one, other, is_none) && !is_none;
}

class ExistingFiles {
 public:
  ExistingFiles(const plan::Plan& plan, const model::Tick& begin, const env::FileSystem& files,
                const EarlierJobs& earlier)
      : plan_(plan), begin_(begin), files_(files), earlier_(earlier) {}

  std::vector<plan::ContinuedAxes> all() {
    if (!earlier_.original.empty()) check_series_of_original();
    std::vector<plan::ContinuedAxes> continued;
    for (const plan::DatasetPlan& file : plan_.files) continued.push_back(look(file));
    problems_.throw_if_any();
    return continued;
  }

 private:
  plan::ContinuedAxes look(const plan::DatasetPlan& file) {
    if (file.restored) {
      check_restored(file);
      return {};
    }
    const output::IfExists wanted = settings::if_exists(file.entry, begin_.time);
    const output::Format& format = *file.entry.writer();
    if (!format.makes_files() || file.entry.is_opened_by_model) return {};
    const std::string path = plan::first_path(file, plan_.calendar, begin_);
    if (!exists(file, format, path)) return {};
    if (wanted == output::IfExists::replace) {
      check_replaced(file, path);
      return {};
    }
    if (wanted == output::IfExists::append) return append(file, format, path);
    if (file.entry.on_error != settings::OnError::skip)
      refuse(file, why(file.entry, path, begin_, plan_.has_checkpoints));
    return {};
  }

  // An object store that gives no answer is reported with the other mistakes.
  bool exists(const plan::DatasetPlan& file, const output::Format& format, const std::string& path) {
    try {
      return is_there(format, path, files_);
    } catch (const Error& error) {
      if (file.entry.on_error != settings::OnError::skip) refuse(file, error.what());
      return false;
    }
  }

  void check_replaced(const plan::DatasetPlan& file, const std::string& path) {
    if (is_of_original(file, path)) return refuse(file, why_shared(path));
    if (!earlier_.begins_unasked || file.entry.if_exists || was_made_by_run(path)) return;
    refuse(file,
           fmt::format("the file {} exists, but there is no checkpoint in {} from which the run could go on "
                       "with it. It is not replaced, since no job of this run is known to have made it; "
                       "expected another path, `if_exists: replace`, or `checkpoint.restart: never` for a "
                       "run from the beginning",
                       path, earlier_.checkpoints));
  }

  bool was_made_by_run(const std::string& path) const {
    return earlier_.files.files.contains(path) || checkpoint::was_begun(earlier_.files, path);
  }

  // The name on an object store does not depend on the directory of the run.
  bool is_of_original(const plan::DatasetPlan& file, const std::string& path) const {
    if (earlier_.original.empty()) return false;
    return !file.entry.writer()->makes_file(path) ||
           is_same_file(std::filesystem::path(earlier_.original) / path, path);
  }

  std::string why_shared(const std::string& path) const {
    return fmt::format(
        "the file {} is also that of the run in {}, of which this directory is a copy, and this "
        "run would change it; expected a copy of the file, or another path",
        path, earlier_.original);
  }

  // Files of a series that begin after the checkpoint would be removed.
  void check_series_of_original() {
    const auto behind = checkpoint::begun_behind(files_, earlier_.files, earlier_.output, earlier_.step);
    for (const plan::DatasetPlan& file : plan_.files)
      for (const checkpoint::BegunBehind::Removed& one : behind.removed)
        if (one.file.series == file.entry.path && is_of_original(file, one.file.path))
          refuse(file, why_shared(one.file.path));
  }

  plan::ContinuedAxes append(const plan::DatasetPlan& file, const output::Format& format,
                             const std::string& path) {
    std::string complaint;
    if (plan_.has_checkpoints) {
      refuse(file,
             fmt::format(
                 "the file {} exists, and is none of those that the checkpoint of this run continues; a run "
                 "with checkpoints appends to no other file. Expected another path, `if_exists: replace`, or "
                 "no section `checkpoint`",
                 path));
      return {};
    }
    try {
      plan::RecordsToKeep keep =
          plan::records_to_keep(file, plan_.calendar, begin_, format.existing_axes(path));
      for (const std::string& dropped : keep.dropped)
        base::log_warning(fmt::format("{} (if_exists: append): {}", path, dropped));
      return std::move(keep.axes);
    } catch (const Error& error) {
      complaint = fmt::format("the file {} cannot be continued: {}", path, error.what());
    }
    if (file.entry.on_error != settings::OnError::skip) refuse(file, complaint);
    return {};
  }

  // The file must have at least the records that it had at the checkpoint; later ones are removed.
  void check_restored(const plan::DatasetPlan& file) {
    const plan::RestoredFile& restored = *file.restored;
    const output::Format& format = *file.entry.writer();
    if (!format.makes_files()) return;
    const std::string path = restored.part.empty() ? file.entry.path : restored.part;
    const auto refuse = [&](const std::string& why) {
      problems_.add(file.entry.location, "output." + file.entry.path,
                    fmt::format("the file {} cannot continue from the checkpoint: {}", path, why));
    };
    if (is_of_original(file, path)) return refuse(why_shared(path));
    if (restored.is_empty) return;
    if (!format.can_append()) return refuse(fmt::format("format \"{}\" cannot", file.entry.format));
    if (!exists(file, format, path)) return refuse("it no longer exists");
    try {
      const auto existing = format.existing_axes(path);
      for (std::size_t axis = 0; axis < file.axes.size(); ++axis) {
        const auto found = existing.find(file.axes[axis].dim);
        const std::int64_t records =
            found == existing.end() ? 0 : static_cast<std::int64_t>(found->second.records());
        if (records < restored.records[axis])
          refuse(fmt::format("it has {} records of {}, and had {} at the checkpoint", records,
                             file.axes[axis].dim, restored.records[axis]));
        else if (records > restored.records[axis])
          base::log_info(fmt::format("{}: removing {} records of {} after the checkpoint", path,
                                     records - restored.records[axis], file.axes[axis].dim));
      }
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  void refuse(const plan::DatasetPlan& file, const std::string& why) {
    const bool is_asked_for = file.entry.if_exists_location.line > 0;
    problems_.add(is_asked_for ? file.entry.if_exists_location : file.entry.location,
                  "output." + file.entry.path + (is_asked_for ? ".if_exists" : ""), why);
  }

  const plan::Plan& plan_;
  const model::Tick& begin_;
  const env::FileSystem& files_;
  const EarlierJobs& earlier_;
  config::Problems problems_;
};

}  // namespace

std::vector<plan::ContinuedAxes> look_at_existing_files(const plan::Plan& plan, const model::Tick& begin,
                                                        const env::FileSystem& files,
                                                        const EarlierJobs& earlier) {
  return ExistingFiles(plan, begin, files, earlier).all();
}

std::vector<std::string> places_of_file(const plan::Plan& plan, const std::string& name) {
  std::vector<std::string> places;
  for (const plan::DatasetPlan& file : plan.files)
    if (file.entry.is_opened_by_model)
      places.push_back(env::place_of(settings::opened_path(file.entry, name)));
  return places;
}

std::optional<base::Fault> obstacle_to_file(const plan::Plan& plan, const std::string& name,
                                            const std::set<std::string>& opened) {
  const auto refuse = [&](ErrorCode code, const std::string& why) {
    return base::Fault{code, fmt::format("open_file of \"{}\": {}", name, why)};
  };
  if (name.empty()) return refuse(ErrorCode::usage, "expected the path of a file");
  bool has_any = false;
  for (const plan::DatasetPlan& file : plan.files) {
    if (!file.entry.is_opened_by_model) continue;
    has_any = true;
    const output::Format& format = *file.entry.writer();
    const bool may_replace = file.entry.if_exists == output::IfExists::replace;
    const std::string path = settings::opened_path(file.entry, name);
    if (opened.contains(env::place_of(path)))
      return refuse(ErrorCode::resource,
                    fmt::format("this run has opened {} already; expected another name", path));
    if (may_replace || !format.makes_files() || !is_there(format, path, env::system_files())) continue;
    return refuse(
        ErrorCode::resource,
        fmt::format("{} exists, and is not replaced; expected another name, or `if_exists: replace` "
                    "at {}  output.{}",
                    path, file.entry.location.text(), file.entry.path));
  }
  if (has_any) return std::nullopt;
  return refuse(
      ErrorCode::usage,
      "no file of the stream is opened by the model; expected an entry of `output` with `{file}` in "
      "its name, such as \"{file}\"");
}

std::vector<plan::ExistingFills> fills_of_existing_files(const plan::Plan& plan, const model::Tick& begin,
                                                         const std::vector<plan::ContinuedAxes>& continued) {
  std::vector<plan::ExistingFills> fills;
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    const plan::DatasetPlan& file = plan.files[f];
    plan::ExistingFills& of_file = fills.emplace_back();
    const bool is_restored = file.restored && !file.restored->is_empty && file.entry.writer()->makes_files();
    if (is_restored)
      of_file = file.entry.writer()->existing_fills(file.restored->part.empty() ? file.entry.path
                                                                                : file.restored->part);
    else if (!continued[f].empty())
      of_file = file.entry.writer()->existing_fills(plan::first_path(file, plan.calendar, begin));
  }
  return fills;
}

void put_fills(base::ByteWriter& writer, const std::vector<plan::ExistingFills>& fills) {
  writer.put(static_cast<std::int64_t>(fills.size()));
  for (const plan::ExistingFills& of_file : fills) {
    writer.put(static_cast<std::int64_t>(of_file.size()));
    for (const auto& [name, fill] : of_file) {
      writer.put_text(name);
      writer.put(fill.number);
      writer.put(fill.whole);
    }
  }
}

std::vector<plan::ExistingFills> get_fills(base::ByteReader& reader) {
  std::vector<plan::ExistingFills> fills;
  for (auto files = reader.get<std::int64_t>(); files > 0; --files) {
    plan::ExistingFills& of_file = fills.emplace_back();
    for (auto count = reader.get<std::int64_t>(); count > 0; --count) {
      model::FillValue& fill = of_file[reader.get_text()];
      fill.number = reader.get<double>();
      fill.whole = reader.get<std::int64_t>();
    }
  }
  return fills;
}

void put_continued(base::ByteWriter& writer, const std::vector<plan::ContinuedAxes>& continued) {
  writer.put(static_cast<std::int64_t>(continued.size()));
  for (const plan::ContinuedAxes& axes : continued) {
    writer.put(static_cast<std::int64_t>(axes.size()));
    for (const time::Continued& axis : axes) {
      writer.put(axis.records);
      writer.put(static_cast<std::int64_t>(axis.has_begin));
    }
  }
}

std::vector<plan::ContinuedAxes> get_continued(base::ByteReader& reader) {
  std::vector<plan::ContinuedAxes> continued;
  for (auto files = reader.get<std::int64_t>(); files > 0; --files) {
    plan::ContinuedAxes& axes = continued.emplace_back();
    for (auto count = reader.get<std::int64_t>(); count > 0; --count) {
      time::Continued axis;
      axis.records = reader.get<std::int64_t>();
      axis.has_begin = reader.get<std::int64_t>() != 0;
      axes.push_back(axis);
    }
  }
  return continued;
}

}  // namespace tailrace::handshake
