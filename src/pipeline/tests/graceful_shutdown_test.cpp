// Runs that are stopped at any moment, with clients that are gone or live on: what all clients had given in
// full is in the file, and what is there is the beginning of what a whole run writes.
#include <algorithm>

#include "env/clock.hpp"
#include "output/memory/memory_format.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::pipeline {
namespace {

using namespace play;

struct Read {
  std::vector<double> w, w_mean, energy, times, mean_times;
  std::vector<std::int32_t> cells;
};

Read read(const std::string& path) {
  const auto contents = output::memory::contents_of(path);
  return {.w = contents->values<double>("w"),
          .w_mean = contents->values<double>("w_mean"),
          .energy = contents->values<double>("energy"),
          .times = contents->values<double>("time_instant_2s"),
          .mean_times = contents->values<double>("time_3s"),
          .cells = contents->values<std::int32_t>("cells")};
}

const Read& whole_run() {
  static const Read once = [] {
    Play play({}, "ending_reference");
    play.run();
    return read("ending_reference");
  }();
  return once;
}

// Records that are closed once all steps up to this one are there.
std::size_t instants_until(std::int64_t last) {
  std::size_t records = 0;
  double next = 2.0;
  for (std::int64_t step = 1; step <= last; ++step) {
    if (time_of(step) < next) continue;
    while (next <= time_of(step)) next += 2.0;
    ++records;
  }
  return records;
}
std::size_t windows_until(std::int64_t last) {
  return last < 1 ? 0 : static_cast<std::size_t>(time_of(last) / 3.0 + 1e-9);
}

template <class T>
void expect_beginning(const std::vector<T>& found, const std::vector<T>& whole, std::size_t size) {
  ASSERT_EQ(found.size(), size);
  ASSERT_LE(size, whole.size());
  EXPECT_TRUE(std::equal(found.begin(), found.end(), whole.begin()));
}

void expect_whole_until(const Read& found, std::int64_t step) {
  const std::size_t instants = found.times.size(), windows = found.mean_times.size();
  // The records of the next step may have been complete too.
  EXPECT_GE(instants, instants_until(step));
  EXPECT_LE(instants, instants_until(step + 1));
  EXPECT_GE(windows, windows_until(step));
  EXPECT_LE(windows, windows_until(step + 1));
  const Read& whole = whole_run();
  expect_beginning(found.times, whole.times, instants);
  expect_beginning(found.w, whole.w, instants * ny * nx);
  expect_beginning(found.mean_times, whole.mean_times, windows);
  expect_beginning(found.w_mean, whole.w_mean, windows * ny * nx);
  expect_beginning(found.cells, whole.cells, windows * ny * nx);
  expect_beginning(found.energy, whole.energy, windows);
}

struct Stopped {
  const char* name;
  Cast cast;
  const char* write_every;
  bool die;
};
void PrintTo(const Stopped& stopped, std::ostream* out) { *out << stopped.name; }
class AnyStop : public testing::TestWithParam<Stopped> {};

// The ranks get somewhere, each on its own; none is through.
void play_somewhere(Play& play) {
  const std::size_t calls = 4 + play.random() % (play.ranks.size() * 4 * (steps - 2));
  for (std::size_t i = 0; i < calls; ++i) {
    ModelRank& rank = play.ranks[play.random() % play.ranks.size()];
    if (rank.step < steps) play.call(rank);
    if (play.random() % 3 == 0) play.progress();
  }
}

TEST_P(AnyStop, LeavesWhatWasComplete) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    const std::string path = std::string("any_stop_") + GetParam().name;
    Cast cast = GetParam().cast;
    cast.seed = seed;
    cast.text.replace(cast.text.find("3 s"), 3, GetParam().write_every);
    Play play(cast, path);
    play_somewhere(play);
    std::int64_t last = steps;
    for (const ModelRank& rank : play.ranks)
      last = std::min(last, rank.step - 1);  // a step is complete when the next one begins
    if (GetParam().die)
      for (ModelRank& rank : play.ranks)
        if (play.random() % 2 == 0 || &rank == play.ranks.data()) rank.client.reset();
    const double patience = GetParam().die ? 60.0 : 0.0;
    play.servers[play.random() % play.servers.size()].component->stop({"ended by a test", patience, 100.0});
    for (int turns = 0; !play.over(); ++turns) {
      ASSERT_LT(turns, 20000000) << play.servers[0].component->describe();
      play.progress();
    }
    for (const Server& server : play.servers) {
      EXPECT_TRUE(server.component->cut());
      EXPECT_FALSE(server.component->fatal());
      ASSERT_EQ(server.component->faults().size(), 1U);
      EXPECT_THAT(server.component->faults()[0].message, testing::HasSubstr("ended by a test"));
    }
    if (last >= 1)
      expect_whole_until(read(path), last);
    else
      EXPECT_EQ(read(path).w.size(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Stops, AnyStop,
    testing::Values(Stopped{"one", {}, "99 s", true}, Stopped{"often", {.clients = 3}, "1 step", true},
                    Stopped{"servers", {.clients = 5, .servers = 3}, "99 s", true},
                    Stopped{"servers_often", {.clients = 5, .servers = 3}, "3 s", true},
                    Stopped{"idle_server", {.clients = 2, .servers = 3}, "4 steps", true},
                    Stopped{"threads", {.clients = 4, .servers = 2, .threads = 2}, "5 s", true},
                    Stopped{"alive", {.clients = 3, .servers = 2}, "7 s", false}),
    [](const auto& info) { return info.param.name; });

// A model that is asked to stop, and finishes in time, misses nothing.
TEST(GracefulShutdown, AModelThatFinishesIsNotCut) {
  Play play({.clients = 3, .servers = 2}, "finishes");
  play_somewhere(play);
  play.servers[1].component->stop({"ended by a test", 60.0, 100.0});
  play.run();
  expect_beginning(read("finishes").w_mean, whole_run().w_mean, whole_run().w_mean.size());
  EXPECT_FALSE(play.servers[0].component->cut());
  ASSERT_NE(play.servers[0].component->stopped(), nullptr);
  EXPECT_TRUE(play.ranks[0].client->producer().stop_requested());
}

// The stop commits although no clock is due, and a server that waits until due commits are written continues
// all the same.
TEST(GracefulShutdown, AModelThatFinishesIsNotCutWithLittleMemoryEither) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Cast cast{.clients = 3, .servers = 2, .memory = 1024 * (1 + 3 * (seed % 5)), .seed = seed};
    cast.text.replace(cast.text.find("3 s"), 3, "99 s");
    Play play(cast, "finishes_with_little");
    play_somewhere(play);
    play.servers[seed % 2].component->stop({"ended by a test", 60.0, 100.0});
    play.run();
    expect_beginning(read("finishes_with_little").w, whole_run().w, whole_run().w.size());
  }
}

// Complete records are committed at once, not only at the end of the patience.
TEST(GracefulShutdown, CommitsAtOnceWhatIsComplete) {
  Cast cast{.clients = 2, .servers = 2};
  cast.text.replace(cast.text.find("3 s"), 3, "99 s");
  Play play(cast, "at_once");
  while (std::ranges::any_of(play.ranks, [](const ModelRank& rank) { return rank.step < 12; }))
    for (ModelRank& rank : play.ranks)
      if (rank.step < 12) play.call(rank);
  play.servers[0].component->stop({"ended by a test", 60.0, 100.0});
  const double end = env::steady_seconds() + 0.5;
  while (env::steady_seconds() < end) play.progress();
  EXPECT_FALSE(play.over());
  EXPECT_EQ(read("at_once").times.size(), instants_until(11));
  for (ModelRank& rank : play.ranks) rank.client.reset();
  while (!play.over()) play.progress();
  EXPECT_EQ(read("at_once").times.size(), instants_until(11));
}

}  // namespace
}  // namespace tailrace::pipeline
