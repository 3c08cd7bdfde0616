// Several threads add pieces of random decompositions in random order. The finished chunks are compared with
// the original array, cell by cell.
#include "output/assembly.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::output {
namespace {

using model::Region;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Random = std::mt19937;

std::int64_t pick(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

// A part of a grid as lists of global indices along each dim; an independent, simple representation.
using Indices = std::vector<std::vector<std::int64_t>>;

Region region_of(const Indices& part) {
  std::vector<model::Runs> runs;
  for (const auto& along : part) runs.push_back(model::compress(along));
  return Region(std::move(runs));
}

// Divides the indices of one dim into parts: contiguous for a block, arbitrary for an indexed dim.
std::vector<std::vector<std::int64_t>> cut(Random& random, std::int64_t extent, std::int64_t parts,
                                           bool scattered) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(extent));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<std::int64_t>> cut(static_cast<std::size_t>(parts));
  if (scattered) {
    for (const std::int64_t index : all) cut[base::index(pick(random, 0, parts - 1))].push_back(index);
    for (auto& part : cut) std::rotate(part.begin(), part.begin() + std::ssize(part) / 2, part.end());
    return cut;
  }
  std::vector<std::int64_t> edges{0, extent};
  for (std::int64_t i = 1; i < parts; ++i) edges.push_back(pick(random, 0, extent));
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < cut.size(); ++i)
    cut[i].assign(all.begin() + edges[i], all.begin() + edges[i + 1]);
  return cut;
}

// The Cartesian product of the parts along each dim.
std::vector<Indices> decompose(Random& random, const std::vector<std::int64_t>& shape) {
  std::vector<Indices> parts{{}};
  const auto indexed = pick(random, -1, std::ssize(shape) - 1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<Indices> next;
    for (const auto& along :
         cut(random, shape[d], pick(random, 1, 3), indexed == static_cast<std::int64_t>(d)))
      for (Indices part : parts) {
        part.push_back(along);
        next.push_back(std::move(part));
      }
    parts = std::move(next);
  }
  return parts;
}

std::int64_t product(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{1}, std::multiplies<>());
}

// Visits the multi-indices of an array in C order.
template <class Visit>
void for_each_index(const std::vector<std::int64_t>& shape, Visit visit) {
  for (std::int64_t number = 0; number < product(shape); ++number) {
    std::vector<std::int64_t> at(shape.size());
    std::int64_t rest = number;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) at[d] = rest % shape[d];
    visit(at);
  }
}

std::int64_t flat(const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& shape) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + at[d];
  return number;
}

constexpr std::int32_t fill = -77;

std::vector<std::byte> bytes_of(std::int32_t value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

// One variable, its decomposition, and the chunks that its assembly passed on.
struct Trial {
  Random random;
  ChunkGrid grid;
  std::int64_t records = 1;
  std::vector<Indices> parts;
  std::shared_ptr<const codecs::Codec> codec;
  std::mutex mutex;  // guards handed
  std::vector<FinishedChunk> handed;
  std::unique_ptr<Assembly> assembly;

  explicit Trial(unsigned seed) : random(seed) {
    const std::int64_t rank = pick(random, 0, 3);
    for (std::int64_t d = 0; d < rank; ++d) {
      grid.shape.push_back(pick(random, 1, 9));
      grid.chunk.push_back(pick(random, 1, 10));
    }
    grid.records_per_chunk = pick(random, 0, 1) == 0 ? 1 : pick(random, 2, 5);
    records = pick(random, 1, 11);
    parts = decompose(random, grid.shape);
    codec = codecs::make_codec({pick(random, 0, 1) == 0 ? "none" : "zlib", 1, true});
    assembly = std::make_unique<Assembly>(grid, Element{{model::DataType::int32}, bytes_of(fill)}, codec,
                                          base::SlabPool(), [this](FinishedChunk&& chunk) {
                                            const std::lock_guard lock(mutex);
                                            handed.push_back(std::move(chunk));
                                          });
  }

  std::int32_t value(std::int64_t record, const std::vector<std::int64_t>& cell) const {
    return static_cast<std::int32_t>(record * 10000 + flat(cell, grid.shape));
  }

  std::vector<std::int32_t> local_values(const Indices& part, std::int64_t record) const {
    std::vector<std::int64_t> counts;
    for (const auto& along : part) counts.push_back(std::ssize(along));
    std::vector<std::int32_t> values;
    for_each_index(counts, [&](std::vector<std::int64_t> at) {
      for (std::size_t d = 0; d < at.size(); ++d) at[d] = part[d][base::index(at[d])];
      values.push_back(value(record, at));
    });
    return values;
  }

  struct Piece {
    std::size_t part;
    std::int64_t record, spatial;
  };
  std::vector<Piece> pieces() const {
    std::vector<Piece> pieces;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Region region = region_of(parts[p]);
      for (const std::int64_t spatial : grid.touching(region.bounds()))
        for (std::int64_t record = 0; record < records; ++record) pieces.push_back({p, record, spatial});
    }
    return pieces;
  }
  void add(const Piece& piece) {
    const auto values = local_values(parts[piece.part], piece.record);
    assembly->add(piece.record, piece.spatial, std::as_bytes(std::span(values)),
                  model::intersect(region_of(parts[piece.part]), grid.box(piece.spatial)));
  }

  std::vector<std::int64_t> all_chunks() const {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(grid.chunks_per_record()));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  // Checks every cell of a full-sized chunk: the value of the array, or the fill value outside of it.
  void check(const FinishedChunk& chunk) const {
    const auto cells = static_cast<std::size_t>(grid.cells_per_chunk() * grid.records_per_chunk);
    const auto raw =
        chunk.filtered ? codec->decode(chunk.bytes, cells * sizeof fill, sizeof fill) : chunk.bytes.copy();
    ASSERT_EQ(raw.size(), cells * sizeof fill);
    std::vector<std::int32_t> found(cells);
    std::memcpy(found.data(), raw.data(), raw.size());
    const std::vector<std::int64_t> corner = grid.corner(chunk.spatial);
    std::size_t i = 0;
    for (std::int64_t r = 0; r < grid.records_per_chunk; ++r) {
      const std::int64_t record = chunk.record_chunk * grid.records_per_chunk + r;
      for_each_index(grid.chunk, [&](std::vector<std::int64_t> at) {
        bool inside = record < chunk.records_end;
        for (std::size_t d = 0; d < at.size(); ++d) {
          at[d] += corner[d];
          inside = inside && at[d] < grid.shape[d];
        }
        ASSERT_EQ(found[i], inside ? value(record, at) : fill)
            << "record " << record << " of chunk " << chunk.spatial << ", cell " << i;
        ++i;
      });
    }
  }
};

class RandomAssembly : public testing::TestWithParam<unsigned> {};

TEST_P(RandomAssembly, ReproducesTheOriginalArray) {
  Trial trial(GetParam());
  std::vector<Trial::Piece> pieces = trial.pieces();
  std::shuffle(pieces.begin(), pieces.end(), trial.random);
  std::vector<std::int64_t> flushes;
  for (std::int64_t end = 1; end < trial.records; ++end)
    if (pick(trial.random, 0, 2) == 0) flushes.push_back(end);
  flushes.push_back(trial.records);

  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < pieces.size(); i += 3) trial.add(pieces[i]);
    });
  for (const std::int64_t end : flushes) {
    trial.assembly->flush(end, trial.all_chunks());
    std::this_thread::yield();
  }
  threads.clear();

  const std::int64_t per_chunk = trial.grid.records_per_chunk;
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> ends;  // passed on, by chunk
  for (const FinishedChunk& chunk : trial.handed) {
    trial.check(chunk);
    EXPECT_EQ(chunk.filtered, chunk.records_end == (chunk.record_chunk + 1) * per_chunk);
    EXPECT_TRUE((ends[{chunk.record_chunk, chunk.spatial}].insert(chunk.records_end).second))
        << "passed on twice";
  }
  // Every flush produced its records in each of its chunks, and nothing else was passed on.
  for (const std::int64_t end : flushes) {
    for (const std::int64_t spatial : trial.all_chunks()) {
      const auto& handed = ends[{(end - 1) / per_chunk, spatial}];
      EXPECT_TRUE(handed.lower_bound(end) != handed.end()) << end << " of chunk " << spatial;
    }
  }
  for (const auto& [key, handed] : ends)
    for (const std::int64_t end : handed)
      EXPECT_TRUE(end % per_chunk == 0 || std::ranges::count(flushes, end) == 1) << end;
  const bool open_end = trial.records % per_chunk != 0;
  EXPECT_EQ(trial.assembly->bytes(), open_end
                                         ? static_cast<std::size_t>(trial.grid.cells_per_chunk() * per_chunk *
                                                                    trial.grid.chunks_per_record()) *
                                               sizeof fill
                                         : 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomAssembly, testing::Range(1U, 61U), testing::PrintToStringParamName());

// One dim of 4 cells in one chunk with several records; whole records are added at once.
struct Simple {
  std::vector<std::tuple<std::int64_t, std::int64_t, bool>> handed;  // record chunk, end, filtered
  Assembly assembly;

  explicit Simple(std::int64_t records_per_chunk)
      : assembly({{4}, {4}, records_per_chunk}, {{model::DataType::int32}, bytes_of(fill)},
                 codecs::make_codec({"none", 1, false}), base::SlabPool(), [this](FinishedChunk&& chunk) {
                   handed.emplace_back(chunk.record_chunk, chunk.records_end, chunk.filtered);
                 }) {}
  void add(std::int64_t record, std::int64_t first = 0, std::int64_t count = 4) {
    const std::vector<std::int32_t> values(static_cast<std::size_t>(count), 1);
    const model::Segment segment{0, first, count};
    assembly.add(record, 0, std::as_bytes(std::span(values)), {&segment, 1});
  }
  void flush(std::int64_t end, bool ends = false) {
    const std::int64_t chunk = 0;
    assembly.flush(end, {&chunk, 1}, ends);
  }
};

TEST(Assembly, PassesOnWholeChunksOfSharedBytesWithoutACopy) {
  const std::vector<std::int32_t> values{1, 2, 3, 4, 5, 6};
  const auto bytes = std::as_bytes(std::span(values));
  const base::SharedBytes source(std::vector<std::byte>(bytes.begin(), bytes.end()));
  const model::Segment segment{1, 0, 4};
  for (const char* codec : {"none", "zlib"}) {
    std::vector<FinishedChunk> handed;
    Assembly assembly({{4}, {4}, 1}, {{model::DataType::int32}, bytes_of(fill)},
                      codecs::make_codec({codec, 1, false}), base::SlabPool(),
                      [&](FinishedChunk&& chunk) { handed.push_back(std::move(chunk)); });
    assembly.add_shared(3, 0, source, {&segment, 1});
    ASSERT_EQ(handed.size(), 1U);
    EXPECT_EQ(handed[0].records_end, 4);
    EXPECT_EQ(handed[0].bytes.data() == source.data() + sizeof fill, std::string(codec) == "none");
    const auto cells = codecs::make_codec({codec, 1, false})->decode(handed[0].bytes, 16, sizeof fill);
    EXPECT_EQ(base::SharedBytes(cells), source.part(sizeof fill, 16));
  }
}

TEST(Assembly, PassesOnFullChunksWithoutAFlush) {
  Simple simple(2);
  simple.add(1);
  EXPECT_THAT(simple.handed, IsEmpty());
  simple.add(0);
  EXPECT_THAT(simple.handed, ElementsAre(std::tuple(0, 2, true)));
  EXPECT_EQ(simple.assembly.bytes(), 0U);
}

TEST(Assembly, PassesOnAPartWhenItIsFlushedAndComplete) {
  Simple simple(4);
  simple.flush(2);
  simple.add(0);
  simple.add(2);  // more records than the flush needs
  EXPECT_THAT(simple.handed, IsEmpty());
  simple.add(1);
  EXPECT_THAT(simple.handed, ElementsAre(std::tuple(0, 2, false)));
  simple.flush(2);  // a commit without new records of this variable
  EXPECT_EQ(simple.handed.size(), 1U);
  simple.flush(3);
  EXPECT_THAT(simple.handed.back(), testing::FieldsAre(0, 3, false));
}

// A server with slow clients may learn of several commits before it has the records of the first. The first
// must not wait for the records of later ones, which may be delayed until it is on disk (deadlock).
TEST(Assembly, ACommitDoesNotWaitForTheRecordsOfTheNextOne) {
  Simple simple(8);
  simple.flush(2);
  simple.flush(4);
  simple.flush(5);
  simple.add(0);
  simple.add(1);
  EXPECT_THAT(simple.handed, ElementsAre(std::tuple(0, 2, false)));
  simple.add(3);
  simple.add(4);
  EXPECT_EQ(simple.handed.size(), 1U);
  simple.add(2);  // completes both
  EXPECT_THAT(simple.handed, ElementsAre(std::tuple(0, 2, false), std::tuple(0, 5, false)));
}

TEST(Assembly, PassesOnTheLastChunkOfAFileEncoded) {
  Simple simple(4);
  for (const int record : {0, 2, 4, 5}) simple.add(record);
  simple.flush(1);
  simple.flush(3, true);
  simple.add(1);
  EXPECT_THAT(simple.handed, ElementsAre(std::tuple(0, 1, false), std::tuple(0, 3, true)));
  simple.flush(6);
  simple.flush(6, true);  // all records are on disk already
  EXPECT_EQ(simple.assembly.bytes(), 0U);
  EXPECT_EQ(simple.handed.size(), 3U);
}

// When a run ends early, its last commit may have fewer records than a pending one that was never complete.
TEST(Assembly, AFlushMayAskForLessThanTheOneBefore) {
  Simple simple(8);
  simple.flush(5);
  simple.add(0);
  simple.add(1);
  simple.add(2);
  EXPECT_THAT(simple.handed, IsEmpty());
  simple.flush(3);
  EXPECT_THAT(simple.handed, ElementsAre(std::tuple(0, 3, false)));
}

TEST(Assembly, AFlushAfterTheFullChunkOpensNothing) {
  Simple simple(2);
  simple.add(0);
  simple.add(1);
  simple.flush(1);
  EXPECT_EQ(simple.handed.size(), 1U);
  EXPECT_EQ(simple.assembly.bytes(), 0U);
}

TEST(Assembly, ACellThatArrivesTwiceIsABug) {
  Simple simple(1);
  simple.add(0, 0, 3);
  try {
    simple.add(0, 1, 2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_THAT(error.what(), testing::HasSubstr("a cell of a record arrived twice"));
  }
}

TEST(Assembly, RequiresAFillValueOfTheVariablesType) {
  EXPECT_THROW(Assembly({{4}, {4}, 1}, {{model::DataType::float64}, bytes_of(fill)}, codecs::make_codec({}),
                        base::SlabPool(), {}),
               Error);
}

TEST(ChunkGrid, NumbersChunksInCOrderAndClipsThoseAtTheEdge) {
  const ChunkGrid grid{{5, 7}, {2, 3}, 1};
  EXPECT_EQ(grid.chunks_per_record(), 9);
  EXPECT_EQ(grid.cells_per_chunk(), 6);
  EXPECT_THAT(grid.corner(5), ElementsAre(2, 6));
  EXPECT_EQ(grid.box(0), (model::Box{{0, 0}, {2, 3}}));
  EXPECT_EQ(grid.box(8), (model::Box{{4, 6}, {1, 1}}));
  EXPECT_THAT(grid.touching({{1, 2}, {2, 1}}), UnorderedElementsAre(0, 3));
  EXPECT_THAT(grid.touching({{1, 2}, {2, 2}}), UnorderedElementsAre(0, 1, 3, 4));
  EXPECT_THAT(grid.touching({{1, 2}, {0, 2}}), IsEmpty());
}

TEST(ChunkGrid, AScalarHasOneChunk) {
  const ChunkGrid grid{{}, {}, 3};
  EXPECT_EQ(grid.chunks_per_record(), 1);
  EXPECT_EQ(grid.cells_per_chunk(), 1);
  EXPECT_EQ(grid.box(0).size(), 1);
  EXPECT_THAT(grid.touching({{}, {}}), ElementsAre(0));
}

}  // namespace
}  // namespace tailrace::output
