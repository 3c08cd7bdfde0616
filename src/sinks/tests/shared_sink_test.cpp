// Files that many servers write: in whatever order chunks, points and messages come, the metadata never count
// a record whose chunks are not written, and a fault of any server ends the file on all.
#include "sinks/shared_sink.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>

#include "sinks/testing/sink_conformance.hpp"

namespace tailrace::sinks {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::OneVariable;
using testing::spatial_chunks;

// The faults of a dataset of the format below: the creation, or the commit with this number, from 1,
// of a writer (-1: of the home).
struct Plan {
  bool cannot_create = false;
  std::map<int, int> fails = {};
};
std::map<std::string, Plan>& plans() {
  static std::map<std::string, Plan> by_path;
  return by_path;
}

// A dataset as its home and its writers have written it.
struct Written {
  Plan plan;
  std::set<std::pair<std::int64_t, std::int64_t>> chunks = {};  // record and first cell
  std::int64_t records = 0;                                     // in the metadata
  std::vector<double> times = {};
  int writers_opened = 0, writers_closed = 0;
  bool is_closed = false;
  std::map<int, int> tried = {};

  void try_commit(int writer) {
    const auto fails = plan.fails.find(writer);
    if (++tried[writer] == (fails == plan.fails.end() ? 0 : fails->second))
      throw Error(ErrorCode::resource, "disk: No space left on device");
  }
  void add(const output::Commit& commit) {
    for (const output::EncodedChunk& chunk : commit.chunks)
      EXPECT_TRUE(chunks.emplace(chunk.offset[0], chunk.offset[1]).second) << "a chunk has one writer";
  }
};
std::map<std::string, std::shared_ptr<Written>>& by_token() {
  static std::map<std::string, std::shared_ptr<Written>> all;
  return all;
}
std::map<std::string, std::shared_ptr<Written>>& by_path() {  // the latest of that name
  static std::map<std::string, std::shared_ptr<Written>> all;
  return all;
}

class HomeDataset final : public output::Dataset {
 public:
  HomeDataset(std::shared_ptr<Written> written, bool is_alone)
      : is_(std::move(written)), is_alone_(is_alone) {}
  void commit(const output::Commit& commit) override {
    is_->try_commit(-1);
    if (is_alone_)
      is_->add(commit);
    else
      EXPECT_TRUE(commit.chunks.empty());
    for (const auto& [dim, length] : commit.lengths) is_->records = length;
    for (std::int64_t record = 0; record < is_->records; ++record)
      for (std::int64_t spatial = 0; spatial < spatial_chunks; ++spatial)
        EXPECT_TRUE(is_->chunks.contains({record, spatial * testing::chunk_cells}))
            << "record " << record << " is counted without its chunk " << spatial;
    for (const output::PlainValues& values : commit.values) {
      std::vector<double> times(values.bytes.size() / sizeof(double));
      std::memcpy(times.data(), values.bytes.data(), values.bytes.size());
      if (values.first == std::ssize(is_->times))
        is_->times.insert(is_->times.end(), times.begin(), times.end());
    }
  }
  void close() override { is_->is_closed = true; }
  std::uint64_t bytes_on_disk() const override { return 0; }

 private:
  std::shared_ptr<Written> is_;
  bool is_alone_;
};

class WriterDataset final : public output::Dataset {
 public:
  WriterDataset(const output::DatasetSpec& spec, int writer)
      : is_(by_token().at(spec.writers->token)), writer_(writer) {
    EXPECT_EQ(spec.path.front(), '/') << "the model may change its directory";
    ++is_->writers_opened;
  }
  void commit(const output::Commit& commit) override {
    is_->try_commit(writer_);
    EXPECT_TRUE(commit.values.empty() && commit.attributes.empty());
    is_->add(commit);
  }
  void close() override { ++is_->writers_closed; }
  std::uint64_t bytes_on_disk() const override { return 0; }

 private:
  std::shared_ptr<Written> is_;
  int writer_;
};

class DividedFormat final : public output::Format {
 public:
  std::string name() const override { return "divided"; }
  std::unique_ptr<output::Dataset> create(const output::DatasetSpec& spec, env::FileSystem&) const override {
    const auto made = by_path()[spec.path] = std::make_shared<Written>(Written{plans()[spec.path]});
    if (made->plan.cannot_create)
      throw Error(ErrorCode::resource, spec.path + ": cannot create: Permission denied");
    if (spec.writers) {
      EXPECT_TRUE(by_token().emplace(spec.writers->token, made).second) << "a token is used once";
    }
    return std::make_unique<HomeDataset>(made, !spec.writers);
  }
  std::unique_ptr<output::Dataset> open_writer(const output::DatasetSpec& spec, int writer,
                                               env::FileSystem&) const override {
    return std::make_unique<WriterDataset>(spec, writer);
  }
  bool can_be_written_by_many(const output::DatasetSpec&) const override { return true; }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return false; }
};

const output::FormatRegistration registration{std::make_unique<DividedFormat>()};

TEST(SharedSink, KeepsTheContractOfASink) { testing::check_sink("divided", make_sink); }

// Servers between which each message takes its time, and keeps its order only among those of its kind between
// the same two.
class SlowServers : public testing::Servers {
 public:
  SlowServers(const OneVariable& file, int servers)
      : Servers(file, servers, make_sink), count_(base::index(servers)) {}

  bool progress(std::size_t server) {
    Sink& sink = *all()[server].sink;
    const bool moved = sink.progress();
    for (const SinkMessage& message : sink.take_messages())
      for (std::size_t to = 0; to < all().size(); ++to)
        if (!message.to_home || to == home()) mail_[{server, to, message.to_home}].push_back(message.bytes);
    return moved;
  }
  bool deliver_one(std::mt19937& random) {
    if (mail_.empty()) return false;
    const auto box = std::next(mail_.begin(), static_cast<std::ptrdiff_t>(random() % mail_.size()));
    const std::vector<std::byte> message = std::move(box->second.front());
    box->second.erase(box->second.begin());
    const std::size_t to = std::get<1>(box->first);
    if (box->second.empty()) mail_.erase(box);
    all()[to].sink->receive(message);
    return true;
  }
  void finish(std::mt19937& random) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = 0; s < all().size(); ++s) moved = progress(s) || moved;
      moved = deliver_one(random) || moved;
    }
  }
  std::size_t home() const { return 1 % servers(); }
  std::size_t servers() const { return count_; }

 private:
  using Box = std::tuple<std::size_t, std::size_t, bool>;
  std::size_t count_;
  std::map<Box, std::vector<std::vector<std::byte>>> mail_;
};

// How a run ends: regularly, ordered to stop after a step, without further chunks, or while a writer fails.
enum class End { final, cut, give_up, fault };

void play_at_random(unsigned seed, End end) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed << ", end " << static_cast<int>(end));
  std::mt19937 random(seed);
  const std::string path = "random_" + std::to_string(seed) + "_" + std::to_string(static_cast<int>(end));
  OneVariable file(path, "divided");
  file.plan.entry.gathers = random() % 2 == 0;
  const int count = 2 + static_cast<int>(random() % 3);
  const std::int64_t records = 2 + static_cast<std::int64_t>(random() % 5);
  const int failing = 1 + static_cast<int>(random() % base::index(records));  // commit
  if (end == End::fault) plans()[path].fails[static_cast<int>(random() % base::index(count))] = failing;
  SlowServers servers(file, count);
  std::vector<std::pair<std::int64_t, std::int64_t>> chunks;
  for (std::int64_t record = 0; record < records; ++record)
    for (std::int64_t spatial = 0; spatial < spatial_chunks; ++spatial) chunks.emplace_back(record, spatial);
  // Chunks may overtake each other by about a record.
  for (std::size_t i = 0; i < chunks.size(); ++i)
    std::swap(chunks[i], chunks[std::min(chunks.size() - 1, i + random() % spatial_chunks)]);
  if (end == End::give_up) chunks.resize(random() % chunks.size());
  std::int64_t points = 0;
  std::size_t given = 0;
  while (given < chunks.size() || points < records) {
    switch (random() % 4) {
      case 0:
        if (given < chunks.size()) servers.give(chunks[given].first, chunks[given].second), ++given;
        break;
      case 1:
        if (points < records) servers.point(++points);
        break;
      case 2: servers.progress(random() % servers.servers()); break;
      default: servers.deliver_one(random);
    }
  }
  const std::int64_t last =
      end == End::cut ? static_cast<std::int64_t>(random() % base::index(records + 1)) : records;
  if (end == End::final || end == End::fault) servers.point(records, true);
  for (testing::Server& server : servers.all()) {
    if (end == End::give_up) server.sink->give_up();
    if (end != End::cut) continue;
    plan::CommitDue none;
    none.lengths = {records};
    none.records.resize(1);
    const auto final = server.sink->cut({last, static_cast<double>(last)}, none);
    EXPECT_FALSE(final && final->needs_all);
  }
  servers.finish(random);
  for (std::size_t s = 0; s < servers.servers(); ++s) {
    Sink& sink = *servers.all()[s].sink;
    EXPECT_TRUE(sink.closed()) << sink.describe();
    EXPECT_EQ(sink.take_fault().has_value(), end == End::fault && s == servers.home());
    EXPECT_TRUE(end != End::final || sink.bytes() == 0) << sink.bytes();
  }
  const Written& is = *by_path()[path];
  EXPECT_EQ(std::ssize(is.times), is.records);
  EXPECT_TRUE(end != End::final || is.records == records) << is.records;
  EXPECT_TRUE(end != End::cut || is.records >= last) << is.records;
  EXPECT_TRUE(end != End::fault || is.records == failing - 1) << is.records << " before commit " << failing;
  EXPECT_TRUE(end == End::fault || (is.is_closed && is.writers_closed == is.writers_opened));
}

TEST(SharedSink, NeverCountsARecordWithoutItsChunks) {
  for (unsigned seed = 0; seed < 300; ++seed)
    for (const End end : {End::final, End::cut, End::give_up, End::fault}) play_at_random(seed, end);
}

void play_three_records(SlowServers& servers) {
  std::mt19937 random(7);
  for (std::int64_t record = 0; record < 3; ++record) {
    for (std::int64_t spatial = 0; spatial < spatial_chunks; ++spatial) servers.give(record, spatial);
    servers.point(record + 1);
  }
  servers.finish(random);
}

TEST(SharedSink, AWriterThatFailsStopsTheRunAndKeepsWhatWasCommitted) {
  for (const int writer : {0, 1, 2}) {
    OneVariable file("stops" + std::to_string(writer), "divided");
    file.plan.entry.on_error = settings::OnError::stop;
    plans()[file.plan.entry.path].fails[writer] = 2;
    SlowServers servers(file, 3);
    play_three_records(servers);
    for (std::size_t s = 0; s < 3; ++s) {
      const auto fault = servers.all()[s].sink->take_fault();
      EXPECT_EQ(fault.has_value(), s == servers.home()) << "the home speaks for the file";
      EXPECT_TRUE(servers.all()[s].sink->closed());
      EXPECT_EQ(servers.all()[s].sink->written_step(), INT64_MAX) << "the file holds no step back";
      EXPECT_EQ(fault.value_or(base::Fault{}).message,
                s != servers.home() ? ""
                                    : file.plan.entry.path + ": server " + std::to_string(writer) +
                                          ": disk: No space left on device; what was committed until 1 s of "
                                          "model time is in the file");
    }
    EXPECT_EQ(by_path()[file.plan.entry.path]->records, 1);
  }
}

TEST(SharedSink, SkipEndsTheFileOnAllServersAndTheRunGoesOn) {
  OneVariable file("skips", "divided");
  file.plan.entry.on_error = settings::OnError::skip;
  plans()["skips"].fails[2] = 2;
  SlowServers servers(file, 3);
  ::testing::internal::CaptureStderr();
  play_three_records(servers);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("skips: server 2: disk: No space left on device; what was committed until 1 s"),
                    HasSubstr("(on_error: skip: the file is given up, the run continues)")));
  const auto chunks = by_path()["skips"]->chunks;
  for (std::int64_t spatial = 0; spatial < spatial_chunks; ++spatial) servers.give(3, spatial);
  servers.point(4, true);
  std::mt19937 random(1);
  servers.finish(random);
  EXPECT_EQ(by_path()["skips"]->chunks, chunks) << "nothing more is written";
  for (testing::Server& server : servers.all()) {
    EXPECT_TRUE(server.sink->closed());
    EXPECT_FALSE(server.sink->take_fault());
  }
}

TEST(SharedSink, AHomeThatFailsEndsTheFileOnAllServers) {
  OneVariable file("home_fails", "divided");
  plans()["home_fails"].fails[-1] = 2;
  SlowServers servers(file, 3);
  play_three_records(servers);
  EXPECT_EQ(by_path()["home_fails"]->records, 1);
  for (testing::Server& server : servers.all()) EXPECT_TRUE(server.sink->closed());
  EXPECT_TRUE(servers.all()[servers.home()].sink->take_fault());
}

// A store of others may have the name.
TEST(SharedSink, NothingIsWrittenBeforeTheHomeHasMadeTheDataset) {
  OneVariable file("not_made", "divided");
  file.plan.entry.on_error = settings::OnError::skip;
  plans()["not_made"].cannot_create = true;
  ::testing::internal::CaptureStderr();
  SlowServers servers(file, 3);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("the file is skipped (on_error: skip)"));
  std::mt19937 random(3);
  for (std::int64_t spatial = 0; spatial < spatial_chunks; ++spatial) servers.give(0, spatial);
  servers.point(1);
  servers.finish(random);
  EXPECT_EQ(by_path()["not_made"]->writers_opened, 0);
  for (testing::Server& server : servers.all()) EXPECT_TRUE(server.sink->closed());
}

TEST(SharedSink, ASlowServerHoldsBackTheMetadataAndNotTheOthers) {
  OneVariable file("slow", "divided");
  SlowServers servers(file, 3);
  std::mt19937 random(3);
  for (std::int64_t record = 0; record < 4; ++record) {
    for (std::int64_t spatial = 0; spatial < spatial_chunks; ++spatial) servers.give(record, spatial);
    servers.point(record + 1);
  }
  const auto run = [&](std::size_t but) {
    for (int turn = 0; turn < 100; ++turn) {
      for (std::size_t s = 0; s < 3; ++s)
        if (s != but) servers.progress(s);
      servers.deliver_one(random);
    }
  };
  run(2);
  EXPECT_EQ(by_path()["slow"]->records, 0);
  EXPECT_GT(by_path()["slow"]->chunks.size(), 2U * spatial_chunks) << "those of all commits";
  EXPECT_THAT(servers.all()[servers.home()].sink->describe(),
              HasSubstr("(the fewest commits whose chunks are written: 0, on server 2)"));
  EXPECT_EQ(servers.all()[servers.home()].sink->written_step(), model::static_step)
      << "flow control waits for all writers";
  run(3);
  EXPECT_EQ(by_path()["slow"]->records, 4);
  servers.point(4, true);
  servers.finish(random);
}

}  // namespace
}  // namespace tailrace::sinks
