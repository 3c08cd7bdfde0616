#include "server/embedded/embedded_server.hpp"

#include <chrono>

#include "base/index.hpp"
#include "base/log.hpp"
#include "messaging/sending.hpp"
#include "server/peer_servers.hpp"

namespace tailrace::server {

EmbeddedServer::EmbeddedServer(handshake::Started& started, const env::StopSignals* signals)
    : started_(started) {
  try {
    process_ = std::make_unique<ServerProcess>(*started_.world, *started_.servers, started_.run,
                                               std::move(started_.lifelines));
  } catch (...) {
    send_abort_notice(started_, base::current_fault());
    throw;
  }
  if (signals != nullptr) {
    announcement_.emplace();
    process_->stop_controller().heed(*signals);
    process_->stop_controller().heed(*announcement_);
  }
  if (started_.run.servers().mode != settings::Mode::attached) return;
  thread_ = std::thread([this] {
    try {
      process_->run();
      end_if_stopped();
    } catch (...) {
      fault_ = base::current_fault();
      failed_.store(true, std::memory_order_release);
      send_abort_notice(started_, *fault_);
    }
    over_.store(true, std::memory_order_release);
  });
}

EmbeddedServer::~EmbeddedServer() {
  if (thread_.joinable()) thread_.join();
}

// If the model does not end by itself after a signal, the signal ends it after all.
void EmbeddedServer::end_if_stopped() {
  const int signal = process_->stop_controller().signal();
  if (signal != 0 && (process_->cut() || !process_->done())) env::end_by_signal(signal);
}

void EmbeddedServer::look() {
  if (failed()) throw Error(fault_->code, fault_->message);
  if (end_) throw Error(end_->code, end_->message);
}

bool EmbeddedServer::progress() {
  look();
  try {
    return process_->progress();
  } catch (...) {
    fault_ = base::current_fault();
    failed_.store(true, std::memory_order_release);
    send_abort_notice(started_, *fault_);
    look();
    return false;
  }
}

void EmbeddedServer::work_alone() {
  while (progress()) {
  }
  if (!end_ && process_->cut() && (process_->done() || process_->out_of_time())) {
    process_->write_report();
    end_if_stopped();
    end_ = process_->fatal().value_or(
        base::Fault{ErrorCode::lost, process_->stop_controller().order()->why +
                                         ": the model made too few calls within servers.grace "
                                         "for all files to be closed; what was committed is in the files"});
  }
}

// Messages that a rank sends to itself must be received too: until then MPI may not complete the send, and
// the sender waits.
void EmbeddedServer::take_unheard() {
  const auto rank = base::index(started_.world->rank());
  const handshake::Assignment& assignment = started_.run.assignment;
  const int server = assignment.servers[base::index(assignment.server_of[rank])];
  for (const auto tag : {handshake::Tag::welcome, handshake::Tag::reply, handshake::Tag::goodbye})
    while (messaging::poll(*started_.world, server, static_cast<int>(tag))) {
    }
}

void EmbeddedServer::end() {
  if (thread_.joinable()) {
    for (; !over_.load(std::memory_order_acquire);
         std::this_thread::sleep_for(std::chrono::microseconds(200)))
      take_unheard();
    thread_.join();
    if (fault_) base::log_error(fault_->message);
    return;
  }
  if (end_) return;
  while (!failed() && !process_->done() && !process_->out_of_time()) {
    progress();
    take_unheard();
  }
  if (!failed()) process_->write_report();
}

}  // namespace tailrace::server
