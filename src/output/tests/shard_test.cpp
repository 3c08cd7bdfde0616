// Shards of Zarr stores: their index, their shapes, and what commits and readers find in them.
#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "output/testing/dataset_conformance.hpp"
#include "output/tests/raw_files.hpp"
#include "output/tests/read_zarr.hpp"
#include "output/tests/sharded_sample.hpp"
#include "output/zarr/crc32c.hpp"
#include "output/zarr/existing.hpp"
#include "output/zarr/frame.hpp"
#include "output/zarr/shard_grid.hpp"
#include "output/zarr/shard_index.hpp"

namespace tailrace::output {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Shape = std::vector<std::int64_t>;
using testing::Bytes;
using testing::read_zarr;
using testing::sample_commit;
using testing::sample_spec;
using testing::sharded;
using zarr::ShardIndex;

std::span<const std::byte> as_span(std::string_view text) { return std::as_bytes(std::span(text)); }

// The examples of RFC 3720, B.4, and the check value of CRC catalogues.
TEST(Crc32c, agrees_with_published_values) {
  EXPECT_EQ(zarr::crc32c(as_span("123456789")), 0xe3069283u);
  EXPECT_EQ(zarr::crc32c(as_span(std::string(32, '\0'))), 0x8a9136aau);
  EXPECT_EQ(zarr::crc32c(as_span(std::string(32, '\xff'))), 0x62a8ab43u);
  EXPECT_EQ(zarr::crc32c({}), 0u);
}

TEST(ShardIndex, is_read_as_it_was_written) {
  ShardIndex index(5);
  index.set(0, ShardIndex::Place{96, 0});
  index.set(3, ShardIndex::Place{0, 96});
  const auto bytes = index.encoded();
  ASSERT_EQ(bytes.size(), 5u * 16 + 4);
  const ShardIndex again = ShardIndex::decoded(bytes, 5, 96 + bytes.size());
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(again.at(i), index.at(i)) << i;
  EXPECT_EQ(again.end(), 96u);
}

std::string complaint_of(std::span<const std::byte> bytes, std::size_t chunks, std::uint64_t size) {
  try {
    ShardIndex::decoded(bytes, chunks, size);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    return error.what();
  }
  return "no error";
}

TEST(ShardIndex, any_changed_bit_is_found) {
  ShardIndex index(3);
  index.set(1, ShardIndex::Place{10, 20});
  const auto whole = index.encoded();
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    auto damaged = whole;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_THAT(complaint_of(damaged, 3, 1000), HasSubstr("the index of the shard is damaged: its CRC-32C"));
  }
}

TEST(ShardIndex, a_chunk_outside_the_file_is_an_error) {
  for (const ShardIndex::Place place :
       {ShardIndex::Place{0, 101}, {101, 0}, {~std::uint64_t{0}, 7}, {5, ~std::uint64_t{0} - 3}}) {
    ShardIndex index(1);
    index.set(0, place);
    EXPECT_THAT(complaint_of(index.encoded(), 1, 100 + 20),
                AllOf(HasSubstr("chunk 0 of it has"), HasSubstr("and the file has room for 100")));
  }
  EXPECT_THAT(complaint_of({}, 1, 0), HasSubstr("the file has 0 bytes, and the index of 1 chunks takes 20"));
}

// Whatever the bytes of a shard are, its index is refused or names bytes of the file, and each chunk is
// refused or decoded to its size. Half of the shards get a valid checksum, so that the rest is read.
TEST(ShardIndex, damaged_shards_are_errors) {
  const char* wish = std::getenv("TAILRACE_TEST_FUZZED_SHARDS");
  const int shards = wish != nullptr ? std::atoi(wish) : 3000;
  std::mt19937_64 random(37);
  const auto spec = sample_spec("unused");
  const VariableSpec& theta = spec.variables[testing::theta];
  const std::size_t size = zarr::bytes_of_chunk(spec, theta);
  const Bytes cells = testing::pattern(size, 5);
  const auto stream = codecs::make_codec(theta.codec)->encode(cells, describe_chunk(theta));
  int read = 0, refused = 0;
  for (int i = 0; i < shards; ++i) {
    const std::size_t chunks = 1 + random() % 4;
    ShardIndex index(chunks);
    Bytes file;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const zarr::Frame frame = zarr::framed(theta, size, stream, true);
      index.set(chunk, ShardIndex::Place{file.size(), frame.front.size() + frame.body.size()});
      file.insert(file.end(), frame.front.begin(), frame.front.end());
      file.insert(file.end(), frame.body.begin(), frame.body.end());
    }
    const auto encoded = index.encoded();
    file.insert(file.end(), encoded.begin(), encoded.end());
    for (std::uint64_t changes = 1 + random() % 8; changes-- > 0;)
      file[random() % file.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0) file.resize(random() % file.size());
    if (file.size() >= encoded.size() && random() % 2 == 0) {
      const auto entries = std::span(file).last(encoded.size()).first(encoded.size() - 4);
      const std::uint32_t checksum = zarr::crc32c(entries);
      std::memcpy(file.data() + file.size() - 4, &checksum, sizeof checksum);
    }
    try {
      const auto tail = std::span<const std::byte>(file).last(std::min(file.size(), encoded.size()));
      const ShardIndex found = ShardIndex::decoded(tail, chunks, file.size());
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        if (!found.at(chunk)) continue;
        const auto bytes =
            std::span<const std::byte>(file).subspan(found.at(chunk)->offset, found.at(chunk)->size);
        EXPECT_EQ(zarr::unframed(theta, size, bytes).size(), size);
      }
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::resource) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

// A variable of float32 with records of 6 x 40 cells, 960 bytes, in chunks of 2 x 10.
DatasetSpec grid_spec(std::optional<std::int64_t> of_commit, const zarr::Options& options,
                      Shape chunk = {1, 2, 10}) {
  DatasetSpec spec;
  spec.dims = {{"time", 0, true}, {"y", 6, false}, {"x", 40, false}};
  spec.variables = {{"u", model::DataType::float32, {0, 1, 2}, std::move(chunk), {}, {}, {}}};
  spec.variables[0].is_field = true;
  spec.variables[0].records_of_commit = of_commit;
  spec.options = wrap_options(options);
  return spec;
}

Shape shard(const DatasetSpec& spec) { return zarr::shard_of(spec, spec.variables[0]); }

TEST(ShardGrid, shards_hold_whole_records_and_those_of_a_commit) {
  EXPECT_EQ(shard(grid_spec(std::nullopt, {})), (Shape{1, 6, 40}));
  EXPECT_EQ(shard(grid_spec(12, {})), (Shape{12, 6, 40}));
  EXPECT_EQ(shard(grid_spec(12, {.shard_bytes = 5 * 960})), (Shape{4, 6, 40}));  // a divisor of 12
  EXPECT_EQ(shard(grid_spec(12, {.shard_bytes = 480})), (Shape{1, 2, 40}));  // even parts: 12 chunks in 3 x 4
  EXPECT_EQ(shard(grid_spec(12, {.shard_bytes = 240})), (Shape{1, 2, 20}));
  EXPECT_EQ(shard(grid_spec(12, {.shard_bytes = 100})), Shape{});  // a chunk is more than half of it
}

TEST(ShardGrid, chunks_that_several_commits_fill_are_files) {
  const Shape several{3, 2, 10};
  EXPECT_EQ(shard(grid_spec(std::nullopt, {}, several)), Shape{});
  EXPECT_EQ(shard(grid_spec(4, {}, several)), Shape{});
  EXPECT_EQ(shard(grid_spec(6, {}, several)), (Shape{6, 6, 40}));
}

TEST(ShardGrid, the_user_chooses_records_or_no_shards) {
  EXPECT_EQ(shard(grid_spec(12, {.shard_records = 5})), (Shape{5, 6, 40}));
  EXPECT_EQ(shard(grid_spec({}, {.shard_records = 5}, {3, 2, 10})), (Shape{6, 6, 40}));
  EXPECT_EQ(shard(grid_spec({}, {.shard_bytes = 2400, .shard_records = 10})), (Shape{10, 2, 20}));
  EXPECT_EQ(shard(grid_spec(12, {.shards = false})), Shape{});
  DatasetSpec coordinate = grid_spec(12, {});
  coordinate.variables[0].is_field = false;
  EXPECT_EQ(shard(coordinate), Shape{});
  coordinate.variables[0].is_field = true;
  coordinate.variables[0].chunk = {1, 6, 40};
  coordinate.variables[0].records_of_commit = {};
  EXPECT_EQ(shard(coordinate), Shape{}) << "one chunk is no shard";
}

TEST(ShardGrid, chunks_are_counted_in_c_order) {
  const Shape in{4, 6, 40}, chunk{2, 3, 10};
  ASSERT_EQ(zarr::chunks_in(in, chunk), 16u);
  EXPECT_EQ(zarr::number_in_shard({6, 9, 70}, in, chunk), 15u);
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_EQ(zarr::number_in_shard(zarr::corner_in_shard(i, in, chunk), in, chunk), i);
}

class ShardedStore : public testing::NetcdfFormat {};

std::int64_t files_below(const std::string& folder) {
  return std::ranges::count_if(std::filesystem::recursive_directory_iterator(folder),
                               [](const auto& entry) { return entry.is_regular_file(); });
}

TEST_F(ShardedStore, keeps_the_contract_of_formats) {
  testing::check_format(testing::ShardedZarr(), directory_, &read_zarr, true, &testing::zarr_attribute);
  const testing::ZarrChunks theta(testing::zarr_json(path("growth.nc") + "/theta"));
  EXPECT_EQ(theta.file, (Shape{4, 5, 8}));
  EXPECT_EQ(theta.chunk, (Shape{1, 5, 4}));
  EXPECT_EQ(testing::ZarrChunks(testing::zarr_json(path("growth.nc") + "/flux")).file, (Shape{6, 8}));
  EXPECT_EQ(testing::ZarrChunks(testing::zarr_json(path("growth.nc") + "/mask")).file, (Shape{6, 8}));
  EXPECT_FALSE(testing::ZarrChunks(testing::zarr_json(path("growth.nc") + "/time")).is_sharded);
}

TEST_F(ShardedStore, every_codec_is_within_the_shards) {
  const testing::ShardedZarr format;
  for (const codecs::CodecOptions& codec :
       {codecs::CodecOptions{"none", 1, true}, {"zlib", 1, false}, {"zstd", 3, true}}) {
    const auto spec = sample_spec(path(codec.codec), codec);
    const auto dataset = format.create(spec);
    for (std::int64_t record = 0; record < 9; ++record) {
      dataset->commit(sample_commit(spec, record));
      testing::check_records(spec, &read_zarr, record + 1);
    }
    dataset->close();
  }
}

// A full chunk comes without its codec if that failed. It is stored as it is, and not encoded again.
TEST_F(ShardedStore, a_full_chunk_that_was_not_encoded_is_stored_as_it_is) {
  const auto spec = sharded(sample_spec(path("raw")));
  const auto dataset = find_format("zarr")->create(spec);
  Commit commit = sample_commit(spec, 0);
  const std::size_t size = zarr::bytes_of_chunk(spec, spec.variables[testing::theta]);
  const std::uint64_t before = zarr::raw_front(spec.variables[testing::theta], size).size() + size;
  for (EncodedChunk& chunk : commit.chunks) {
    if (chunk.variable != testing::theta) continue;
    const auto codec = codecs::make_codec(spec.variables[testing::theta].codec);
    chunk.bytes = codec->decode(chunk.bytes, size, sizeof(float));
    chunk.filtered = false;
  }
  dataset->commit(commit);
  dataset->close();
  testing::check_records(spec, &read_zarr, 1);
  EXPECT_EQ(std::filesystem::file_size(spec.path + "/theta/c/0/0/0"), 2 * before + ShardIndex::bytes_of(8));
}

// Any index that a reader has fetched, however long ago, names the same bytes in each later version.
TEST_F(ShardedStore, a_chunk_stays_where_an_earlier_index_has_it) {
  const testing::ShardedZarr format;
  const auto spec = sample_spec(path("stays"));
  const auto dataset = format.create(spec);
  std::map<std::string, std::string> known;  // the bytes of a chunk by file, offset and size
  for (std::int64_t record = 0; record < 6; ++record) {
    dataset->commit(sample_commit(spec, record));
    for (const std::string& name : {std::string("theta/c/0/0/0"), std::string("flux/c/0/0")}) {
      const std::string file = testing::zarr_file(spec.path + "/" + name);
      const std::size_t chunks = name.starts_with("theta") ? 8 : 4;
      for (auto& [place, bytes] : known) {
        std::size_t offset = 0;
        if (!place.starts_with(name + " ")) continue;
        ASSERT_EQ(std::sscanf(place.c_str() + name.size(), "%zu", &offset), 1);
        EXPECT_EQ(file.substr(offset, bytes.size()), bytes) << place;
      }
      const ShardIndex index = ShardIndex::decoded(as_span(file).last(16 * chunks + 4), chunks, file.size());
      for (std::size_t i = 0; i < chunks; ++i)
        if (const auto& at = index.at(i); at)
          known[fmt::format("{} {} {}", name, at->offset, at->size)] = file.substr(at->offset, at->size);
    }
  }
  EXPECT_EQ(known.size(), 8u + 2u * 6u);
}

TEST_F(ShardedStore, a_shard_that_a_commit_fills_is_written_once) {
  const auto spec = sample_spec(path("once"));
  zarr::Options options;
  options.shard_records = 1;
  const auto dataset = testing::ShardedZarr(options).create(spec);
  dataset->commit(sample_commit(spec, 0));
  const std::string file = spec.path + "/theta/c/0/0/0";
  const auto first = testing::open(file, env::Access::read);
  for (std::int64_t record = 1; record < 4; ++record) dataset->commit(sample_commit(spec, record));
  EXPECT_TRUE(first->is_file_at(file));
  EXPECT_EQ(files_below(spec.path + "/theta"), 4 + 1) << "shards, and zarr.json";
}

DatasetSpec appending(DatasetSpec spec, std::int64_t kept) {
  spec.if_exists = IfExists::append;
  spec.kept = {{testing::time_dim, kept}, {testing::snap_dim, kept}};
  return spec;
}

TEST_F(ShardedStore, is_continued_with_its_own_shards_unless_the_user_chose_others) {
  const Format& format = *find_format("zarr");
  const auto spec = sharded(sample_spec(path("on")));
  {
    const auto dataset = format.create(spec);
    for (std::int64_t record = 0; record < 3; ++record) dataset->commit(sample_commit(spec, record));
  }
  const auto message = [&](zarr::Options options) -> std::string {
    options.are_given = true;
    auto other = appending(spec, 2);
    other.options = wrap_options(std::move(options));
    try {
      format.create(other);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(
      message({.shard_records = 8}),
      AllOf(HasSubstr(spec.path + ": cannot be continued: its variable \"theta\" has shards of 4 x 5 x "
                                  "8, and this run writes shards of 8 x 5 x 8"),
            HasSubstr("so that those of the store stay")));
  EXPECT_THAT(message({.shards = false}), HasSubstr("and this run writes a file for each chunk"));
  testing::check_records(spec, &read_zarr, 3);
  auto later = appending(sample_spec(spec.path), 2);  // without options
  for (std::size_t i = 0; i < spec.variables.size(); ++i)
    later.variables[i].is_field = spec.variables[i].is_field;
  const auto dataset = format.create(later);
  for (std::int64_t record = 2; record < 7; ++record)
    dataset->commit(testing::commit_of_later_run(later, record, 2));
  dataset->close();
  testing::check_records(spec, &read_zarr, 7);
  EXPECT_EQ(testing::ZarrChunks(testing::zarr_json(spec.path + "/theta")).file, (Shape{4, 5, 8}));
}

// Records that a later job does not keep take their shards with them, in whatever folders these lie.
TEST_F(ShardedStore, shards_of_removed_records_are_removed) {
  const auto spec = sharded(sample_spec(path("back")));
  {
    const auto dataset = find_format("zarr")->create(spec);
    for (std::int64_t record = 0; record < 13; ++record) dataset->commit(sample_commit(spec, record));
  }
  EXPECT_EQ(files_below(spec.path + "/theta"), 4 + 1) << "shards, and zarr.json";
  EXPECT_EQ(files_below(spec.path + "/flux"), 3 + 1);
  const auto dataset = find_format("zarr")->create(appending(spec, 6));
  EXPECT_EQ(files_below(spec.path + "/theta"), 2 + 1);
  EXPECT_EQ(files_below(spec.path + "/flux"), 1 + 1);
  testing::check_records(spec, &read_zarr, 6);
  for (std::int64_t record = 6; record < 9; ++record)
    dataset->commit(testing::commit_of_later_run(spec, record, 6));
  dataset->close();
  EXPECT_EQ(files_below(spec.path + "/theta"), 3 + 1);
  testing::check_records(spec, &read_zarr, 9);
}

TEST_F(ShardedStore, inspection_tells_shards_and_names_a_damaged_one) {
  const auto spec = sharded(sample_spec(path("seen")));
  const auto dataset = find_format("zarr")->create(spec);
  for (std::int64_t record = 0; record < 5; ++record) dataset->commit(sample_commit(spec, record));
  dataset->close();
  const Inspection whole = zarr::inspect(spec.path, false);
  EXPECT_TRUE(whole.readable);
  EXPECT_THAT(whole.report,
              AllOf(HasSubstr(": complete; records: time 5"),
                    HasSubstr("\n    theta: 2 shards of 4 x 5 x 8 with chunks of 1 x 5 x 4; 10 "
                              "chunks, "),
                    HasSubstr("\n    mask: 1 shard of 6 x 8 with chunks of 2 x 4; 6 chunks, ")));
  const std::string shard = spec.path + "/theta/c/1/0/0";
  const auto bytes = testing::contents(shard);
  for (const std::size_t size : {std::size_t{0}, std::size_t{50}, bytes.size() - 1}) {
    testing::put_contents(shard, std::span(bytes).first(size));
    const Inspection damaged = zarr::inspect(spec.path, true);
    EXPECT_FALSE(damaged.readable);
    EXPECT_FALSE(damaged.repaired);
    EXPECT_THAT(damaged.report, AllOf(HasSubstr(spec.path + ": has 1 damaged shard: "),
                                      HasSubstr("theta/c/1/0/0: the index of the shard is damaged: ")));
  }
  // A run that would extend it is refused, and the shard stays as it is.
  testing::put_contents(shard, std::span(bytes).first(50));
  const auto later = find_format("zarr")->create(appending(spec, 5));
  try {
    later->commit(testing::commit_of_later_run(spec, 5, 5));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("theta/c/1/0/0: the index of the shard is damaged"));
  }
  EXPECT_EQ(std::filesystem::file_size(shard), 50u);
}

// Random grids, chunks, shards and commits: whatever the order in which chunks become full, all values are
// those that were committed. Extents are odd and unequal, chunks divide neither the grid nor the shards'
// sizes.
TEST_F(ShardedStore, random_shapes_give_all_values) {
  std::mt19937 random(20261127);
  const auto one_of = [&](std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last - first + 1));
  };
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const std::int64_t y = one_of(1, 7), x = y + one_of(1, 9);
    const Shape chunk{one_of(1, 3), one_of(1, y), one_of(1, x)};
    DatasetSpec spec;
    spec.path = path(fmt::format("random{}", round));
    spec.dims = {{"time", 0, true}, {"y", y, false}, {"x", x, false}};
    const codecs::CodecOptions codec{round % 3 == 0   ? "none"
                                     : round % 3 == 1 ? "zlib"
                                                      : "zstd",
                                     1, round % 2 == 0};
    spec.variables = {{"u", model::DataType::int32, {0, 1, 2}, chunk, codec, -1.0, {}}};
    spec.variables[0].is_field = true;
    zarr::Options options;
    options.shard_records = one_of(1, 7);
    options.shard_bytes = static_cast<std::size_t>(one_of(1, 4000));
    spec.options = wrap_options(options);
    const auto value = [&](std::int64_t record, std::int64_t cell) {
      return static_cast<std::int32_t>(1000 * record + cell);
    };
    const auto dataset = find_format("zarr")->create(spec);
    std::int64_t records = 0;
    while (records < 9) {
      const std::int64_t before = records;
      records += one_of(1, 4);
      Commit commit;
      commit.lengths = {{0, records}};
      for (std::int64_t first = before / chunk[0] * chunk[0]; first < records; first += chunk[0])
        for (std::int64_t y0 = 0; y0 < y; y0 += chunk[1])
          for (std::int64_t x0 = 0; x0 < x; x0 += chunk[2]) {
            const bool is_full = first + chunk[0] <= records;
            const auto cells = testing::as_bytes(
                model::DataType::int32, base::index(chunk[0] * chunk[1] * chunk[2]), [&](std::int64_t i) {
                  const std::int64_t record = first + i / (chunk[1] * chunk[2]);
                  const std::int64_t at_y = y0 + i / chunk[2] % chunk[1], at_x = x0 + i % chunk[2];
                  const bool is_inside = record < records && at_y < y && at_x < x;
                  return is_inside ? static_cast<double>(value(record, at_y * x + at_x)) : -7.0;
                });
            EncodedChunk added = testing::encoded(spec, 0, {first, y0, x0}, cells, is_full);
            added.committed_records = std::max<std::int64_t>(0, before - first);
            added.valid_records = std::min(records - first, chunk[0]);
            commit.chunks.push_back(std::move(added));
          }
      std::ranges::shuffle(commit.chunks, random);
      dataset->commit(commit);
      EXPECT_EQ(read_zarr(spec.path, "u"),
                testing::as_bytes(model::DataType::int32, base::index(records * y * x), [&](std::int64_t i) {
                  return static_cast<double>(value(i / (y * x), i % (y * x)));
                }));
    }
    dataset->close();
    EXPECT_TRUE(zarr::inspect(spec.path, false).readable);
  }
}

}  // namespace
}  // namespace tailrace::output
