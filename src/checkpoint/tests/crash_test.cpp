// Tests every moment at which a job can end, with every state that the device may hold after a power
// failure: checkpoints that were reported as durable exist, and no torn file is ever used.
#include <random>

#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/burst/pending_checkpoints.hpp"
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

Manifest write_shards(env::FileSystem& files, CheckpointStore& store, std::int64_t step,
                      const std::string& buffered = "") {
  Manifest manifest{.head = sample_head(step), .texts = {}, .shards = {}};
  for (const std::int64_t server : {0, 1}) {
    ShardWriter writer(files, store.checkpoint_path(step), manifest.head,
                       shard_name(static_cast<int>(server)), buffered);
    model::NumberSaver(writer, server == 0 ? "a/" : "b/")("values", values_of(step, server));
    manifest.shards.push_back(writer.finish());
  }
  return manifest;
}

void write_small_checkpoint(env::FileSystem& files, CheckpointStore& store, std::int64_t step) {
  store.commit(write_shards(files, store, step));
}

// The changes that a job makes, with the number of changes after which each step was reported as durable.
struct Recorded {
  std::unique_ptr<env::FileSystem> inner = env::make_memory_files();
  CrashFiles files{*inner};
  std::map<std::int64_t, std::size_t> reported;

  explicit Recorded(bool by_way_of_a_buffer = false) {
    CheckpointStore store(files, "a/checkpoints", "atmosphere");
    const std::string buffer = buffered_path("node", store.path());
    if (by_way_of_a_buffer) try_buffer(files, buffer, "server.0");
    for (std::int64_t step = 1; step <= last_step; ++step) {
      if (by_way_of_a_buffer)
        write_buffered(store, step, checkpoint_path(buffer, step));
      else
        write_small_checkpoint(files, store, step);
      reported.try_emplace(step, files.changes());
      store.prune(keep);
    }
  }

  // Files on the node exist as long as the node does.
  void write_buffered(CheckpointStore& store, std::int64_t step, const std::string& buffered) {
    const Manifest manifest = write_shards(files, store, step, buffered);
    store.note_on_nodes(manifest);
    reported[step] = files.changes();
    for (const Shard& shard : manifest.shards)
      EXPECT_TRUE(drain_shard(files, shard, store.checkpoint_path(step)));
    store.commit(manifest);
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

void expect_small_checkpoint(env::FileSystem& files, const std::string& checkpoints,
                             const Manifest& manifest) {
  const SavedState state(files, checkpoint_path(checkpoints, manifest.head.step), manifest);
  for (const std::int64_t server : {0, 1}) {
    std::vector<std::int64_t> values;
    model::NumberLoader(state, server == 0 ? "a/" : "b/")("values", values);
    EXPECT_EQ(values, values_of(manifest.head.step, server));
  }
}

// As a job that begins does.
void drain_all(env::FileSystem& files, const std::string& checkpoints) {
  CheckpointStore store(files, "a/checkpoints", "atmosphere");
  for (const FoundCheckpoint& checkpoint : checkpoints_on_nodes(files, checkpoints)) {
    remove_parts(files, checkpoint.path);
    EXPECT_THAT(drain_what_is_here(files, checkpoint), ::testing::IsEmpty());
    commit_if_whole(files, store, checkpoint);
  }
}

// The next job finds the newest durable checkpoint or the one that was about to become durable, and
// continues from there.
void expect_usable(env::FileSystem& files, std::int64_t durable) {
  const std::string checkpoints = "a/checkpoints/atmosphere";
  drain_all(files, checkpoints);
  for (const FoundCheckpoint& checkpoint : find_checkpoints(files, checkpoints))
    if (checkpoint.state == FoundCheckpoint::State::complete)
      EXPECT_EQ(damage_of(files, checkpoint.path, checkpoint.manifest), std::nullopt) << checkpoint.path;
    else
      EXPECT_EQ(checkpoint.state, FoundCheckpoint::State::unfinished)
          << checkpoint.path << " " << checkpoint.why;
  CheckpointStore store(files, "a/checkpoints", "atmosphere");
  const auto found = newest_whole(files, checkpoints);
  const std::int64_t step = found ? found->head.step : 0;
  EXPECT_TRUE(step == durable || step == durable + 1) << step << " of " << durable;
  if (found) expect_small_checkpoint(files, checkpoints, *found);
  store.discard_after(step);
  write_small_checkpoint(files, store, step + 1);
  store.prune(1);
  EXPECT_EQ(find_checkpoints(files, checkpoints).size(), 1u);
  EXPECT_EQ(newest_whole(files, checkpoints)->head.step, step + 1);
}

class Crashes : public ::testing::TestWithParam<bool> {};  // by way of a burst buffer?
INSTANTIATE_TEST_SUITE_P(, Crashes, ::testing::Bool());

TEST_P(Crashes, leave_the_last_durable_checkpoint_after_every_change) {
  const Recorded recorded(GetParam());
  EXPECT_GT(recorded.files.changes(), 60u);
  for (std::size_t count = 0; count <= recorded.files.changes(); ++count) {
    SCOPED_TRACE(count);
    const auto files = recorded.after([&](std::size_t i) { return i < count; });
    expect_usable(*files, recorded.durable_before(count));
  }
}

TEST_P(Crashes, leave_the_last_durable_checkpoint_whatever_the_device_has_of_the_rest) {
  const Recorded recorded(GetParam());
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
