// Sets from the first write to the last, and what is read from them.
#include <filesystem>

#include "base/index.hpp"
#include "checkpoint/tests/samples.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CheckpointFiles : public ::testing::Test {
 protected:
  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
  const std::string checkpoints = "checkpoints/atmosphere";
};

TEST_F(CheckpointFiles, have_the_values_that_were_saved) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  const Manifest written = write_checkpoint(*files, store, 12, 3);
  EXPECT_EQ(read_manifest(*files, store.checkpoint_path(12)), written);
  EXPECT_EQ(newest_whole(*files, checkpoints), written);
  expect_values(*files, checkpoints, 12);
}

TEST_F(CheckpointFiles, can_be_read_in_parts_and_saved_in_parts) {
  const StateArray array{"a", DataType::int32, {"y", "x"}, {6, 9}};
  std::vector<std::int32_t> all(54);
  for (int i = 0; i < 54; ++i) all[base::index(i)] = 100 + i;
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  ShardWriter writer(*files, store.checkpoint_path(1), sample_head(1), "state.0.nc");
  for (const auto& [y, x] : {std::pair{0, 0}, {0, 4}, {2, 0}, {2, 4}}) {  // some cells twice
    const std::int64_t rows = y == 0 ? 3 : 4, columns = x == 0 ? 4 : 5;
    std::vector<std::int32_t> block;
    for (std::int64_t j = y; j < y + rows; ++j)
      for (std::int64_t i = x; i < x + columns; ++i) block.push_back(all[base::index(9 * j + i)]);
    writer.save(array, Region::of_box({{y, x}, {rows, columns}}), std::as_bytes(std::span(block)));
  }
  Manifest manifest{sample_head(1), {}, {writer.finish()}};
  store.commit(manifest);

  const SavedState state(*files, store.checkpoint_path(1), manifest);
  EXPECT_EQ(state.find("a"), array);
  EXPECT_EQ(state.find("b"), std::nullopt);
  const Region part({{{4, 2}, {0, 1}}, {{7, 2}, {1, 1}, {3, 2}}});  // rows 4, 5, 0; columns 7, 8, 1, 3, 4
  std::vector<std::int32_t> values(15);
  state.load(array, part, std::as_writable_bytes(std::span(values)));
  EXPECT_THAT(values, ElementsAre(143, 144, 137, 139, 140, 152, 153, 146, 148, 149, 107, 108, 101, 103, 104));
}

TEST_F(CheckpointFiles, numbers_and_texts_come_back) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  ShardWriter writer(*files, store.checkpoint_path(2), sample_head(2), "state.0.nc");
  model::NumberSaver saver(writer, "model/");
  saver("seed", std::int64_t{-17});
  saver("calendar", std::string("360_day"));
  saver("empty", std::vector<double>{});
  Manifest manifest{sample_head(2), {}, {writer.finish()}};
  store.commit(manifest);
  const SavedState state(*files, store.checkpoint_path(2), manifest);
  model::NumberLoader loader(state, "model/");
  std::int64_t seed = 0;
  std::string calendar;
  std::vector<double> empty{1.0};
  loader("seed", seed);
  loader("calendar", calendar);
  loader("empty", empty);
  EXPECT_EQ(seed, -17);
  EXPECT_EQ(calendar, "360_day");
  EXPECT_TRUE(empty.empty());
}

TEST_F(CheckpointFiles, say_what_is_wrong_with_a_request) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  const Manifest manifest = write_checkpoint(*files, store, 3);
  const SavedState state(*files, store.checkpoint_path(3), manifest);
  std::vector<std::byte> values(8);
  EXPECT_EQ(
      message_of([&] {
        state.load({"streams/stop", DataType::int64, {}, {}}, Region(), values);
      }),
      "checkpoint checkpoints/atmosphere/step_000000000003 has no \"streams/stop\". Did you mean "
      "\"streams/step\"? (known: files/mean.nc/w/samples, files/mean.nc/w/sum, files/none.nc/clock/waiting, "
      "files/{day}.nc/v/extreme, files/{day}.nc/w/extreme, large, streams/step)");
  EXPECT_EQ(
      message_of([&] {
        state.load({"streams/step", DataType::float64, {"x"}, {1}}, Region(), values);
      }),
      "checkpoint checkpoints/atmosphere/step_000000000003 has \"streams/step\" as int64(), but float64(x=1) "
      "is expected");
}

TEST_F(CheckpointFiles, say_what_is_wrong_with_what_is_saved) {
  const StateArray array{"a", DataType::uint8, {"x"}, {4}};
  const Bytes values = pattern(4, 1);
  ShardWriter writer(*files, checkpoints + "/step_000000000001", sample_head(1), "state.0.nc");
  writer.save(array, Region::of_box({{1}, {2}}), std::span(values).subspan(1, 2));
  const std::string path = "checkpoint checkpoints/atmosphere/step_000000000001/state.0.nc: ";
  EXPECT_EQ(message_of([&] { writer.finish(); }), path + "state \"a\" lacks 2 of its 4 cells, cell 0 first");
  EXPECT_EQ(message_of([&] { writer.save(array, whole(array), pattern(4, 2)); }),
            path + "state \"a\" is saved with different values, from cell 1 on");
  ShardWriter again(*files, checkpoints + "/step_000000000001", sample_head(1), "state.0.nc");
  again.save(array, whole(array), values);
  again.save(array, whole(array), values);
  EXPECT_EQ(message_of([&] { again.save(array, whole(array), pattern(4, 2)); }),
            path + "state \"a\" is saved with different values, from cell 0 on");
  StateArray other = array;
  other.type = DataType::int8;
  EXPECT_EQ(message_of([&] { again.save(other, whole(other), values); }),
            path + "state \"a\" is saved as uint8(x=4) and as int8(x=4)");
}

TEST_F(CheckpointFiles, a_member_that_is_not_finished_goes) {
  { ShardWriter writer(*files, checkpoints + "/step_000000000001", sample_head(1), "state.0.nc"); }
  EXPECT_FALSE(files->exists(checkpoints + "/step_000000000001/state.0.nc"));
}

TEST_F(CheckpointFiles, travel_as_shards_from_server_to_server) {
  const Shard shard = write_shard(*files, checkpoints, 4, 0, 2);
  base::ByteWriter writer;
  shard.put(writer);
  const Bytes bytes = writer.take();
  base::ByteReader reader(bytes);
  EXPECT_EQ(Shard::get(reader), shard);
  EXPECT_TRUE(reader.rest().empty());
}

TEST_F(CheckpointFiles, are_known_by_the_names_of_their_directories) {
  EXPECT_EQ(checkpoint_path("a", 1234), "a/step_000000001234");
  EXPECT_EQ(step_of_name("step_000000001234"), 1234);
  EXPECT_EQ(step_of_name("step_1234567890123"), 1234567890123);
  for (const char* name : {"", "step_", "step_12", "step_00000000012x", "state.0.nc", "step_-00000000012"})
    EXPECT_EQ(step_of_name(name), -1) << name;
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
