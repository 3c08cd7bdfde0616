// tailrace/checkpoints.hpp.
#include "tailrace/checkpoints.hpp"

#include "checkpoint/tools.hpp"
#include "env/file_system.hpp"

namespace tailrace {
namespace {

std::string name_of(checkpoint::FoundSet::State state) {
  using State = checkpoint::FoundSet::State;
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
  for (const auto& [set, component, holder] : checkpoint::survey(env::system_files(), path_, verify))
    all.push_back({set.path, component, set.step, set.manifest.head.time, set.manifest.bytes(),
                   static_cast<std::int64_t>(set.manifest.members.size()), name_of(set.state), set.why,
                   holder});
  return all;
}

std::string Checkpoints::copy(const std::string& directory) const {
  return checkpoint::copy_set(env::system_files(), path_, directory);
}

std::vector<std::string> Checkpoints::drain() const {
  return checkpoint::drain_sets(env::system_files(), path_);
}

std::vector<std::string> Checkpoints::prune(int keep) const {
  if (keep < 1) throw Error(ErrorCode::usage, "at least one checkpoint is kept");
  return checkpoint::prune_sets(env::system_files(), path_, keep);
}

std::vector<std::string> Checkpoints::repair() const {
  return checkpoint::remove_unusable(env::system_files(), path_);
}

}  // namespace tailrace
