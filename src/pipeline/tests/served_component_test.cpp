// Tests a whole component, from puts to files in memory. The contents of the files are compared with the
// formulas that the model puts. They are the same bits for any number of ranks, servers and threads.
#include <chrono>

#include "output/memory/memory_format.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::pipeline {
namespace {

using namespace play;
using testing::ElementsAre;
using testing::HasSubstr;

// The data that an ordinary reader would see.
struct Read {
  std::vector<double> w, w_mean, energy, times, mean_times, bounds, x;
  std::vector<std::int32_t> cells;
  bool operator==(const Read&) const = default;
};

Read read(const std::string& path) {
  const auto contents = output::memory::contents_of(path);
  Read read;
  read.w = contents->values<double>("w");
  read.w_mean = contents->values<double>("w_mean");
  read.energy = contents->values<double>("energy");
  read.times = contents->values<double>("time_instant_2s");
  read.mean_times = contents->values<double>("time_3s");
  read.bounds = contents->values<double>("time_3s_bnds");
  read.x = contents->values<double>("x");
  read.cells = contents->values<std::int32_t>("cells");
  return read;
}

// The samples of a window and how much of their interval lies in it.
struct Sample {
  std::int64_t step;
  double weight;
};
std::vector<Sample> samples(double begin, double end) {
  std::vector<Sample> samples;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double from = step == 1 ? 0.0 : time_of(step - 1);
    const double overlap = std::min(end, time_of(step)) - std::max(begin, from);
    if (overlap > 0) samples.push_back({step, overlap});
  }
  return samples;
}

void expect_the_formulas(const Read& read) {
  // Instants: the first step at or past each 2 s.
  std::vector<double> times;
  std::size_t at = 0;
  double next = 2.0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    if (time_of(step) < next) continue;
    while (next <= time_of(step)) next += 2.0;
    times.push_back(time_of(step));
    for (std::int64_t cell = 0; cell < ny * nx; ++cell, ++at) {
      ASSERT_LT(at, read.w.size());
      ASSERT_EQ(read.w[at], value_of(step, cell)) << "step " << step << ", cell " << cell;
    }
  }
  EXPECT_EQ(at, read.w.size());
  EXPECT_EQ(read.times, times);
  // Windows of 3 s, the last one cut off where the run ends.
  const double end_of_run = time_of(steps);
  std::size_t windows = 0;
  for (double begin = 0.0; begin < end_of_run; begin += 3.0, ++windows) {
    const double end = std::min(begin + 3.0, end_of_run);
    ASSERT_LT(windows, read.mean_times.size());
    EXPECT_EQ(read.mean_times[windows], begin + 0.5 * (end - begin));
    EXPECT_EQ(read.bounds[2 * windows], begin);
    EXPECT_EQ(read.bounds[2 * windows + 1], end);
    const std::vector<Sample> inside = samples(begin, end);
    for (std::int64_t cell = 0; cell < ny * nx; ++cell) {
      double sum = 0.0, weight = 0.0;
      std::int64_t most = 0;
      for (const Sample& sample : inside) {
        sum += sample.weight * value_of(sample.step, cell);
        weight += sample.weight;
        most = std::max(most, sample.step % 5 * 100 + cell);
      }
      const std::size_t i = windows * ny * nx + static_cast<std::size_t>(cell);
      EXPECT_NEAR(read.w_mean[i], sum / weight, 1e-12 * std::abs(sum / weight));
      EXPECT_EQ(read.cells[i], most);
    }
    double energy = 0.0;  // each sample's is shared out over its interval
    for (const Sample& sample : inside) {
      const double interval = time_of(sample.step) - (sample.step == 1 ? 0.0 : time_of(sample.step - 1));
      energy += sample.weight / interval / static_cast<double>(sample.step);
    }
    EXPECT_NEAR(read.energy[windows], energy, 1e-12);
  }
  EXPECT_EQ(windows, read.mean_times.size());
  EXPECT_EQ(read.w_mean.size(), windows * ny * nx);
  EXPECT_EQ(read.energy.size(), windows);
  for (std::size_t x = 0; x < read.x.size(); ++x) EXPECT_EQ(read.x[x], 100.0 * static_cast<double>(x));
}

const Read& reference() {
  static const Read once = [] {
    Play play({}, "reference");
    play.run();
    return read("reference");
  }();
  return once;
}

TEST(Component, WritesWhatTheFormulasSay) { expect_the_formulas(reference()); }

struct Named {
  const char* name;
  Cast cast;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }
class AnyCast : public testing::TestWithParam<Named> {};

TEST_P(AnyCast, GivesTheSameBits) {
  const std::string path = std::string("any_cast_") + GetParam().name;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Cast cast = GetParam().cast;
    cast.seed = seed;
    Play play(cast, path);
    play.run();
    const Read found = read(path);
    ASSERT_EQ(found.times, reference().times) << "seed " << seed;
    ASSERT_EQ(found.bounds, reference().bounds) << "seed " << seed;
    ASSERT_EQ(found.w, reference().w) << "seed " << seed;
    ASSERT_EQ(found.w_mean, reference().w_mean) << "seed " << seed;
    ASSERT_EQ(found.cells, reference().cells) << "seed " << seed;
    ASSERT_TRUE(found == reference()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Casts, AnyCast,
                         testing::Values(Named{"two_ranks", {.clients = 2}},
                                         Named{"three_ranks_two_servers", {.clients = 3, .servers = 2}},
                                         Named{"five_ranks_three_servers", {.clients = 5, .servers = 3}},
                                         Named{"more_servers_than_ranks", {.clients = 2, .servers = 4}},
                                         Named{"indexed", {.clients = 4, .servers = 2, .indexed = true}},
                                         Named{"threads", {.clients = 3, .servers = 2, .threads = 2}},
                                         Named{"little_memory",
                                               {.clients = 3, .servers = 3, .memory = 2048}}),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(Component, ARankThatLeavesEndsItWithWhatIsComplete) {
  Cast cast{.clients = 2, .servers = 2};
  Play play(cast, "left");
  for (std::int64_t step = 1; step <= 6; ++step)
    for (ModelRank& rank : play.ranks)
      for (int call = 0; call < 4; ++call) play.call(rank);
  while (play.progress()) {
  }
  play.ranks[1].client->abandon();
  testing::internal::CaptureStderr();
  for (int turns = 0; turns < 100000 && !play.servers[1].component->fatal(); ++turns) play.progress();
  std::string message;
  for (int turns = 0; turns < 100000 && message.empty(); ++turns) {
    play.progress();
    try {
      play.call(play.ranks[0]);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::lost);
      message = error.what();
    }
  }
  EXPECT_THAT(message, HasSubstr("component \"bubble\": rank 1 left without finish after step 6"));
  play.ranks[0].client->abandon();
  for (int turns = 0; turns < 100000 && !play.over(); ++turns) play.progress();
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(play.over());
  const Read left = read("left");
  ASSERT_FALSE(left.w_mean.empty());
  EXPECT_TRUE(std::equal(left.w_mean.begin(), left.w_mean.end(), reference().w_mean.begin()));
}

// Plays on until it is so, for at most 20 s: threads need time, not turns.
template <class Condition>
bool comes_true(Play& play, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    if (!play.progress()) std::this_thread::yield();
  }
  return true;
}

// A piece that cannot be, of a chunk that there is not: the work on it throws, and the component still ends.
TEST(Component, WorkThatThrowsEndsItAndNothingHangs) {
  for (const int threads : {0, 1}) {
    Play play({.clients = 2, .servers = 2, .threads = threads}, "thrown");
    base::ByteWriter bundle;
    for (const std::int64_t word : {0, 32, 0, 0, 999, 0})
      bundle.put(word);  // kind, size; stream, record, chunk, client
    play.servers[1].messenger->send(0, static_cast<std::int32_t>(ControlMessage::bundle), bundle.take());
    std::optional<base::Fault> fault;
    ASSERT_TRUE(
        comes_true(play, [&] { return (fault = play.servers[0].executor->take_fault()).has_value(); }));
    EXPECT_THAT(fault->message, HasSubstr("the client has cells in this chunk"));
    testing::internal::CaptureStderr();
    play.servers[0].component->fail(*fault);  // as the host does
    for (ModelRank& rank : play.ranks) rank.client->abandon();
    EXPECT_TRUE(comes_true(play, [&] { return play.over(); })) << play.servers[0].component->describe();
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the client has cells in this chunk"));
    for (const Server& server : play.servers) EXPECT_TRUE(server.component->fatal());
  }
}

// The numbers in a damaged message are checked before they are used as an index.
TEST(Component, MessagesThatNameNothingThereIsAreErrors) {
  struct Damaged {
    std::vector<std::int64_t> words;
    const char* says;
  };
  constexpr std::int64_t piece = 0, chunk = 1;  // kinds of items
  const Damaged cases[] = {
      {{piece, 32, 999, 0, 0, 0}, "a message about variable 999, of 5"},
      {{piece, 32, -1, 0, 0, 0}, "a message about variable -1, of 5"},
      {{piece, 32, 0, 0, 0, 2}, "a piece of record 0 of client 2, of 2 clients"},
      {{piece, 32, 0, -5, 0, 0}, "a piece of record -5 of client 0, of 2 clients"},
      {{chunk, 64, 5, 0, 0, 1, 0, 0, 0, 0}, "a message about variable 5, of 5"},
      {{chunk, 64, 0, 1000000, 0, 1, 0, 0, 0, 0}, "a chunk at 0, 1000000 that ends before record 1"},
      {{chunk, 64, 0, 0, 7, 1, 0, 0, 0, 0}, "a chunk at 7, 0 that ends before record 1"},
      {{7, 32, 0, 0, 0, 0}, "an item of an unknown kind"},
      {{piece, -1, 0, 0, 0, 0}, "a bundle ends inside an item"},
      {{piece, 4096, 0, 0, 0, 0}, "a bundle ends inside an item"},
  };
  for (const Damaged& damaged : cases) {
    Play play({.clients = 2, .servers = 2}, "damaged");
    base::ByteWriter bundle;
    for (const std::int64_t word : damaged.words) bundle.put(word);
    play.servers[1].messenger->send(0, static_cast<std::int32_t>(ControlMessage::bundle), bundle.take());
    std::string message = "no error";
    for (int turns = 0; turns < 10000 && message == "no error"; ++turns) {
      try {
        play.progress();
      } catch (const Error& error) {
        message = error.what();
      }
    }
    EXPECT_THAT(message, HasSubstr(damaged.says));
  }
}

TEST(Component, BlocksThatDoNotFitTheirFieldAreErrors) {
  Play play({.clients = 2, .servers = 1}, "damaged");
  const auto complaint = [&](std::int32_t field, std::size_t bytes) -> std::string {
    const std::vector<std::byte> payload(bytes);
    try {
      play.servers[0].component->accept(1, {model::PacketKind::block, field, 1, 1.0}, payload);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(complaint(1000, 8), HasSubstr("client 1 sent field number 1000, of "));
  EXPECT_THAT(complaint(-1, 8), HasSubstr("client 1 sent field number -1, of "));
  const int w = *play.ranks[0].declarer.declarations().find_field("w");
  EXPECT_THAT(complaint(w, 8), HasSubstr("client 1 sent 8 bytes of field \"w\"; it holds 240"));
}

TEST(Component, SaysWhoWaitsForWhom) {
  Play play({.clients = 2, .servers = 1}, "waiting");
  for (int call = 0; call < 4; ++call) play.call(play.ranks[0]);
  while (play.progress()) {
  }
  EXPECT_EQ(play.servers[0].intake->describe() + play.servers[0].component->describe(),
            "\n    rank 0 of component \"bubble\": at step 1, waits for the others"
            "\n    rank 1 of component \"bubble\": before its first step, its next packet is awaited"
            "\n    file waiting: no commit is due");
  for (ModelRank& rank : play.ranks) rank.client->abandon();
  testing::internal::CaptureStderr();
  for (int turns = 0; turns < 100000 && !play.over(); ++turns) play.progress();
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(play.over());
}

// Otherwise the home of a file would hold chunks of many steps open.
TEST(Component, KeepsToTheStepsOfTheLeaderWhileItsBuffersHaveRoom) {
  Play play({.clients = 2, .servers = 2}, "ahead");
  Server& other = play.servers[1];
  while (play.ranks[1].step < 6) play.call(play.ranks[1]);
  for (int turn = 0; turn < 300; ++turn) {
    other.messenger->progress();
    other.progress();
  }
  EXPECT_EQ(other.intake->tick().step, 1) << "the leader has begun none";
  play.run();
  expect_the_formulas(read("ahead"));
}

}  // namespace
}  // namespace tailrace::pipeline
