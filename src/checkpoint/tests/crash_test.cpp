// Every moment in which a job can end, and what the device may hold when the power goes: what was reported as
// durable is there, and nothing torn is ever used.
#include <random>

#include "checkpoint/tests/crash_files.hpp"
#include "checkpoint/tests/samples.hpp"

namespace tailrace::checkpoint::testing {
namespace {

constexpr std::int64_t last_step = 5;
constexpr int keep = 2;

std::vector<std::int64_t> values_of(std::int64_t step, std::int64_t server) {
  std::vector<std::int64_t> values(37);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1000 * step + 100 * server + static_cast<int>(i);
  return values;
}

void write_small_set(env::FileSystem& files, SetStore& store, std::int64_t step) {
  Manifest manifest{.head = sample_head(step), .texts = {}, .members = {}};
  for (const std::int64_t server : {0, 1}) {
    MemberWriter writer(files, store.set_path(step), manifest.head, member_name(static_cast<int>(server)));
    model::NumberSaver(writer, server == 0 ? "a/" : "b/")("values", values_of(step, server));
    manifest.members.push_back(writer.finish());
  }
  store.commit(manifest);
}

// What a job does, with the number of changes after which each step was reported as durable.
struct Recorded {
  std::unique_ptr<env::FileSystem> inner = env::make_memory_files();
  CrashFiles files{*inner};
  std::map<std::int64_t, std::size_t> reported;

  Recorded() {
    SetStore store(files, "a/checkpoints", "atmosphere");
    for (std::int64_t step = 1; step <= last_step; ++step) {
      write_small_set(files, store, step);
      reported[step] = files.changes();
      store.prune(keep);
    }
  }

  std::int64_t durable_before(std::size_t changes) const {
    std::int64_t durable = 0;
    for (const auto& [step, after] : reported)
      if (after <= changes) durable = step;
    return durable;
  }

  std::unique_ptr<env::FileSystem> after(const std::function<bool(std::size_t)>& happened) const {
    auto left = env::make_memory_files();
    files.replay(*left, happened);
    return left;
  }
};

void expect_small_set(env::FileSystem& files, const std::string& sets, const Manifest& manifest) {
  const SavedState state(files, set_path(sets, manifest.head.step), manifest);
  for (const std::int64_t server : {0, 1}) {
    std::vector<std::int64_t> values;
    model::NumberLoader(state, server == 0 ? "a/" : "b/")("values", values);
    EXPECT_EQ(values, values_of(manifest.head.step, server));
  }
}

// The next job finds the newest durable set or the one that was about to be, and goes on from there.
void expect_usable(env::FileSystem& files, std::int64_t durable) {
  const std::string sets = "a/checkpoints/atmosphere";
  for (const FoundSet& set : find_sets(files, sets))
    if (set.state == FoundSet::State::complete)
      EXPECT_EQ(damage_of(files, set.path, set.manifest), std::nullopt) << set.path;
    else
      EXPECT_EQ(set.state, FoundSet::State::unfinished) << set.path << " " << set.why;
  SetStore store(files, "a/checkpoints", "atmosphere");
  const auto found = newest_whole(files, sets);
  const std::int64_t step = found ? found->head.step : 0;
  EXPECT_TRUE(step == durable || step == durable + 1) << step << " of " << durable;
  if (found) expect_small_set(files, sets, *found);
  store.discard_after(step);
  write_small_set(files, store, step + 1);
  store.prune(1);
  EXPECT_EQ(find_sets(files, sets).size(), 1u);
  EXPECT_EQ(newest_whole(files, sets)->head.step, step + 1);
}

TEST(Crashes, leave_the_last_durable_set_after_every_change) {
  const Recorded recorded;
  EXPECT_GT(recorded.files.changes(), 60u);
  for (std::size_t count = 0; count <= recorded.files.changes(); ++count) {
    SCOPED_TRACE(count);
    const auto files = recorded.after([&](std::size_t i) { return i < count; });
    expect_usable(*files, recorded.durable_before(count));
  }
}

TEST(Crashes, leave_the_last_durable_set_whatever_the_device_has_of_the_rest) {
  const Recorded recorded;
  std::mt19937 random(11);
  for (std::size_t count = 0; count <= recorded.files.changes(); ++count) {
    for (std::uint32_t trial = 0; trial < 8; ++trial) {
      SCOPED_TRACE(::testing::Message() << count << ", trial " << trial);
      const std::uint32_t odds = trial % 4;  // none, few, ...
      std::vector<bool> kept(recorded.files.changes());
      for (std::size_t i = 0; i < count; ++i)
        kept[i] = recorded.files.is_durable(i, count) || random() % 4 < odds;
      const auto files = recorded.after([&](std::size_t i) { return kept[i]; });
      expect_usable(*files, recorded.durable_before(count));
    }
  }
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
