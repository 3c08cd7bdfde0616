// Tests that a disk that stops holds all servers back, with or without clients of their own, and that once
// it continues, they all do.
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "output/memory/memory_format.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::pipeline {
namespace {

using namespace play;

// While it is closed, commits wait on the threads that write.
class Gate {
 public:
  void set(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
};

Gate& gate() {
  static Gate one;
  return one;
}

class GatedDataset final : public output::Dataset {
 public:
  explicit GatedDataset(std::unique_ptr<output::Dataset> inner) : inner_(std::move(inner)) {}
  void commit(const output::Commit& commit) override {
    gate().pass();
    inner_->commit(commit);
  }
  void close() override { inner_->close(); }
  std::uint64_t bytes_on_disk() const override { return inner_->bytes_on_disk(); }

 private:
  std::unique_ptr<output::Dataset> inner_;
};

class GatedFormat final : public output::Format {
 public:
  std::string name() const override { return "gated"; }
  std::unique_ptr<output::Dataset> create(const output::DatasetSpec& spec,
                                          env::FileSystem& files) const override {
    return std::make_unique<GatedDataset>(output::find_format("memory")->create(spec, files));
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return false; }
};
const output::FormatRegistration registration{std::make_unique<GatedFormat>()};

std::string text_with(const std::string& format) {
  std::string text = configuration_text;
  const std::string before = "format: memory";
  return text.replace(text.find(before), before.size(), "format: " + format);
}

std::vector<std::byte> all_values(const std::string& path) {
  std::vector<std::byte> all;
  for (const char* variable : {"w", "w_mean", "cells", "energy", "time_instant_2s", "time_3s"}) {
    const auto bytes = output::memory::contents_of(path)->bytes(variable);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

void put_everything(Play& play) {
  for (bool more = true; more;) {
    more = false;
    for (ModelRank& rank : play.ranks) {
      if (rank.step > steps) continue;
      play.call(rank);
      more = true;
    }
    play.progress();
  }
}

// Anything that still moves does so within this time, with threads too.
void play_until_quiet(Play& play) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  for (auto moved = now(); now() - moved < std::chrono::milliseconds(100);) {
    bool any = false;
    for (Server& server : play.servers) {
      any = server.messenger->progress() || any;
      any = server.progress() || any;
    }
    if (any) moved = now();
    std::this_thread::yield();
  }
}

struct Servers {
  int clients, servers;
};

class Backlogs : public testing::TestWithParam<Servers> {};

TEST_P(Backlogs, HoldBackAllServersUntilTheDiskGoesOn) {
  const Servers with = GetParam();
  Play plain({.clients = 1, .servers = 1}, "plain");
  plain.run();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Play play({.clients = with.clients,
               .servers = with.servers,
               .threads = 1,
               .memory = 2048,
               .seed = seed,
               .text = text_with("gated")},
              "gated");
    gate().set(false);
    put_everything(play);
    play_until_quiet(play);
    for (const Server& server : play.servers) {
      if (server.intake == nullptr) continue;
      EXPECT_LT(server.intake->tick().step, steps) << "seed " << seed;
      EXPECT_TRUE(server.component->waits_for_others()) << "seed " << seed;
    }
    gate().set(true);
    play.run();
    EXPECT_EQ(all_values("gated"), all_values("plain")) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Casts, Backlogs,
                         testing::Values(Servers{2, 1}, Servers{3, 3}, Servers{5, 2}, Servers{2, 4}),
                         [](const auto& parameter) {
                           return std::to_string(parameter.param.clients) + "_ranks_" +
                                  std::to_string(parameter.param.servers) + "_servers";
                         });

}  // namespace
}  // namespace tailrace::pipeline
