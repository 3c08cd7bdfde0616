#include "env/lifeline.hpp"

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "env/clock.hpp"

namespace tailrace::env {
namespace {

using State = Lifeline::State;

bool soon(const std::function<bool()>& holds) {
  const double end = steady_seconds() + 30.0;
  while (!holds() && steady_seconds() < end) usleep(1000);
  return holds();
}

// A process that is watched; it takes in watchers until it is killed, or until it hears a byte to go.
class Child {
 public:
  Child() {
    int told[2], go[2];
    if (pipe(told) != 0 || pipe(go) != 0) std::abort();
    number_ = fork();
    if (number_ == 0) live(told[1], go[0]);
    for (const int end : {told[1], go[0]}) close(end);
    go_ = go[1];
    if (read(told[0], &address_.port, 2) != 2 || read(told[0], &address_.secret, 8) != 8) std::abort();
    close(told[0]);
    address_.hosts = {"127.0.0.1"};
  }
  ~Child() {
    kill(SIGKILL);
    close(go_);
    waitpid(number_, nullptr, 0);
  }
  const LifelineAddress& address() const { return address_; }
  void kill(int signal) const { ::kill(number_, signal); }
  // A process that has ended has closed its sockets.
  void wait_for_death() const {
    siginfo_t what;
    EXPECT_EQ(waitid(P_PID, static_cast<id_t>(number_), &what, WEXITED | WNOWAIT), 0);
  }
  void let_go() const { EXPECT_EQ(write(go_, "g", 1), 1); }

 private:
  static void live(int told, int go) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive a parent that leaves by _exit
    {
      WatchedEnd end;
      if (write(told, &end.address().port, 2) != 2 || write(told, &end.address().secret, 8) != 8) _exit(1);
      fd_set none;
      for (timeval wait{0, 1000};; wait = {0, 1000}) {
        FD_ZERO(&none);
        FD_SET(go, &none);
        if (select(go + 1, &none, nullptr, nullptr, &wait) > 0) break;
        end.take_in();
      }
    }
    pause();
  }

  pid_t number_ = 0;
  int go_ = -1;
  LifelineAddress address_;
};

TEST(Lifeline, is_cut_when_the_process_is_killed) {
  const Child child;
  Lifeline line(child.address(), 3);
  ASSERT_TRUE(soon([&] { return line.look() == State::open; }));
  child.kill(SIGKILL);
  EXPECT_TRUE(soon([&] { return line.look() == State::cut; }));
}

// In a network of its own, which is taken away: what is sent then is answered by nobody, as when a node is
// lost.
class OwnNetwork {
 public:
  OwnNetwork() : exists_(unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && set_up(true)) {}
  bool exists() const { return exists_; }
  static bool set_up(bool up) {
    const int any = socket(AF_INET, SOCK_DGRAM, 0);
    ifreq loopback{};
    std::strcpy(loopback.ifr_name, "lo");
    bool done = ioctl(any, SIOCGIFFLAGS, &loopback) == 0;
    loopback.ifr_flags = static_cast<short>(up ? loopback.ifr_flags | IFF_UP : loopback.ifr_flags & ~IFF_UP);
    done = done && ioctl(any, SIOCSIFFLAGS, &loopback) == 0;
    close(any);
    return done;
  }

 private:
  bool exists_;
};

// The same for both: a process that lives, and one that is stopped.
void expect_silence_of(int signal) {
  const OwnNetwork network;
  if (!network.exists()) _exit(77);
  const Child child;
  Lifeline line(child.address(), 3);
  if (!soon([&] { return line.look() == State::open; })) _exit(1);
  if (signal != 0) child.kill(signal);
  const double begin = steady_seconds();
  if (!OwnNetwork::set_up(false)) _exit(2);
  const bool silent = soon([&] { return line.look() != State::open; }) && line.state() == State::silent;
  _exit(silent && steady_seconds() < begin + 4.8 ? 0 : 3);
}

TEST(Lifeline, is_silent_within_seconds_when_the_other_system_answers_no_more) {
  for (const int signal : {0, SIGSTOP}) {
    const pid_t apart = fork();
    if (apart == 0) expect_silence_of(signal);
    int status = 0;
    waitpid(apart, &status, 0);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this system lets nobody make a network of its own";
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(Lifeline, stays_while_the_process_is_stopped) {
  const Child child;
  Lifeline line(child.address(), 3);
  ASSERT_TRUE(soon([&] { return line.look() == State::open; }));
  child.kill(SIGSTOP);
  for (const double end = steady_seconds() + 0.5; steady_seconds() < end; usleep(1000))
    ASSERT_EQ(line.look(), State::open);
  child.kill(SIGKILL);
  EXPECT_TRUE(soon([&] { return line.look() == State::cut; }));
}

TEST(Lifeline, of_a_process_that_lets_go_says_nothing_of_its_death) {
  const Child child;
  Lifeline line(child.address(), 3);
  ASSERT_TRUE(soon([&] { return line.look() == State::open; }));
  child.let_go();
  ASSERT_TRUE(soon([&] { return line.look() == State::let_go; }));
  child.kill(SIGKILL);
  child.wait_for_death();
  EXPECT_EQ(line.look(), State::let_go);
}

TEST(Lifeline, connects_to_who_knows_the_secret_alone) {
  WatchedEnd end;
  LifelineAddress wrong = end.address();
  wrong.secret += 1;
  Lifeline peer(wrong, 3), friendly(end.address(), 4);
  EXPECT_TRUE(soon([&] {
    end.take_in();
    return peer.look() == State::unknown && friendly.look() == State::open;
  }));
  EXPECT_EQ(end.take_in(), 1u);
}

TEST(Lifeline, finds_the_host_that_answers_among_several) {
  WatchedEnd end;
  LifelineAddress address = end.address();
  address.hosts = {"127.0.0.9", "not an address", "127.0.0.1"};
  address.hosts.insert(address.hosts.end(), end.address().hosts.begin(), end.address().hosts.end());
  Lifeline line(address, 3);
  EXPECT_TRUE(soon([&] {
    end.take_in();
    return line.look() == State::open;
  }));
}

TEST(Lifeline, to_nobody_is_unknown) {
  LifelineAddress address;
  {
    const WatchedEnd end;
    address = end.address();
  }
  Lifeline line(address, 3);
  EXPECT_TRUE(soon([&] { return line.look() == State::unknown; }));
  EXPECT_EQ(Lifeline(LifelineAddress{}, 3).look(), State::unknown);
}

TEST(WatchedEnd, keeps_who_has_come_when_it_stops_to_listen) {
  WatchedEnd end;
  Lifeline first(end.address(), 3);
  ASSERT_TRUE(soon([&] {
    end.take_in();
    return first.look() == State::open;
  }));
  end.stop_listening();
  EXPECT_FALSE(end.listens());
  Lifeline late(end.address(), 4);
  EXPECT_TRUE(soon([&] { return late.look() == State::unknown; }));
  EXPECT_EQ(first.look(), State::open);
}

}  // namespace
}  // namespace tailrace::env
