#include "cf/volume.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "base/text_tree.hpp"
#include "cf/layout.hpp"
#include "output/assembly.hpp"

namespace tailrace::cf {
namespace {

constexpr double day = 86400.0, hour = 3600.0;
constexpr double month = 365.2425 / 12.0 * day;  // on average

// Sizes by steps and by time can be added only if the length of a step is known.
struct Volume {
  double by_day = 0.0;    // bytes for a day of model time
  double by_steps = 0.0;  // bytes for 1000 steps

  Volume& operator+=(const Volume& other) {
    by_day += other.by_day;
    by_steps += other.by_steps;
    return *this;
  }
};

double size_of(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), 1.0, [](double product, std::int64_t extent) {
    return product * static_cast<double>(extent);
  });
}

Volume volume_of(const plan::AxisPlan& axis, double record_bytes) {
  if (axis.kind == time::AxisKind::at_end || axis.every.is_never() || axis.cycle != time::Cycle::none)
    return {};
  const auto count = static_cast<double>(axis.every.count());
  switch (axis.every.kind()) {
    case time::PeriodKind::steps: return {.by_steps = 1000.0 / count * record_bytes};
    case time::PeriodKind::months: return {.by_day = day / (count * month) * record_bytes};
    case time::PeriodKind::seconds: break;
  }
  return {.by_day = day / axis.every.seconds() * record_bytes};
}

Volume by_day(Volume volume, const std::optional<Speed>& speed) {
  if (speed && speed->model_seconds > 0.0) {
    volume.by_day += volume.by_steps / 1000.0 * speed->steps / speed->model_seconds * day;
    volume.by_steps = 0.0;
  }
  return volume;
}

std::string words_of(Volume volume, const std::optional<Speed>& speed) {
  volume = by_day(volume, speed);
  std::vector<std::string> words;
  if (volume.by_day > 0.0)
    words.push_back(fmt::format("{} a day of model time", base::bytes_text(volume.by_day)));
  if (volume.by_steps > 0.0)
    words.push_back(fmt::format("{} in 1000 steps", base::bytes_text(volume.by_steps)));
  if (words.empty()) return "written once";
  std::string text = fmt::format("{}", fmt::join(words, " and "));
  if (!speed) return text;
  const double by_second =
      volume.by_day / day * speed->model_seconds + volume.by_steps / 1000.0 * speed->steps;
  return text + fmt::format(", {} an hour of wall clock", base::bytes_text(by_second * hour));
}

// The number of files that its records fill. `cells`: of a file.
Volume files_of(const plan::AxisPlan& axis, const VariableLayout& variable,
                const std::vector<std::int64_t>& cells) {
  if (cells.empty()) return {};
  double files = 1.0 / static_cast<double>(cells[0]);
  for (std::size_t d = 0; d < variable.shape.size(); ++d)
    files *= std::ceil(static_cast<double>(variable.shape[d]) / static_cast<double>(cells[d + 1]));
  return volume_of(axis, files);
}

constexpr double many_files = 10000.0;

// A line for formats that make many files of a dataset; empty for others.
std::vector<base::TextTree> describe_files(const plan::DatasetPlan& file, Volume files,
                                           const std::optional<Speed>& speed) {
  const output::Format* format = file.entry.writer();
  files = by_day(files, speed);
  const bool are_many = files.by_day > many_files || files.by_steps > many_files;
  std::vector<std::string> words;
  if (files.by_day > 0.0) words.push_back(fmt::format("{:.6g} a day of model time", files.by_day));
  if (files.by_steps > 0.0) words.push_back(fmt::format("{:.6g} in 1000 steps", files.by_steps));
  if (words.empty() || format == nullptr) return {};
  return {{fmt::format("{}files: {}{}", are_many ? "warning: " : "", fmt::join(words, " and "),
                       are_many ? fmt::format("; file systems become slow with so many: expected {}",
                                              format->how_to_make_fewer_files())
                                : "")}};
}

constexpr double long_wait = 300.0;  // seconds

// Seconds of wall clock between two commits; 0 if that is not known.
double seconds_between_commits(const time::Period& period, const Speed& speed) {
  const auto count = static_cast<double>(period.count());
  double seconds = 0.0;
  switch (period.kind()) {
    case time::PeriodKind::steps: seconds = count / speed.steps; break;
    case time::PeriodKind::months: seconds = count * month / speed.model_seconds; break;
    case time::PeriodKind::seconds: seconds = period.seconds() / speed.model_seconds; break;
  }
  return std::isfinite(seconds) ? seconds : 0.0;
}

// A line where a kill without warning would cost much: everything since the last commit.
std::vector<base::TextTree> describe_commits(const settings::OutputEntry& entry, Volume volume,
                                             const std::optional<Speed>& speed) {
  if (entry.write_every_location.line == 0) return {};
  const std::string where = entry.write_every_location.text();
  const char* remedy = entry.series ? "expected `new_file_every` in its place, which commits in between"
                                    : "expected a shorter one, or none: then once a minute";
  if (entry.write_every.is_never())
    return {
        {fmt::format("warning: {}: `write_every: never` commits only at the end of a file: a job that is "
                     "killed loses all its records; {}",
                     where, remedy)}};
  const double wait = speed ? seconds_between_commits(entry.write_every, *speed) : 0.0;
  if (wait <= long_wait) return {};
  const double bytes =
      wait * (volume.by_day / day * speed->model_seconds + volume.by_steps / 1000.0 * speed->steps);
  const std::string span =
      wait < hour ? fmt::format("{:.0f} min", wait / 60.0) : fmt::format("{:.3g} h", wait / hour);
  return {
      {fmt::format("warning: {}: `write_every: {}` commits once in {} of wall clock: a job that is killed "
                   "loses up to {}; {}",
                   where, entry.write_every.length(), span, base::bytes_text(bytes), remedy)}};
}

// `file`: the part that is a file, in cells; a shard where it holds more than a chunk.
base::TextTree describe_chunk(const VariableLayout& variable, const plan::VariablePlan& plan,
                              const std::vector<std::int64_t>& file) {
  std::vector<std::int64_t> shape{variable.records_per_chunk};
  shape.insert(shape.end(), variable.chunk.begin(), variable.chunk.end());
  const std::string in_shards =
      file.empty() || file == shape
          ? ""
          : fmt::format(", in shards of {}, {}", fmt::join(file, " x "),
                        base::bytes_text(size_of(file) * static_cast<double>(model::size_of(plan.type))));
  const double bytes = size_of(shape) * static_cast<double>(model::size_of(plan.type));
  const bool is_compressed = plan.codec.codec != "none";
  return {fmt::format(
      "{}: chunks of {}, {}{}{}", plan.name, fmt::join(shape, " x "), base::bytes_text(bytes), in_shards,
      is_compressed ? fmt::format(" before {} of level {}", plan.codec.codec, plan.codec.level) : "")};
}

}  // namespace

std::string describe_volume(const plan::Plan& plan, const settings::Configuration& configuration,
                            const model::Declarations& declarations, const std::optional<Speed>& speed) {
  if (plan.files.empty()) return "";
  Volume total;
  std::vector<base::TextTree> branches;
  for (const plan::DatasetPlan& file : plan.files) {
    const DatasetLayout layout = make_layout(file, configuration, declarations, {}, "");
    Volume volume, files;
    base::TextTree branch;
    for (const VariableLayout& variable : layout.variables) {
      if (variable.plan < 0) continue;
      const plan::VariablePlan& planned = file.variables[base::index(variable.plan)];
      if (planned.axis < 0) continue;
      const double bytes = size_of(variable.shape) * static_cast<double>(model::size_of(planned.type));
      volume += volume_of(file.axes[base::index(planned.axis)], bytes);
      const output::Format* const format = file.entry.writer();
      const auto cells =
          format == nullptr ? std::vector<std::int64_t>() : cells_of_file(*format, layout.dataset, variable);
      files += files_of(file.axes[base::index(planned.axis)], variable, cells);
      branch.below.push_back(describe_chunk(variable, planned, cells));
    }
    for (base::TextTree& line : describe_commits(file.entry, volume, speed))
      branch.below.push_back(std::move(line));
    for (base::TextTree& line : describe_files(file, files, speed)) branch.below.push_back(std::move(line));
    total += volume;
    branch.text = fmt::format("{}: {}", file.entry.path, words_of(volume, speed));
    branches.push_back(std::move(branch));
  }
  return fmt::format("volume, not compressed: {}\n", words_of(total, speed)) + base::drawn(branches);
}

}  // namespace tailrace::cf
