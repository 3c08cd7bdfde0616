#include "server/embedded/lost_output.hpp"

#include <fmt/format.h>

#include "env/file_system.hpp"
#include "telemetry/status.hpp"

namespace tailrace::server {
namespace {

constexpr std::size_t most_named = 8;

std::string describe_files(const std::string& directory) {
  std::string text;
  std::size_t files = 0;
  for (const auto& [path, commit] : telemetry::last_commits(env::system_files(), directory))
    if (++files <= most_named)
      text += fmt::format("{}{} up to {} s", files == 1 ? "" : ", ", path, commit.model_time);
  if (files > most_named)
    text += fmt::format(" and {} more ({}/commits.jsonl)", files - most_named, directory);
  return text;
}

}  // namespace

std::string describe_lost_output(const handshake::Run& run, const std::string& how, const model::Tick& now) {
  const std::string from = now.step == model::static_step
                               ? std::string("the first step")
                               : fmt::format("step {} ({} s of model time)", now.step, now.time);
  const std::string files = run.servers().report ? describe_files(run.servers().report_directory) : "";
  return fmt::format(
      "{}; the model continues without output from {} on (servers.on_server_loss: continue). {}", how, from,
      files.empty() ? "What was committed until then is in the files"
                    : fmt::format("The files are complete as follows: {} of model time; later "
                                  "output is lost",
                                  files));
}

std::string loss_of_own_server(int rank, const std::string& what) {
  return fmt::format("the server in rank {} of the run ended with: {}", rank, what);
}

}  // namespace tailrace::server
