// Chunks and commit points in any order: each commit is complete, contains each chunk once, and never
// replaces a chunk on disk by an older version.
#include "output/committer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace tailrace::output {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr int time_dim = 3, other_dim = 5;

std::vector<std::byte> bytes(std::size_t count, int value) {
  return std::vector<std::byte>(count, std::byte(value));
}

FinishedChunk chunk(std::int64_t spatial, std::int64_t record_chunk, std::int64_t end, bool filtered = true) {
  return {spatial, record_chunk, end, filtered, bytes(8, static_cast<int>(end))};
}

CommitPoint point(std::vector<std::int64_t> lengths, double time = 0.0, bool final = false) {
  CommitPoint point;
  point.lengths = std::move(lengths);
  point.model_time = time;
  point.step = static_cast<std::int64_t>(time);
  point.final = final;
  return point;
}

// Variable 7 of the dataset on axis 0 has two chunks of one record; variable 8 on axis 1 has one chunk of
// four records.
Committer two_axes() {
  return Committer({{7, 0, false, {{4}, {2}, 1}}, {8, 1, false, {{3}, {3}, 4}}}, {time_dim, other_dim});
}

TEST(Committer, AcceptsChunksThatArriveBeforeThePoint) {
  Committer committer = two_axes();
  committer.deliver(0, chunk(1, 0, 1));
  committer.deliver(0, chunk(0, 0, 1));
  EXPECT_FALSE(committer.next());
  EXPECT_EQ(committer.bytes(), 16U);
  committer.point(point({1, 0}, 2.5));
  const auto ready = committer.next();
  ASSERT_TRUE(ready);
  EXPECT_THAT(ready->commit.lengths, ElementsAre(Pair(time_dim, 1), Pair(other_dim, 0)));
  ASSERT_THAT(ready->commit.chunks, SizeIs(2));
  EXPECT_EQ(ready->commit.chunks[0].variable, 7);
  EXPECT_THAT(ready->commit.chunks[0].offset, ElementsAre(0, 0));
  EXPECT_THAT(ready->commit.chunks[1].offset, ElementsAre(0, 2));
  EXPECT_EQ(ready->bytes, 16U);
  EXPECT_EQ(ready->point.model_time, 2.5);
  EXPECT_EQ(committer.bytes(), 0U);
  EXPECT_FALSE(committer.next());
}

// No chunks exist between the end of a file and the begin of the next one.
TEST(Committer, ContinuesWithTheFirstChunkOfTheNextFile) {
  Committer committer = two_axes();
  CommitPoint last = point({2, 3}, 2.0);
  last.begins = {0, 0};
  last.ends_part = true;
  for (const int record : {0, 1})
    for (const int spatial : {0, 1}) committer.deliver(0, chunk(spatial, record, record + 1));
  committer.deliver(1, chunk(0, 0, 3));
  committer.deliver(1, chunk(0, 2, 9, false));
  committer.point(std::move(last));
  const auto ended = committer.next();
  ASSERT_TRUE(ended);
  EXPECT_THAT(ended->commit.chunks, SizeIs(5));
  CommitPoint next = point({2, 9}, 3.0);
  next.begins = {2, 8};
  committer.point(std::move(next));
  const auto ready = committer.next();
  ASSERT_TRUE(ready);
  ASSERT_THAT(ready->commit.chunks, SizeIs(1));
  EXPECT_THAT(ready->commit.chunks[0].offset, ElementsAre(8, 0));
}

TEST(Committer, WaitsForEveryChunkAndNamesAMissingOne) {
  Committer committer = two_axes();
  EXPECT_EQ(committer.waiting_for(), "no commit is due");
  committer.point(point({2, 0}, 7.5));
  EXPECT_EQ(committer.waiting_for(),
            "the commit at 7.5 s of model time lacks 4 chunks, the first one of variable number 7, record 0");
  committer.deliver(0, chunk(0, 0, 1));
  committer.deliver(0, chunk(1, 0, 1));
  committer.deliver(0, chunk(1, 1, 2));
  EXPECT_EQ(committer.waiting_for(),
            "the commit at 7.5 s of model time lacks 1 chunks, the first one of variable number 7, record 1");
  EXPECT_FALSE(committer.next());
  committer.deliver(0, chunk(0, 1, 2));
  EXPECT_EQ(committer.waiting_for(), "nothing: the next commit is complete");
  EXPECT_TRUE(committer.next());
}

TEST(Committer, KeepsLaterRecordsForTheNextPoint) {
  Committer committer = two_axes();
  for (std::int64_t record = 0; record < 3; ++record)
    for (std::int64_t spatial = 0; spatial < 2; ++spatial)
      committer.deliver(0, chunk(spatial, record, record + 1));
  committer.point(point({1, 0}));
  committer.point(point({3, 0}));
  const auto first = committer.next();
  ASSERT_TRUE(first);
  EXPECT_THAT(first->commit.chunks, SizeIs(2));
  EXPECT_EQ(committer.bytes(), 32U);
  const auto second = committer.next();
  ASSERT_TRUE(second);
  ASSERT_THAT(second->commit.chunks, SizeIs(4));
  EXPECT_THAT(second->commit.chunks[0].offset, ElementsAre(1, 0));
  EXPECT_THAT(second->commit.chunks[3].offset, ElementsAre(2, 2));
}

TEST(Committer, ReplacesPartlyFilledChunksByFullerOnes) {
  Committer committer = two_axes();
  committer.point(point({0, 2}));
  committer.deliver(1, chunk(0, 0, 2, false));
  const auto first = committer.next();
  ASSERT_TRUE(first);
  ASSERT_THAT(first->commit.chunks, SizeIs(1));
  EXPECT_FALSE(first->commit.chunks[0].filtered);
  committer.point(point({0, 3}));
  EXPECT_FALSE(committer.next()) << "the chunk on disk lacks record 2";
  committer.deliver(1, chunk(0, 0, 4));
  committer.point(point({0, 4}));
  const auto second = committer.next();
  ASSERT_TRUE(second);
  ASSERT_THAT(second->commit.chunks, SizeIs(1));
  EXPECT_TRUE(second->commit.chunks[0].filtered);
  EXPECT_THAT(second->commit.chunks[0].offset, ElementsAre(0, 0));
  const auto third = committer.next();  // the full chunk has arrived already
  ASSERT_TRUE(third);
  EXPECT_THAT(third->commit.chunks, IsEmpty());
  EXPECT_THAT(third->commit.lengths, ElementsAre(Pair(time_dim, 0), Pair(other_dim, 4)));
}

TEST(Committer, AFullChunkThatArrivesEarlyServesEarlierCommits) {
  Committer committer = two_axes();
  committer.deliver(1, chunk(0, 0, 4));
  committer.point(point({0, 2}));
  committer.point(point({0, 5}));
  const auto first = committer.next();
  ASSERT_TRUE(first);
  ASSERT_THAT(first->commit.chunks, SizeIs(1));
  EXPECT_FALSE(committer.next());
  committer.deliver(1, chunk(0, 1, 5, false));
  const auto second = committer.next();
  ASSERT_TRUE(second);
  ASSERT_THAT(second->commit.chunks, SizeIs(1));
  EXPECT_THAT(second->commit.chunks[0].offset, ElementsAre(4, 0));
}

// Two threads pass on two versions of a chunk, and the older one arrives last.
TEST(Committer, KeepsRecordsAfterACommitForTheState) {
  Committer committer({{1, 0, false, {{5}, {5}, 3}}}, {time_dim});
  committer.deliver(0, chunk(0, 0, 3));  // full, while the commit has only two of its records
  const auto waiting = [&] {
    std::vector<std::int64_t> ends;
    committer.for_each_waiting(
        [&](std::size_t, const FinishedChunk& held) { ends.push_back(held.records_end); });
    return ends;
  };
  EXPECT_EQ(waiting(), std::vector<std::int64_t>{3});
  committer.point(point({2}, 1.0));
  ASSERT_TRUE(committer.next());
  EXPECT_EQ(waiting(), std::vector<std::int64_t>{3}) << "the third record is in no commit yet";
  EXPECT_GT(committer.bytes(), 0U);
  committer.point(point({3}, 2.0));
  ASSERT_TRUE(committer.next());
  EXPECT_EQ(waiting(), std::vector<std::int64_t>{});
  EXPECT_EQ(committer.bytes(), 0U);
}

TEST(Committer, AnOlderVersionNeverReplacesANewerOne) {
  Committer committer = two_axes();
  committer.deliver(1, chunk(0, 0, 3, false));
  committer.deliver(1, chunk(0, 0, 2, false));  // while the newer one waits
  committer.point(point({0, 3}));
  auto ready = committer.next();
  ASSERT_TRUE(ready);
  ASSERT_THAT(ready->commit.chunks, SizeIs(1));
  EXPECT_EQ(ready->commit.chunks[0].bytes, bytes(8, 3));
  committer.deliver(1, chunk(0, 0, 1, false));  // after it was written
  committer.deliver(1, chunk(0, 0, 4));
  committer.point(point({0, 4}));
  ASSERT_TRUE(committer.next());
  committer.deliver(1, chunk(0, 0, 2, false));  // after the full one was written
  EXPECT_EQ(committer.bytes(), 0U);
  committer.point(point({0, 5}));
  committer.deliver(1, chunk(0, 1, 5, false));
  ready = committer.next();
  ASSERT_TRUE(ready);
  ASSERT_THAT(ready->commit.chunks, SizeIs(1));
  EXPECT_THAT(ready->commit.chunks[0].offset, ElementsAre(4, 0));
}

TEST(Committer, StaticVariablesArePartOfTheFirstCommitOnly) {
  Committer committer(
      {{1, -1, false, {{4}, {2}, 1}}, {2, -1, true, {{3}, {3}, 1}}, {4, 0, false, {{2}, {2}, 1}}},
      {time_dim});
  committer.point(point({0}));
  committer.deliver(0, chunk(0, 0, 1));
  committer.deliver(1, chunk(0, 0, 1));
  EXPECT_FALSE(committer.next());
  committer.deliver(0, chunk(1, 0, 1));
  const auto first = committer.next();
  ASSERT_TRUE(first);
  ASSERT_THAT(first->commit.chunks, SizeIs(2));
  EXPECT_THAT(first->commit.chunks[1].offset, ElementsAre(2)) << "no record dim";
  ASSERT_THAT(first->commit.values, SizeIs(1)) << "a contiguous variable is committed as plain values";
  EXPECT_EQ(first->commit.values[0].variable, 2);
  EXPECT_EQ(first->commit.values[0].bytes, bytes(8, 1));
  committer.point(point({1}));
  committer.deliver(2, chunk(0, 0, 1));
  const auto second = committer.next();
  ASSERT_TRUE(second);
  EXPECT_THAT(second->commit.chunks, SizeIs(1));
  EXPECT_THAT(second->commit.values, IsEmpty());
}

TEST(Committer, ThePointsOwnValuesComeLast) {
  Committer committer({{4, 0, false, {{2}, {2}, 1}}}, {time_dim});
  CommitPoint with_time = point({1}, 10.0, true);
  with_time.values.push_back({0, 0, bytes(8, 9)});
  committer.point(std::move(with_time));
  committer.deliver(0, chunk(0, 0, 1));
  EXPECT_FALSE(committer.finished());
  const auto ready = committer.next();
  ASSERT_TRUE(ready);
  ASSERT_THAT(ready->commit.values, SizeIs(1));
  EXPECT_EQ(ready->commit.values[0].bytes, bytes(8, 9));
  EXPECT_TRUE(ready->point.final);
  EXPECT_TRUE(committer.finished());
}

TEST(Committer, AFinalPointWithoutNewRecordsIsReadyAtOnce) {
  Committer committer = two_axes();
  committer.point(point({0, 0}, 4.0, true));
  const auto ready = committer.next();
  ASSERT_TRUE(ready);
  EXPECT_THAT(ready->commit.chunks, IsEmpty());
  EXPECT_TRUE(committer.finished());
}

TEST(Committer, CountsBytesThatNeedNoInputOfLaterSteps) {
  Committer committer = two_axes();
  committer.deliver(0, chunk(0, 0, 1));
  EXPECT_EQ(committer.due_bytes(100), 0U) << "no commit is due";
  committer.point(point({1, 0}, 5.0));
  EXPECT_EQ(committer.due_bytes(4), 0U);
  EXPECT_EQ(committer.due_bytes(5), 8U);
}

TEST(Committer, RequiresALengthForEachAxis) {
  Committer committer = two_axes();
  EXPECT_THROW(committer.point(point({1})), Error);
}

// The points and chunks of a run in random order. Afterwards the file holds the newest version of each chunk,
// and each commit contained all records that its lengths imply.
class RandomCommits : public testing::TestWithParam<unsigned> {};

TEST_P(RandomCommits, AreCompleteAndInOrder) {
  std::mt19937 random(GetParam());
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  constexpr std::int64_t per_chunk = 3;
  Committer committer({{0, 0, false, {{6}, {2}, 1}}, {1, 1, false, {{5}, {5}, per_chunk}}},
                      {time_dim, other_dim});
  std::vector<std::vector<std::int64_t>> lengths{{0, 0}};
  std::vector<std::pair<std::size_t, FinishedChunk>> chunks;
  for (int i = 0; i < 12; ++i) {
    auto next = lengths.back();
    for (std::int64_t& length : next) length += pick(0, 2);
    for (std::int64_t r = lengths.back()[0]; r < next[0]; ++r)
      for (std::int64_t spatial = 0; spatial < 3; ++spatial) chunks.emplace_back(0, chunk(spatial, r, r + 1));
    for (std::int64_t r = lengths.back()[1]; r < next[1]; ++r)
      if ((r + 1) % per_chunk == 0) chunks.emplace_back(1, chunk(0, r / per_chunk, r + 1));
    if (next[1] % per_chunk != 0 && next[1] != lengths.back()[1])
      chunks.emplace_back(1, chunk(0, next[1] / per_chunk, next[1], false));
    lengths.push_back(next);
  }
  std::shuffle(chunks.begin(), chunks.end(), random);

  std::map<std::tuple<int, std::int64_t, std::int64_t>, int> file;  // variable, corner → newest end
  std::size_t committed = 0;
  const auto commit_all = [&] {
    while (const auto ready = committer.next()) {
      ++committed;
      ASSERT_EQ(ready->point.lengths, lengths[committed]);
      for (const EncodedChunk& written : ready->commit.chunks) {
        int& end = file[{written.variable, written.offset[0], written.offset[1]}];
        ASSERT_GT(std::to_integer<int>(written.bytes[0]), end) << "an older version replaced a newer one";
        end = std::to_integer<int>(written.bytes[0]);
      }
      for (std::int64_t r = 0; r < lengths[committed][0]; ++r)
        for (std::int64_t corner = 0; corner < 6; corner += 2) ASSERT_EQ((file[{0, r, corner}]), r + 1);
      for (std::int64_t r = 0; r < lengths[committed][1]; ++r)
        ASSERT_GT((file[{1, r / per_chunk * per_chunk, 0}]), r);
    }
  };
  std::size_t points = 1;
  while (points < lengths.size() || !chunks.empty()) {
    if (points < lengths.size() && (chunks.empty() || pick(0, 3) == 0)) {
      committer.point(point(lengths[points], static_cast<double>(points), points + 1 == lengths.size()));
      ++points;
    } else {
      committer.deliver(chunks.back().first, std::move(chunks.back().second));
      chunks.pop_back();
    }
    commit_all();
  }
  EXPECT_EQ(committed, lengths.size() - 1);
  EXPECT_TRUE(committer.finished());
  EXPECT_EQ(committer.bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCommits, testing::Range(1U, 101U), testing::PrintToStringParamName());

TEST(Committer, MarksTheNewRecordsOfAChunk) {
  Committer committer = two_axes();
  const auto next = [&](std::int64_t end) {
    committer.deliver(1, chunk(0, (end - 1) / 4, end, end % 4 == 0));
    committer.point(point({0, end}));
    const auto ready = committer.next();
    const EncodedChunk& written = ready->commit.chunks.at(0);
    return std::tuple(written.offset[0], written.committed_records, written.valid_records);
  };
  EXPECT_EQ(next(1), std::tuple(0, 0, 1));
  EXPECT_EQ(next(3), std::tuple(0, 1, 3));
  EXPECT_EQ(next(4), std::tuple(0, 3, 4));
  EXPECT_EQ(next(6), std::tuple(4, 0, 2));
}

}  // namespace
}  // namespace tailrace::output
