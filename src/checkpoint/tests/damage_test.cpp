// Tests how damage in checkpoints is detected and handled.
#include <fmt/format.h>

#include "checkpoint/manifest.hpp"
#include "checkpoint/tests/samples.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class DamagedSets : public ::testing::Test {
 protected:
  void SetUp() override {
    CheckpointStore store(*files, "checkpoints", "atmosphere");
    older = write_checkpoint(*files, store, 5);
    newer = write_checkpoint(*files, store, 10);
  }

  void change(const std::string& path, std::uint64_t place, unsigned bit) {
    const auto file = files->open(path, env::Access::update);
    std::byte byte[1];
    file->read(place, byte);
    byte[0] ^= std::byte{1} << bit;
    file->write(place, byte);
  }

  // The warning about the newer set; the older one is used.
  std::string reason() {
    ::testing::internal::CaptureStderr();
    const auto used = newest_whole(*files, checkpoints);
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(used, older) << log;
    const std::string begin = "tailrace: warning: checkpoint " + newer_path + " is not used: ";
    const std::string end = "; trying the previous one\n";
    EXPECT_THAT(log, StartsWith(begin));
    EXPECT_THAT(log, ::testing::EndsWith(end));
    if (log.size() < begin.size() + end.size()) return log;
    return log.substr(begin.size(), log.size() - begin.size() - end.size());
  }

  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
  const std::string checkpoints = "checkpoints/atmosphere";
  const std::string newer_path = "checkpoints/atmosphere/step_000000000010";
  Manifest older, newer;
};

TEST_F(DamagedSets, a_flipped_bit_is_found_in_each_region_of_each_shard) {
  int regions = 0;
  for (const Shard& shard : newer.shards) {
    const std::string path = newer_path + "/" + shard.name;
    for (std::uint64_t begin = 0; begin < shard.bytes; begin += region_bytes) {
      const std::uint64_t end = std::min(begin + region_bytes, shard.bytes);
      for (const std::uint64_t place : {begin, (begin + end) / 2, end - 1}) {
        change(path, place, 5);
        EXPECT_EQ(reason(), fmt::format("shard {} is damaged: its bytes {} to {} do not match their checksum",
                                        shard.name, begin, end - 1));
        change(path, place, 5);
      }
      ++regions;
    }
  }
  EXPECT_EQ(regions, 4);
  EXPECT_EQ(newest_whole(*files, checkpoints), newer);
}

TEST_F(DamagedSets, a_flipped_bit_is_found_anywhere_in_the_manifest) {
  const std::string path = newer_path + "/manifest.json";
  const std::string text = files->read(path);
  for (std::size_t place = 0; place < text.size(); ++place) {
    std::string changed = text;
    changed[place] = static_cast<char>(changed[place] ^ (1 << (place % 8)));
    EXPECT_THAT(message_of([&] { manifest_of(changed); }),
                ::testing::AnyOf(HasSubstr("is damaged"), HasSubstr("is cut off")))
        << place;
  }
  files->write(path, text.substr(0, 40) + "x" + text.substr(41));
  EXPECT_EQ(reason(), "manifest.json is damaged: its checksum does not match");
}

TEST_F(DamagedSets, a_manifest_that_is_cut_off_anywhere_is_found) {
  const std::string text = files->read(newer_path + "/manifest.json");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(message_of([&] { manifest_of(std::string_view(text).substr(0, size)); }), "no error") << size;
  files->write(newer_path + "/manifest.json", "");
  EXPECT_EQ(reason(), "manifest.json is cut off after 0 bytes");
}

TEST_F(DamagedSets, a_member_that_is_short_long_or_missing_is_named) {
  const Shard& shard = newer.shards[1];
  const std::string path = newer_path + "/state.1.nc";
  const std::string contents = files->read(path);
  files->write(path, contents.substr(0, 1000));
  EXPECT_EQ(reason(), fmt::format("shard state.1.nc is truncated: 1000 of {} bytes exist", shard.bytes));
  files->write(path, contents + "x");
  EXPECT_EQ(reason(), fmt::format("shard state.1.nc is longer than it was: {} of {} bytes exist",
                                  shard.bytes + 1, shard.bytes));
  files->remove(path);
  EXPECT_EQ(reason(), "shard state.1.nc is missing");
  EXPECT_EQ(message_of([&] { SavedState(*files, newer_path, newer); }),
            "checkpoint checkpoints/atmosphere/step_000000000010/state.1.nc: cannot open: No such file or "
            "directory");
}

TEST_F(DamagedSets, a_set_that_lost_its_manifest_is_told_from_one_that_was_never_finished) {
  files->remove(newer_path + "/manifest.json");
  EXPECT_EQ(reason(), "manifest.json is missing, and the checkpoint was complete");
  EXPECT_EQ(reason(), "manifest.json is missing, and the checkpoint was complete");
  { const CheckpointStore next(*files, "checkpoints", "atmosphere"); }  // removes unfinished ones only
  EXPECT_TRUE(files->exists(newer_path + "/state.1.nc"));
  files->remove(checkpoints + "/complete");  // as of an earlier version
  EXPECT_EQ(reason(), "it has no manifest.json, so it was never finished");
}

TEST_F(DamagedSets, a_set_that_is_removed_or_begun_once_more_is_not_damaged) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  store.prune(1);
  EXPECT_THAT(find_checkpoints(*files, checkpoints), ::testing::SizeIs(1));
  ::testing::internal::CaptureStderr();
  store.discard_after(5);
  ::testing::internal::GetCapturedStderr();
  write_shard(*files, checkpoints, 10, 0, 2);  // a job that is killed then
  EXPECT_EQ(find_checkpoints(*files, checkpoints).at(0).state, FoundCheckpoint::State::unfinished);
}

TEST_F(DamagedSets, a_set_that_the_user_removed_is_forgotten) {
  for (const std::string& name : files->list(newer_path)) files->remove(newer_path + "/" + name);
  files->remove(newer_path);
  { const CheckpointStore next(*files, "checkpoints", "atmosphere"); }
  write_shard(*files, checkpoints, 10, 0, 2);
  EXPECT_EQ(find_checkpoints(*files, checkpoints).at(0).state, FoundCheckpoint::State::unfinished);
}

TEST_F(DamagedSets, a_set_under_another_name_is_not_taken_for_what_it_is_not) {
  Manifest other = newer;
  other.head.step = 11;
  files->write(newer_path + "/manifest.json", to_text(other));
  EXPECT_EQ(
      message_of([&] { newest_whole(*files, checkpoints); }),
      "checkpoint checkpoints/atmosphere/step_000000000010 cannot be used: it has the manifest of step 11");
  other = newer;
  other.head.component = "ocean";
  files->write(newer_path + "/manifest.json", to_text(other));
  EXPECT_EQ(
      message_of([&] { newest_whole(*files, checkpoints); }),
      "checkpoint checkpoints/atmosphere/step_000000000010 cannot be used: it has the manifest of component "
      "\"ocean\"");
}

TEST_F(DamagedSets, where_none_is_whole_each_is_named) {
  files->remove(newer_path + "/state.0.nc");
  change("checkpoints/atmosphere/step_000000000005/state.0.nc", 7, 0);
  write_shard(*files, checkpoints, 20, 0, 2);
  EXPECT_EQ(
      message_of([&] { newest_whole(*files, checkpoints); }),
      "there are checkpoints in checkpoints/atmosphere, but none of them can be used:\n"
      "    checkpoints/atmosphere/step_000000000020: it has no manifest.json, so it was never finished\n"
      "    checkpoints/atmosphere/step_000000000010: shard state.0.nc is missing\n"
      "    checkpoints/atmosphere/step_000000000005: shard state.0.nc is damaged: its bytes 0 to 1048575 "
      "do not match their checksum");
  EXPECT_EQ(newest_whole(*files, "checkpoints/ocean"), std::nullopt);
}

TEST_F(DamagedSets, where_none_was_ever_finished_there_is_none) {
  CheckpointStore store(*files, "checkpoints", "ocean");
  write_shard(*files, "checkpoints/ocean", 20, 0, 2);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(newest_whole(*files, "checkpoints/ocean"), std::nullopt);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("step_000000000020 is not used"));
}

TEST_F(DamagedSets, that_are_files_or_cannot_be_read_are_named) {
  for (const char* const path : {"step_000000000005", "step_000000000010"}) {
    const std::string set = checkpoints + "/" + path;
    for (const std::string& name : files->list(set)) files->remove(set + "/" + name);
    files->remove(set);
    files->write(set, "");
  }
  const std::string said = message_of([&] { newest_whole(*files, checkpoints); });
  EXPECT_THAT(said, HasSubstr("none of them can be used:\n    " + newer_path + ": manifest.json "));
  EXPECT_THAT(said, HasSubstr("step_000000000005: manifest.json "));
}

// Each server checks its share; together they see all.
TEST_F(DamagedSets, are_found_by_several_who_share_the_work) {
  change(newer_path + "/state.0.nc", 2 * region_bytes + 3, 1);
  int found = 0;
  for (std::size_t index = 0; index < 3; ++index)
    found += damage_of(*files, newer_path, newer, {index, 3}).has_value();
  EXPECT_EQ(found, 1);
  EXPECT_EQ(damage_of(*files, checkpoints + "/step_000000000005", older, {1, 3}), std::nullopt);
}

// With a checksum that fits.
std::string signed_text(std::string text, const std::string& from, const std::string& to) {
  text.resize(text.rfind(",\n \"crc32\""));
  text.replace(text.find(from), from.size(), to);
  return text + fmt::format(",\n \"crc32\": \"{:08x}\"\n}}\n", checksum(std::as_bytes(std::span(text))));
}

TEST_F(DamagedSets, of_a_later_version_or_another_machine_are_refused) {
  const std::string path = newer_path + "/manifest.json";
  const std::string text = files->read(path);
  files->write(path, signed_text(text, "\"version\": 1", "\"version\": 2"));
  EXPECT_THAT(
      message_of([&] { newest_whole(*files, checkpoints); }),
      ::testing::MatchesRegex("checkpoint checkpoints/atmosphere/step_000000000010 cannot be used: it was "
                              "written in version 2 of the format, by Tailrace [0-9.]+; this Tailrace "
                              "\\([0-9.]+\\) reads versions up to 1"));
  files->write(path, signed_text(text, "\"little\"", "\"big\""));
  EXPECT_EQ(
      message_of([&] { read_manifest(*files, newer_path); }),
      "checkpoint checkpoints/atmosphere/step_000000000010 cannot be used: it has its numbers in big-endian "
      "order, and this machine has them in little-endian order");
  files->write(path, signed_text(text, "\"float64\"", "\"float17\""));
  EXPECT_EQ(reason(), "manifest.json names the unknown type \"float17\"");
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
