#include "session/rank_host.hpp"

#include "base/index.hpp"

namespace tailrace::session {
namespace {

int server_of(const handshake::Started& started) {
  return started.run.assignment.server_of[base::index(started.world->rank())];
}

}  // namespace

RankHost::RankHost(handshake::Started of_session)
    : started(std::move(of_session)), watch(started, server_of(started)), next_place(started.components) {
  const bool is_dedicated = started.run.servers().mode == settings::Mode::dedicated;
  const std::vector<int> numbers = server::stop_signals(started.run.servers(), is_dedicated);
  if (!numbers.empty()) signals.emplace(env::OwnHandler::left_alone, numbers);
  if (!is_dedicated) own = std::make_unique<server::EmbeddedServer>(started, signals ? &*signals : nullptr);
}

int RankHost::server() const { return server_of(started); }

}  // namespace tailrace::session
