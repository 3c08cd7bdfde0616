// A set that an earlier version wrote is read by all later ones: tests/data/checkpoints_v1, which
// tests/data/make_checkpoints made.
#include <cstdlib>

#include "checkpoint/tests/samples.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint::testing {
namespace {

constexpr std::int64_t golden_step = 42;

std::vector<StateArray> golden_arrays() {
  return {
      {"streams/step", DataType::int64, {}, {}},
      {"streams/time", DataType::float64, {}, {}},
      {"files/mean.nc/w/sum", DataType::float64, {"z", "y", "x"}, {3, 4, 5}},
      {"files/mean.nc/w/samples", DataType::int64, {"files/mean.nc/w/samples"}, {7}},
      {"files/{day}.nc/waiting", DataType::float64, {"files/{day}.nc/waiting"}, {0}},
      {"files/{day}.nc/w/records", DataType::float32, {"record", "y", "x"}, {2, 4, 5}},
      {"files/{day}.nc/i/records", DataType::int32, {"record", "y", "x"}, {3, 4, 5}},
      {"files/{day}.nc/s/records", DataType::int16, {"record", "cell"}, {2, 11}},
      {"masks/sea", DataType::int8, {"cell"}, {11}},
      {"masks/land", DataType::uint8, {"cell"}, {11}},
  };
}

// Numbers that all types have, or quarters: 3 * array + cell, the latter in quarters where they are real.
Bytes golden_values(std::size_t number) {
  const StateArray array = golden_arrays()[number];
  Bytes values(bytes_of(array));
  model::dispatch(array.type, [&](auto sample) {
    using T = decltype(sample);
    for (std::size_t cell = 0; cell < values.size() / sizeof(T); ++cell) {
      const double value = static_cast<double>(cell) * (std::is_floating_point_v<T> ? 0.25 : 1.0);
      const T typed = static_cast<T>(static_cast<double>(3 * number) + value);
      std::memcpy(values.data() + cell * sizeof(T), &typed, sizeof(T));
    }
  });
  return values;
}

TEST(Golden, is_made_on_request) {
  const char* const directory = std::getenv("TAILRACE_MAKE_CHECKPOINTS");
  if (directory == nullptr) GTEST_SKIP() << "tests/data/make_checkpoints asks for it";
  CheckpointStore store(env::system_files(), directory, "atmosphere");
  Manifest manifest{{"atmosphere", golden_step, 10.5}, {{"field w", "float64 on grid les"}}, {}};
  const auto arrays = golden_arrays();
  for (const std::size_t server : {0u, 1u}) {
    ShardWriter writer(env::system_files(), store.checkpoint_path(golden_step), manifest.head,
                       shard_name(static_cast<int>(server)));
    for (std::size_t i = server; i < arrays.size(); i += 2)
      writer.save(arrays[i], whole(arrays[i]), golden_values(i));
    manifest.shards.push_back(writer.finish());
  }
  store.commit(manifest);
}

TEST(Golden, is_read) {
  const std::string checkpoints = std::string(TAILRACE_TEST_DATA) + "/checkpoints_v1/atmosphere";
  const auto manifest = newest_whole(env::system_files(), checkpoints);
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->head, (CheckpointHeader{"atmosphere", golden_step, 10.5}));
  EXPECT_THAT(manifest->texts, ::testing::ElementsAre(std::pair("field w", "float64 on grid les")));
  const SavedState state(env::system_files(), checkpoint_path(checkpoints, golden_step), *manifest);
  const auto arrays = golden_arrays();
  EXPECT_EQ(state.names().size(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Bytes values(bytes_of(arrays[i]));
    state.load(arrays[i], whole(arrays[i]), values);
    EXPECT_EQ(values, golden_values(i)) << arrays[i].name;
  }
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
