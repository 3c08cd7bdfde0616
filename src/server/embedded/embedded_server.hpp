// The server inside a model rank: on its own thread in mode attached, inside the model's calls in mode
// inline.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "env/signals.hpp"
#include "handshake/start.hpp"
#include "server/server_process.hpp"

namespace tailrace::server {

// Used by the model's thread. An error that ends the server is reported to the other ranks, and thrown in
// the model's next call.
class EmbeddedServer {
 public:
  // Starts the thread in mode attached. Both must live longer; `signals` may be null.
  EmbeddedServer(handshake::Started& started, const env::StopSignals* signals);
  ~EmbeddedServer();  // after end()
  EmbeddedServer(const EmbeddedServer&) = delete;
  EmbeddedServer& operator=(const EmbeddedServer&) = delete;

  ServerProcess& process() { return *process_; }
  bool is_inline() const { return !thread_.joinable(); }
  void look();      // throws the error that ended the server or the run
  bool progress();  // inline: does the work that is possible now
  // Inline: does the work that needs no other rank. Messages of other ranks are awaited in later calls,
  // because those ranks may wait for this one in the model's own communication. So when a signal ends a run,
  // the run continues until all ranks have closed their files. Then the signal ends this rank; a rank that
  // got no signal throws instead.
  void work_alone();
  const std::optional<base::Fault>& end_of_run() const { return end_; }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  bool failed_with(const Error& error) const { return failed() && fault_->message == error.what(); }
  // Blocks until the server is over. Logs the error that ended a thread early; the model does not get it any
  // more.
  void end();

 private:
  void end_if_stopped();
  void take_unheard();  // when a model leaves early

  handshake::Started& started_;
  std::optional<env::EndAnnouncement> announcement_;
  std::unique_ptr<ServerProcess> process_;
  std::thread thread_;                             // mode attached
  std::optional<base::Fault> fault_;               // why it ended early; read it only if failed_ is true
  std::optional<base::Fault> end_;                 // inline: how a signal ended the run in good order
  std::atomic<bool> failed_{false}, over_{false};  // over_: its thread has nothing more to do
};

}  // namespace tailrace::server
