// Zarr stores that many servers write: the writers of chunks, beside the home, which writes the metadata.
#include <fmt/format.h>

#include <filesystem>

#include "output/testing/dataset_conformance.hpp"
#include "output/tests/raw_files.hpp"
#include "output/tests/read_zarr.hpp"
#include "output/tests/together_zarr.hpp"

namespace tailrace::output {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using ::testing::HasSubstr;
using testing::read_zarr;
using testing::sample_commit;
using testing::sample_spec;
using testing::share_of;
using testing::TogetherFormat;
using testing::zarr_format;

class ZarrWriters : public testing::NetcdfFormat {
 protected:
  DatasetSpec new_spec(const std::string& name, int writers = 3) const {
    DatasetSpec spec = testing::sharded(sample_spec(path(name)), testing::by_all());
    spec.writers = ManyWriters{writers, "the token of " + name};
    return spec;
  }
};

std::vector<std::unique_ptr<Dataset>> writers_of(const DatasetSpec& spec) {
  std::vector<std::unique_ptr<Dataset>> writers;
  for (int i = 0; i < spec.writers->count; ++i) writers.push_back(zarr_format().open_writer(spec, i));
  return writers;
}

std::map<std::string, Bytes> tree_of(const std::string& path) {
  std::map<std::string, Bytes> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), path).string()] =
          testing::contents(entry.path().string());
  return files;
}

template <class Call>
std::string complaint_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource) << error.what();
    return error.what();
  }
  return "no error";
}

TEST_F(ZarrWriters, keep_the_contract_together) {
  testing::check_format(TogetherFormat(), path("together.zarr"), &read_zarr);
}

// With many writers, and in any order, the files of the store are the same, and nothing else is left.
TEST_F(ZarrWriters, the_store_has_the_bytes_of_one_writer) {
  DatasetSpec alone = new_spec("alone.zarr");
  alone.writers.reset();
  const auto one = zarr_format().create(alone);
  const DatasetSpec spec = new_spec("many.zarr");
  const auto home = zarr_format().create(spec);
  const auto writers = writers_of(spec);
  for (std::int64_t record = 0; record < 11; ++record) one->commit(sample_commit(alone, record));
  for (std::size_t i = writers.size(); i-- > 0;)  // each ahead of the others and of the home
    for (std::int64_t record = 0; record < 11; ++record)
      writers[i]->commit(share_of(spec, sample_commit(spec, record), static_cast<int>(i)));
  testing::check_records(spec, &read_zarr, 0);
  for (std::int64_t record = 0; record < 11; ++record) {
    home->commit(share_of(spec, sample_commit(spec, record), -1));
    testing::check_records(spec, &read_zarr, record + 1);
  }
  std::uint64_t bytes = home->bytes_on_disk();
  for (const auto& writer : writers) {
    writer->close();
    bytes += writer->bytes_on_disk();
  }
  home->close();
  one->close();
  EXPECT_EQ(tree_of(spec.path), tree_of(alone.path));
  EXPECT_EQ(bytes, one->bytes_on_disk());
}

TEST_F(ZarrWriters, a_writer_writes_to_no_other_store) {
  const DatasetSpec spec = new_spec("one.zarr");
  const auto writer = zarr_format().open_writer(spec, 1);
  const Commit commit = share_of(spec, sample_commit(spec, 0), 1);
  const auto words = AllOf(HasSubstr("one.zarr: is not the store that the home of the file writes"),
                           HasSubstr("expected such a directory, or `zarr: {writers: home}`"));
  EXPECT_THAT(complaint_of([&] { writer->commit(commit); }), words);
  DatasetSpec other = spec;
  other.writers->token = "another one";
  auto home = zarr_format().create(other);
  const auto before = tree_of(spec.path);
  EXPECT_THAT(complaint_of([&] { writer->commit(commit); }), words);
  EXPECT_EQ(tree_of(spec.path), before);
  home->close();
  home = zarr_format().create(spec);
  writer->commit(commit);  // now it is the store of its home
}

TEST_F(ZarrWriters, a_writer_notices_that_its_store_was_replaced) {
  const DatasetSpec spec = new_spec("moved.zarr");
  auto home = zarr_format().create(spec);
  const auto writers = writers_of(spec);
  writers[0]->commit(share_of(spec, sample_commit(spec, 0), 0));
  home.reset();
  std::filesystem::rename(spec.path, path("elsewhere.zarr"));
  DatasetSpec other = spec;
  other.writers->token = "another one";
  home = zarr_format().create(other);
  const auto before = tree_of(spec.path);
  EXPECT_THAT(complaint_of([&] { writers[0]->commit(share_of(spec, sample_commit(spec, 1), 0)); }),
              HasSubstr("was removed, or replaced by another program"));
  EXPECT_EQ(tree_of(spec.path), before);
}

// The home may have died before its writers.
TEST_F(ZarrWriters, no_session_takes_a_store_that_a_writer_still_writes) {
  DatasetSpec spec = new_spec("alive.zarr");
  auto home = zarr_format().create(spec);
  auto writers = writers_of(spec);
  for (std::int64_t record = 0; record < 3; ++record) {
    for (std::size_t i = 0; i < writers.size(); ++i)
      writers[i]->commit(share_of(spec, sample_commit(spec, record), static_cast<int>(i)));
    if (record < 2) home->commit(share_of(spec, sample_commit(spec, record), -1));
  }
  home.reset();
  DatasetSpec next = new_spec("alive.zarr", 2);
  next.writers->token = "the next run";
  const auto refused = HasSubstr("alive.zarr: is being written by another session: process ");
  EXPECT_THAT(complaint_of([&] { zarr_format().create(next); }), refused);
  next.if_exists = IfExists::append;
  next.kept = {{testing::time_dim, 2}, {testing::snap_dim, 2}};
  EXPECT_THAT(complaint_of([&] { zarr_format().create(next); }), refused);
  writers.resize(2);  // writer 2 still lives
  EXPECT_THAT(complaint_of([&] { zarr_format().create(next); }), refused);
  testing::check_records(spec, &read_zarr, 2);
  writers.clear();
  testing::put_contents(spec.path + "/time/.new.1", testing::pattern(100, 1));  // of a killed one
  home = zarr_format().create(next);
  EXPECT_FALSE(std::filesystem::exists(spec.path + "/time/.new.1"));
  next.options = zarr_format().options_to_continue(next);
  writers = writers_of(next);
  for (std::int64_t record = 2; record < 7; ++record) {
    const Commit commit = testing::commit_of_later_run(next, record, 2);
    for (std::size_t i = 0; i < writers.size(); ++i)
      writers[i]->commit(share_of(next, commit, static_cast<int>(i)));
    home->commit(share_of(next, commit, -1));
    testing::check_records(next, &read_zarr, record + 1);
  }
  for (const auto& writer : writers) writer->close();
  home->close();
  EXPECT_FALSE(std::filesystem::exists(spec.path + "/time/.writers"));
}

TEST_F(ZarrWriters, a_damaged_shard_is_an_error_of_its_writer) {
  DatasetSpec spec = new_spec("damaged.zarr");
  {
    const auto dataset = TogetherFormat().create(spec);
    for (std::int64_t record = 0; record < 6; ++record) dataset->commit(sample_commit(spec, record));
    dataset->close();
  }
  const std::string shard = spec.path + "/theta/c/1/0/0";
  auto bytes = testing::contents(shard);
  bytes.back() ^= std::byte{1};
  testing::put_contents(shard, bytes);
  spec.if_exists = IfExists::append;
  spec.kept = {{testing::time_dim, 6}, {testing::snap_dim, 6}};
  const auto dataset = TogetherFormat().create(spec);
  EXPECT_THAT(complaint_of([&] { dataset->commit(testing::commit_of_later_run(spec, 6, 6)); }),
              AllOf(HasSubstr("damaged.zarr: theta/c/1/0/0"), HasSubstr("CRC-32C")));
}

TEST_F(ZarrWriters, many_write_what_the_options_and_the_values_allow) {
  DatasetSpec spec = new_spec("may.zarr");
  EXPECT_TRUE(zarr_format().can_be_written_by_many(spec));
  spec.variables[testing::theta].codec.keep.emplace();
  EXPECT_FALSE(zarr_format().can_be_written_by_many(spec)) << "the home counts errors";
  EXPECT_FALSE(zarr_format().can_be_written_by_many(testing::sharded(sample_spec(path("home.zarr")))));
  DatasetSpec object = testing::sharded(sample_spec("s3://bucket/run.zarr"), testing::by_all());
  EXPECT_FALSE(zarr_format().can_be_written_by_many(object));
}

}  // namespace
}  // namespace tailrace::output
