// tailrace/checkpoints.hpp.
#include "checkpoint/tools.hpp"
#include "env/file_system.hpp"
#include "tailrace/checkpoints.hpp"

namespace tailrace {
namespace {

std::string name_of(checkpoint::FoundCheckpoint::State state) {
  using State = checkpoint::FoundCheckpoint::State;
  switch (state) {
    case State::complete: return "complete";
    case State::on_nodes: return "on_nodes";
    case State::unfinished: return "unfinished";
    case State::damaged: return "damaged";
    case State::refused: return "refused";
  }
  return "";
}

}  // namespace

std::vector<Checkpoint> Checkpoints::list(bool verify) const {
  std::vector<Checkpoint> all;
  for (const auto& [checkpoint, component, holder] : checkpoint::survey(env::system_files(), path_, verify))
    all.push_back({checkpoint.path, component, checkpoint.step, checkpoint.manifest.head.time,
                   checkpoint.manifest.bytes(), static_cast<std::int64_t>(checkpoint.manifest.shards.size()),
                   name_of(checkpoint.state), checkpoint.why, holder});
  return all;
}

std::string Checkpoints::copy(const std::string& directory) const {
  return checkpoint::copy_checkpoint(env::system_files(), path_, directory);
}

std::vector<std::string> Checkpoints::drain() const {
  return checkpoint::drain_checkpoints(env::system_files(), path_);
}

std::vector<std::string> Checkpoints::prune(int keep) const {
  if (keep < 1) throw Error(ErrorCode::usage, "at least one checkpoint must be kept");
  return checkpoint::prune_checkpoints(env::system_files(), path_, keep);
}

std::vector<std::string> Checkpoints::repair() const {
  return checkpoint::remove_unusable(env::system_files(), path_);
}

}  // namespace tailrace
