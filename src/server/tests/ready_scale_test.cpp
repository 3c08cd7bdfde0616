// Tests the cost of `ready` on each rank of a large run, without running the other ranks.
#include <gmock/gmock.h>

#include <functional>
#include <set>
#include <utility>

#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "handshake/ready.hpp"
#include "handshake/ready/coordinate_forms.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "plan/plan.hpp"
#include "server/tests/counted_memory.hpp"
#include "server/tests/large_run.hpp"
#include "server/tests/one_rank.hpp"

namespace tailrace::server::testing {
namespace {

constexpr int few_fields = 2;  // on each grid
constexpr std::size_t megabyte = 1000000;

handshake::Started started(const LargeRun& run, std::unique_ptr<OneRank> component,
                           std::unique_ptr<OneRank> world) {
  handshake::Started started;
  const int size = run.ranks() + run.servers();
  std::vector<handshake::Participant> participants(static_cast<std::size_t>(size), {false, "atmosphere", 0});
  for (int rank = 0; rank < size; ++rank) participants[base::index(rank)].node = rank / 128;
  settings::ServersOptions options;
  options.count = run.servers();
  started.run.assignment = handshake::place(participants, options);
  started.run.sources = {{{"run.yaml", run.configuration()}}};
  started.run.configurations.push_back(settings::parse_configuration(started.run.sources.front(), nullptr));
  started.number = 0;
  started.component = std::move(component);
  started.world = std::move(world);
  return started;
}

OneRank::Bytes good_verdict() {
  base::ByteWriter writer;
  base::put_fault(writer, std::nullopt);
  writer.put_all(std::span<const std::uint64_t>());  // no coordinate came in parts
  return writer.take();
}

constexpr int up = 1, down = 2, explain = 3;  // tags
using DeclarerOf = std::function<client::Declarer(int rank)>;

// Each rank settles the coordinates of its declarations on its own.
OneRank::Bytes settlement() {
  base::ByteWriter writer;
  base::put_fault(writer, std::nullopt);
  writer.put(std::uint8_t{0});
  return writer.take();
}

OneRank::Bytes said_by(const DeclarerOf& declarer_of, int rank, int ranks);

// The messages that a rank hears: of each rank below it the forms of its coordinates and then its
// declarations, and of the rank above it how they are settled and then the verdict.
class Hearing {
 public:
  Hearing(DeclarerOf declarer_of, int ranks) : declarer_of_(std::move(declarer_of)), ranks_(ranks) {}

  std::optional<OneRank::Bytes> operator()(int from, int tag) {
    if (tag == up && forms_.insert(from).second)
      return handshake::CoordinateForms::of(declarer_of_(from), from).to_bytes();
    if (tag == up) return said_by(declarer_of_, from, ranks_);
    if (tag != down) return std::nullopt;
    return std::exchange(settled_, true) ? good_verdict() : settlement();
  }

 private:
  DeclarerOf declarer_of_;
  int ranks_;
  std::set<int> forms_;
  bool settled_ = false;
};

// The message that a rank sends to the one above it, about itself and all ranks below it.
OneRank::Bytes said_by(const DeclarerOf& declarer_of, int rank, int ranks) {
  handshake::Started other;
  other.run.configurations.emplace_back();
  other.number = 0;
  auto component = std::make_unique<OneRank>(rank, ranks);
  OneRank::Bytes said;
  component->sees = [&](int, int tag, std::span<const std::byte> bytes) {
    if (tag == up) said.assign(bytes.begin(), bytes.end());
  };
  component->hears = Hearing(declarer_of, ranks);
  other.component = std::move(component);
  client::Declarer declarer = declarer_of(rank);
  handshake::agree_on_declarations(
      other, declarer, {}, [] {}, [] {});
  return said;
}

DeclarerOf declarer_of(const LargeRun& run) {
  return [&run](int rank) { return run.declarer(rank); };
}

struct Cost {
  std::size_t held = 0, peak = 0;
  std::size_t servers_told = 0, message = 0;
};

Cost ready_on_the_first(const LargeRun& run) {
  client::Declarer declarer = run.declarer(0);
  auto component = std::make_unique<OneRank>(0, run.ranks());
  std::size_t heard = 0;
  component->hears = [&heard, hearing = Hearing(declarer_of(run), run.ranks())](int from, int tag) mutable {
    ++heard;
    return hearing(from, tag);
  };
  auto world = std::make_unique<OneRank>(0, run.ranks() + run.servers());
  Cost cost;
  world->sees = [&](int, int, std::span<const std::byte> bytes) {
    ++cost.servers_told;
    cost.message = bytes.size();
  };
  auto first = started(run, std::move(component), std::move(world));
  const CountedMemory memory;
  handshake::agree_on_declarations(
      first, declarer, {}, [] {}, [] {});
  cost.held = memory.held();
  cost.peak = memory.peak();
  EXPECT_LE(heard, 2u * messaging::tree_width) << "however many ranks there are";
  return cost;
}

TEST(ReadyOfManyRanks, first_rank_holds_one_message_for_all_servers) {
  const Cost small = ready_on_the_first(LargeRun(1024, few_fields)),
             large = ready_on_the_first(LargeRun(many_ranks, few_fields));
  RecordProperty("megabytes", static_cast<int>(large.peak / megabyte));
  EXPECT_EQ(large.servers_told, 1u) << "which passes it on";
  EXPECT_LT(large.peak, 200 * megabyte);
  EXPECT_LT(large.peak, 40 * small.peak) << "at most 32 times as many ranks";
  EXPECT_LT(large.held, megabyte);
}

TEST(ReadyOfManyRanks, first_rank_holds_many_ranges_of_each_rank) {
  const Cost cost = ready_on_the_first(LargeRun(many_ranks, few_fields, 50));
  RecordProperty("megabytes", static_cast<int>(cost.peak / megabyte));
  EXPECT_GT(cost.message, many_ranks * 50u * sizeof(model::Run)) << "they are all in it";
  EXPECT_LT(cost.peak, 200 * megabyte);
}

// Beyond what it declared itself. `rank`: in the component.
Cost ready_on_another(const LargeRun& run, int rank) {
  auto component = std::make_unique<OneRank>(rank, run.ranks());
  component->hears = Hearing(declarer_of(run), run.ranks());
  client::Declarer declarer = run.declarer(rank);
  const model::Declarations& declared = declarer.declarations();
  Cost cost;
  const CountedMemory memory;
  auto other = started(run, std::move(component), nullptr);
  handshake::agree_on_declarations(
      other, declarer, {}, [] {}, [] {});
  const plan::Plan plan = handshake::plan_for(other, declared);
  handshake::forget_configurations(other.run, 0);
  const auto agenda = plan::make_agenda(plan, declared, {});
  cost.held = memory.held();
  cost.peak = memory.peak();
  return cost;
}

// One rank forwards the messages of a sixteenth of all ranks, and one has no rank below it.
TEST(ReadyOfManyRanks, a_rank_knows_little_of_the_others) {
  const LargeRun few(1024), many(many_ranks);
  ready_on_another(few, few.ranks() / 2);  // what a process makes once, such as the schema
  for (const int behind : {0, 1}) {
    const Cost small = ready_on_another(few, few.ranks() / 2 - behind),
               large = ready_on_another(many, many.ranks() / 2 - behind);
    EXPECT_LT(large.held, small.held + 20'000) << "who serves whom, in stretches of neighbouring ranks";
    RecordProperty("kilobytes", static_cast<int>(large.held / 1000));
    RecordProperty("kilobytes_at_the_peak", static_cast<int>(large.peak / 1000));
    EXPECT_LT(large.held, 2 * megabyte);
  }
}

// It is below another rank that is not the first.
TEST(ReadyOfManyRanks, one_that_declares_otherwise_is_asked_what) {
  const LargeRun run(40, few_fields);
  auto component = std::make_unique<OneRank>(0, run.ranks());
  OneRank::Bytes answer;
  int asked = -1;
  component->sees = [&](int to, int tag, std::span<const std::byte>) {
    if (tag == explain) asked = to;
  };
  ASSERT_EQ(messaging::TreePlace(6, run.ranks()).parent, 5);
  const auto declarer_of = [&](int rank) {
    client::Declarer declarer = run.declarer(rank);
    if (rank >= 6) declarer.option("dt", rank == 6 ? "1" : "2");
    return declarer;
  };
  component->hears = [&, hearing = Hearing(declarer_of, run.ranks())](int from, int tag) mutable {
    if (tag == up) return hearing(from, tag);
    // The other side of the question.
    auto there = std::make_unique<OneRank>(from, run.ranks());
    there->sees = [&](int, int sent, std::span<const std::byte> bytes) {
      if (sent == explain) answer.assign(bytes.begin(), bytes.end());
    };
    there->hears = [&, settled = false](int, int heard) mutable -> std::optional<OneRank::Bytes> {
      if (heard == down && !std::exchange(settled, true)) return settlement();
      if (heard == explain && answer.empty()) return OneRank::Bytes(1);
      if (heard == down && !answer.empty()) return good_verdict();
      return std::nullopt;
    };
    handshake::Started other;
    other.run.configurations.emplace_back();
    other.number = 0;
    other.component = std::move(there);
    client::Declarer declarer = declarer_of(from);
    handshake::agree_on_declarations(
        other, declarer, {}, [] {}, [] {});
    return std::optional(answer);
  };
  auto first = started(run, std::move(component), std::make_unique<OneRank>(0, 16));
  try {
    client::Declarer declarer = declarer_of(0);
    handshake::agree_on_declarations(
        first, declarer, {}, [] {}, [] {});
    FAIL() << "rank 6 declares an option of its own";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "ranks 0 and 6 of the component declare different things: rank 0 grid \"block\", rank 6 option "
        "\"dt\"; all ranks must declare the same in the same order");
  }
  EXPECT_EQ(asked, 6);
}

}  // namespace
}  // namespace tailrace::server::testing
