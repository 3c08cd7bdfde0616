#include "handshake/ready/existing_files.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "config/problems.hpp"
#include "plan/series_clock.hpp"

namespace tailrace::handshake {
namespace {

std::string why(const settings::OutputEntry& file, const std::string& path, const model::Tick& begin) {
  if (file.if_exists)
    return fmt::format(
        "the file {} exists, and `if_exists: fail` does not allow it to be replaced; move it, or use "
        "`replace` "
        "or another path",
        path);
  return fmt::format(
      "the file {} exists, and this run begins at {} s of model time, so it may continue an earlier run, "
      "whose "
      "files are not replaced by default; expected another path, `if_exists: append` or `if_exists: replace`",
      path, begin.time);
}

class ExistingFiles {
 public:
  ExistingFiles(const plan::Plan& plan, const model::Tick& begin, const env::FileSystem& files)
      : plan_(plan), begin_(begin), files_(files) {}

  std::vector<plan::ContinuedAxes> all() {
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
    if (wanted == output::IfExists::replace || !format.makes_files()) return {};
    const std::string path = plan::first_path(file, plan_.calendar, begin_);
    if (files_.entry(path) == env::Entry::none) return {};
    if (wanted == output::IfExists::append) return append(file, format, path);
    if (file.entry.on_error != settings::OnError::skip) refuse(file, why(file.entry, path, begin_));
    return {};
  }

  plan::ContinuedAxes append(const plan::DatasetPlan& file, const output::Format& format,
                             const std::string& path) {
    std::string complaint;
    if (plan_.has_checkpoints) {
      refuse(file,
             fmt::format("the file {} exists, and a run with checkpoints cannot append to it yet; expected "
                         "another path, or no section `checkpoint`",
                         path));
      return {};
    }
    try {
      plan::Stays stays = plan::records_that_stay(file, plan_.calendar, begin_, format.existing_axes(path));
      for (const std::string& dropped : stays.dropped)
        base::log_warning(fmt::format("{} (if_exists: append): {}", path, dropped));
      return std::move(stays.axes);
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
    if (restored.is_empty || !format.makes_files()) return;
    const std::string path = restored.part.empty() ? file.entry.path : restored.part;
    const auto refuse = [&](const std::string& why) {
      problems_.add(file.entry.location, "output." + file.entry.path,
                    fmt::format("the file {} cannot continue from the checkpoint: {}", path, why));
    };
    if (!format.can_append()) return refuse(fmt::format("format \"{}\" cannot", file.entry.format));
    if (files_.entry(path) == env::Entry::none) return refuse("it no longer exists");
    try {
      const auto existing = format.existing_axes(path);
      for (std::size_t axis = 0; axis < file.axes.size(); ++axis) {
        const auto found = existing.find(file.axes[axis].dim);
        const std::int64_t records = found == existing.end() ? 0 : std::ssize(found->second.times);
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
  config::Problems problems_;
};

}  // namespace

std::vector<plan::ContinuedAxes> look_at_existing_files(const plan::Plan& plan, const model::Tick& begin,
                                                        const env::FileSystem& files) {
  return ExistingFiles(plan, begin, files).all();
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
