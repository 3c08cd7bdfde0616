#include "checkpoint/series/begun_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/log.hpp"

namespace tailrace::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

std::string list_path(const std::string& checkpoints) { return checkpoints + "/files.jsonl"; }

void try_to_remove(env::FileSystem& files, const std::string& path) {
  try {
    const env::Entry entry = files.entry(path);
    if (entry == env::Entry::none) return;
    if (entry != env::Entry::file)
      return base::log_warning(
          fmt::format("{} begins after the checkpoint from which the run continues, but is not a file; "
                      "remove it yourself",
                      path));
    files.remove(path);
    base::log_warning(
        fmt::format("{} is removed: it begins after the checkpoint from which the run continues", path));
  } catch (const Error& error) {
    base::log_warning(
        fmt::format("{} begins after the checkpoint, but cannot be removed: {}", path, error.what()));
  }
}

}  // namespace

// Writes absolute paths: the next job may run in another directory, where the same name may be another file.
void note_begun(env::FileSystem& files, const std::string& checkpoints, const std::string& path,
                std::int64_t behind) {
  const Json line{{"path", std::filesystem::absolute(path).lexically_normal().string()}, {"behind", behind}};
  files.append(list_path(checkpoints), line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void remove_begun_behind(env::FileSystem& files, const std::string& checkpoints,
                         std::optional<std::int64_t> step) {
  const std::string list = list_path(checkpoints);
  if (!files.exists(list)) return;
  std::istringstream lines(files.read(list));
  std::string stay;
  for (std::string line; std::getline(lines, line);) {
    try {
      const Json json = Json::parse(line);
      if (step && json.at("behind").get<std::int64_t>() < *step)
        stay += line + "\n";
      else
        try_to_remove(files, json.at("path").get<std::string>());
    } catch (const Json::exception&) {  // a writer that died may have left an incomplete line
    }
  }
  files.write(list, stay);
}

}  // namespace tailrace::checkpoint
