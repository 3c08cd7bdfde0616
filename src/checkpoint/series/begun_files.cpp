#include "checkpoint/series/begun_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "checkpoint/series/list_name.hpp"

namespace tailrace::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

std::string list_path(const std::string& checkpoints) { return checkpoints + "/" + run_files_name; }

std::string text_of(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_json(const BegunFile& file) {
  Json json{{"path", file.path}, {"behind", file.behind}};
  if (!file.series.empty()) json["series"] = file.series;
  return json;
}

std::string full(const std::string& path, const OutputOfRun& output) {
  return (std::filesystem::path(output.directory) / path).lexically_normal().string();
}

// Whether a file of this series may have this path. Limits and numbers are not compared.
bool may_be_of(const std::string& series, const std::string& path) {
  const std::size_t dot = std::min(series.rfind('.'), series.size());
  const std::size_t open = series.find('{'), close = series.rfind('}');
  const bool has_limits = open != std::string::npos && close != std::string::npos;
  const std::string before = series.substr(0, has_limits ? open : dot);
  const std::string after = series.substr(has_limits ? close + 1 : dot);
  return path.size() >= before.size() + after.size() && path.starts_with(before) && path.ends_with(after);
}

// Why a file of the list is not one that this run may remove; empty: it is.
std::string why_it_stays(const env::FileSystem& files, const BegunFile& file, const std::string& path,
                         const OutputOfRun& output) {
  bool is_ours = false;
  for (const std::string& series : output.series)
    if (file.series.empty() || file.series == series)
      is_ours = is_ours || may_be_of(full(series, output), path);
  if (!is_ours)
    return file.series.empty() ? "this run writes no series with files of this name"
                               : fmt::format("this run does not write the series {} there", file.series);
  return files.entry(path) == env::Entry::file ? "" : "it is not a file";
}

bool is_behind(const BegunFile& file, std::optional<std::int64_t> step) {
  return !step || file.behind >= *step;
}

void read_line(const std::string& line, RunFiles& run) {
  const Json json = Json::parse(line);
  if (const auto directory = json.find("run"); directory != json.end()) {
    directory->get_to(run.directory);
  } else if (const auto file = json.find("file"); file != json.end()) {
    run.files.insert(file->get<std::string>());
  } else {
    run.begun.push_back({json.at("path").get<std::string>(), json.value("series", std::string()),
                         json.at("behind").get<std::int64_t>()});
  }
}

void write_list(env::FileSystem& files, const std::string& checkpoints, const RunFiles& run) {
  std::string text;
  if (!run.directory.empty()) text += text_of({{"run", run.directory}});
  for (const std::string& file : run.files) text += text_of({{"file", file}});
  for (const BegunFile& file : run.begun) text += text_of(to_json(file));
  files.write(list_path(checkpoints), text);
}

void try_to_remove(env::FileSystem& files, const std::string& path) {
  try {
    files.remove(path);
    base::log_warning(
        fmt::format("{} is removed: it begins after the checkpoint from which the run continues", path));
  } catch (const Error& error) {
    base::log_warning(
        fmt::format("{} begins after the checkpoint, but cannot be removed: {}", path, error.what()));
  }
}

}  // namespace

void note_begun(env::FileSystem& files, const std::string& checkpoints, const BegunFile& file) {
  files.append(list_path(checkpoints), text_of(to_json(file)));
}

void note_output(env::FileSystem& files, const std::string& checkpoints, const OutputOfRun& output) {
  std::string text = text_of({{"run", output.directory}});
  for (const std::string& file : output.files) text += text_of({{"file", file}});
  files.append(list_path(checkpoints), text);
}

RunFiles read_run_files(const env::FileSystem& files, const std::string& checkpoints) {
  RunFiles run;
  const std::string list = list_path(checkpoints);
  if (!files.exists(list)) return run;
  run.exists = true;
  const std::string text = files.read(list);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    try {
      read_line(line, run);
    } catch (const Json::exception&) {
      const bool is_last = lines.eof();  // it has no end
      run.unreadable += is_last ? 0 : 1;
    }
  }
  return run;
}

bool was_begun(const RunFiles& run, const std::string& path) {
  const std::string name = std::filesystem::path(path).lexically_normal().string();
  return std::ranges::any_of(run.begun, [&](const BegunFile& file) {
    return std::filesystem::path(file.path).lexically_normal() == name ||
           (file.series.empty() && file.path.ends_with("/" + name));
  });
}

BegunBehind begun_behind(const env::FileSystem& files, const RunFiles& run, const OutputOfRun& output,
                         std::optional<std::int64_t> step) {
  BegunBehind found;
  for (const BegunFile& file : run.begun) {
    const std::string path = full(file.path, output);
    if (!is_behind(file, step) || files.entry(path) == env::Entry::none) continue;
    const std::string why = why_it_stays(files, file, path, output);
    if (why.empty())
      found.removed.push_back({file, path});
    else
      found.stay.push_back(
          fmt::format("{} begins after the checkpoint from which the run continues, but {}", path, why));
  }
  return found;
}

void remove_begun_behind(env::FileSystem& files, const std::string& checkpoints, const OutputOfRun& output,
                         std::optional<std::int64_t> step) {
  RunFiles run = read_run_files(files, checkpoints);
  if (!run.exists) return;
  if (run.unreadable > 0)
    base::log_warning(
        fmt::format("{} is damaged: {} lines cannot be read. If they name files of a series that begin after "
                    "the checkpoint, these stay; remove them yourself",
                    list_path(checkpoints), run.unreadable));
  const BegunBehind behind = begun_behind(files, run, output, step);
  for (const std::string& stays : behind.stay)
    base::log_warning(fmt::format("{}. It stays; remove it yourself if it belongs to this run", stays));
  for (const BegunBehind::Removed& one : behind.removed) try_to_remove(files, one.path);
  // A removed file is forgotten: a file of that name may belong to somebody else now.
  std::erase_if(run.begun, [&](const BegunFile& file) {
    return is_behind(file, step) && files.entry(full(file.path, output)) == env::Entry::none;
  });
  write_list(files, checkpoints, run);
}

}  // namespace tailrace::checkpoint
