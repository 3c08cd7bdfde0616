#include "plan/folders.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>

#include "output/format.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::plan {
namespace {

namespace fs = std::filesystem;

// The first part of the path that exists and is not a folder; otherwise the first that does not exist.
struct Obstacle {
  std::string part;
  bool is_file = false;
};

std::optional<Obstacle> obstacle_on(const std::string& path, const env::FileSystem& files) {
  fs::path part;
  for (const fs::path& name : fs::path(path)) {
    part /= name;
    if (!files.exists(part.string())) return Obstacle{part.string(), false};
    if (files.entry(part.string()) == env::Entry::file) return Obstacle{part.string(), true};
  }
  return std::nullopt;
}

bool is_open(const std::string& path) { return path.find('{') != std::string::npos; }

class Folders {
 public:
  explicit Folders(const env::FileSystem& files) : files_(files) {}

  void look(const config::Location& where, const std::string& option, const std::string& folder,
            bool is_made) {
    if (folder.empty() || is_open(folder) || !seen_.insert(folder).second) return;
    const auto found = obstacle_on(folder, files_);
    if (!found || (is_made && !found->is_file)) return;
    const std::string why = found->is_file ? fmt::format("{} is a file, not a folder", found->part)
                                           : fmt::format("the folder {} does not exist here", found->part);
    warnings.push_back(where.line > 0 ? fmt::format("{}  {}: {}", where.text(), option, why)
                                      : fmt::format("{}: {}", option, why));
  }

  std::vector<std::string> warnings;

 private:
  const env::FileSystem& files_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> folder_warnings(const settings::Configuration& configuration,
                                         const env::FileSystem& files) {
  Folders folders(files);
  const settings::ServersOptions& servers = configuration.servers;
  if (servers.mode == settings::Mode::off) return {};
  for (const settings::OutputEntry& file : configuration.files)
    if (const output::Format* format = file.writer(); format != nullptr && format->makes_file(file.path))
      folders.look(file.location, "output." + file.path, fs::path(file.path).parent_path().string(), false);
  if (const auto* checkpoint = configuration.sections.find<settings::CheckpointOptions>();
      checkpoint != nullptr && checkpoint->is_asked_for)
    folders.look(checkpoint->location, "checkpoint.directory", checkpoint->directory, true);
  if (servers.report) folders.look({}, "servers.report_directory", servers.report_directory, true);
  if (servers.buffer.when_full == transport::WhenFull::spill)
    folders.look({}, "servers.spill_directory", servers.buffer.spill_directory, false);
  return folders.warnings;
}

}  // namespace tailrace::plan
