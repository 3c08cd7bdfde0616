// tailrace_sst SOCKET: a stream of ADIOS2, apart from the server whose steps it gives to readers.
//
// Data that arrives at the stream's ports can end the process that ADIOS2 is in. So this process, which never
// reads from them, starts a worker process and restarts it when it ends. It ends when the server does, and
// removes the contact file.
#include <fcntl.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <string>

#include "output/adios2/stream/process/channel.hpp"
#include "output/adios2/stream/process/watch.hpp"
#include "output/adios2/stream/process/worker.hpp"
#include "output/adios2/stream/wire.hpp"

namespace tailrace::output::adios2::stream {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

constexpr int most_deaths = 100;
constexpr Seconds first_pause{0.2}, longest_pause{30.0};  // between an end and the next beginning
constexpr Seconds long_life{60.0};  // after which the pauses begin again with the first one

// A stream must not hold files open that the server and the model had open.
void let_go_of_all_but(int socket) {
  if (socket > 3) ::close_range(3, static_cast<unsigned>(socket - 1), 0);
  ::close_range(static_cast<unsigned>(socket + 1), ~0U, 0);
}

// ADIOS2 prints a message for each piece of garbage: a stranger must not fill the job's log with them.
void be_silent() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, output);
}

// Steps are of one size, and fresh pages for each cost several times what the copies into them do. There are
// no more than the queue has.
void use_memory_again() {
#ifdef M_MMAP_MAX
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

std::string words_for(int status) {
  const int exited = WIFEXITED(status) ? WEXITSTATUS(status) : closed;
  if (exited == no_step_taken)
    return "ended since no reader took a step for " + std::to_string(taking_patience_seconds) + " s";
  if (exited == hangs) return "ended since ADIOS2 hung and no reader was connected";
  if (!WIFSIGNALED(status)) return "ended with status " + std::to_string(exited);
  return "ended by signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
}

class Keeper {
 public:
  Keeper(const Channel& server, EngineSpec spec) : server_(server), spec_(std::move(spec)) {}

  int run() {
    for (int deaths = 1;; ++deaths) {
      const Clock::time_point began = Clock::now();
      const int status = one_life();
      if (status == 0) return 0;
      remove_contact();
      if (deaths == most_deaths) {
        server_.send("given up " + words_for(status));
        return 1;
      }
      server_.send("died " + words_for(status));
      if (Clock::now() - began > long_life) pause_ = first_pause;
      if (!server_stays(pause_)) return 0;
      pause_ = std::min(2 * pause_, longest_pause);
    }
  }

 private:
  // How the worker ended; 0 also when the server went first.
  int one_life() {
    std::array<int, 2> life{};  // the worker alone holds the second end
    if (::pipe2(life.data(), O_CLOEXEC) != 0) return -1;
    const pid_t keeper = ::getpid();
    const pid_t worker = ::fork();
    if (worker == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != keeper) ::_exit(0);
      be_silent();
      use_memory_again();
      ::_exit(work(server_, spec_));
    }
    ::close(life[1]);
    const bool server_left = worker > 0 && !wait_for_end(life[0]);
    ::close(life[0]);
    if (worker < 0) return -1;
    if (server_left) ::kill(worker, SIGKILL);
    int status = 0;
    while (::waitpid(worker, &status, 0) < 0 && errno == EINTR) {
    }
    if (server_left) remove_contact();
    return server_left ? 0 : status;
  }

  // False when the server ends first.
  bool wait_for_end(int life) const {
    std::array<pollfd, 2> watched{{{life, 0, 0}, {server_.descriptor(), 0, 0}}};
    for (;;) {
      ::poll(watched.data(), watched.size(), -1);
      if (watched[0].revents != 0) return true;
      if (watched[1].revents != 0) return false;
    }
  }

  bool server_stays(Seconds seconds) const {
    pollfd watched{server_.descriptor(), 0, 0};
    return ::poll(&watched, 1, static_cast<int>(1e3 * seconds.count())) == 0;
  }

  void remove_contact() const { ::unlink((spec_.path + ".sst").c_str()); }

  const Channel& server_;
  const EngineSpec spec_;
  Seconds pause_ = first_pause;
};

int serve(int socket) {
  let_go_of_all_but(socket);
  ::setpgid(0, 0);  // who kills all of a job leaves the one that tidies up
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, SIG_IGN);  // the server says when it ends
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // a stranger must not fill the disk
  const Channel server(socket);
  const auto first = server.receive();
  if (!first || first->word != "open") return 2;
  return Keeper(server, spec_from(first->attached.bytes())).run();
}

}  // namespace
}  // namespace tailrace::output::adios2::stream

int main(int argc, char** argv) {
  return argc == 2 ? tailrace::output::adios2::stream::serve(std::atoi(argv[1])) : 2;
}
