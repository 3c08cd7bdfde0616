#include "checkpoint/complete_steps.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/error.hpp"

namespace tailrace::checkpoint {
namespace {

std::string list_path(const std::string& checkpoints) { return checkpoints + "/complete"; }

}  // namespace

std::set<std::int64_t> complete_steps(env::FileSystem& files, const std::string& checkpoints) {
  std::set<std::int64_t> steps;
  const std::string path = list_path(checkpoints);
  if (files.entry(path) != env::Entry::file) return steps;
  try {
    std::istringstream numbers(files.read(path));
    for (std::int64_t step = 0; numbers >> step;) steps.insert(step);
  } catch (const Error&) {
  }
  return steps;
}

void set_complete_steps(env::FileSystem& files, const std::string& checkpoints,
                        const std::set<std::int64_t>& steps) {
  std::string text;
  for (const std::int64_t step : steps) text += fmt::format("{}\n", step);
  files.write(list_path(checkpoints), text);
  files.sync(list_path(checkpoints));
}

void forget_complete(env::FileSystem& files, const std::string& checkpoints, std::int64_t step) {
  std::set<std::int64_t> steps = complete_steps(files, checkpoints);
  if (steps.erase(step) == 0) return;
  try {
    set_complete_steps(files, checkpoints, steps);
  } catch (const Error&) {
    files.remove(list_path(checkpoints));
  }
}

}  // namespace tailrace::checkpoint
