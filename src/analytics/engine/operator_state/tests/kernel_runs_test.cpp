// The state of kernels is saved between two steps and restored on other servers, which continue as without a
// restart.
#include <gmock/gmock.h>

#include "analytics/engine/operator_state/call_text.hpp"
#include "analytics/engine/tests/job.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "model/memory_state.hpp"

namespace tailrace::analytics::engine::operator_state {
namespace {

using model::MemoryState;
using testing::columns;
using testing::Job;
using testing::levels;
using testing::Order;
using Diagnostics = std::vector<std::pair<std::string, std::string>>;

constexpr int ranks = 4;

// The sum over all steps so far, cell by cell.
class SoFar final : public Kernel {
 public:
  explicit SoFar(model::DataType kept = model::DataType::float64) : kept_(kept) {}
  OperatorDoc doc() const override { return {}; }
  std::optional<std::size_t> only_arrays() const override { return 1; }
  Shape infer(const Call& call) const override { return call.arguments[0]; }
  std::vector<std::string> needs_whole(const Call&) const override { return {}; }
  std::vector<Memory> memories(const Call& call) const override {
    return {{"sum", kept_, call.arguments[0].dims}};
  }
  std::unique_ptr<KernelRun> start(const Call&) const override { return std::make_unique<Run>(); }

 private:
  class Run final : public KernelRun {
   public:
    Array compute(std::span<const ConstArray> arguments) override {
      memories(*arguments[0].region);
      for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += arguments[0].values[i];
      return {*arguments[0].region, sum_};
    }
    std::vector<std::span<std::byte>> memories(const model::Region& result) override {
      sum_.resize(static_cast<std::size_t>(result.size()));
      return {std::as_writable_bytes(std::span(sum_))};
    }

   private:
    std::vector<double> sum_;
  };
  model::DataType kept_;
};

Job::Options cast(int servers, model::DataType kept = model::DataType::float64) {
  return {.servers = servers,
          .ranks = ranks,
          .order = Order::any,
          .seed = static_cast<unsigned>(servers),
          .operators = {{"so_far", std::make_shared<SoFar>(kept)}}};
}

std::vector<double> sums(std::int64_t last, int rank, double factor) {
  std::vector<double> row;
  for (std::int64_t z = 0; z < levels; ++z)
    for (std::int64_t x = 0; x < columns; ++x) {
      row.push_back(0.0);
      for (std::int64_t step = 0; step <= last; ++step)
        row.back() += factor * Job::value("w", step, z, rank, x);
    }
  return row;
}

void play(Job& job, std::int64_t first, std::int64_t end) {
  for (std::int64_t step = first; step < end; ++step) job.step(step);
  job.run();
}

void save(const Job& job, MemoryState& state) {
  for (const auto& server : job.servers) server.engine->save(state);
}

void load(Job& job, const MemoryState& state) {
  for (const auto& server : job.servers) server.engine->load(state);
}

TEST(OperatorState, AreRestoredOnOtherServers) {
  const Diagnostics diagnostics{
      {"sum", "so_far(w)"}, {"numbers", "track(w > 8)"}, {"total", "so_far(sum(w, y))"}};
  Job whole(diagnostics, cast(1));
  play(whole, 0, 6);
  for (const int servers : {1, 2, 5}) {
    SCOPED_TRACE(servers);
    MemoryState state;
    Job before(diagnostics, cast(2)), after(diagnostics, cast(servers));
    play(before, 0, 3);
    save(before, state);
    EXPECT_EQ(state.find("operators/so_far/0/sum")->dims, (std::vector<std::string>{"z", "y", "x"}));
    EXPECT_EQ(state.find("operators/track/0/next")->type, model::DataType::int64);
    load(after, state);
    play(after, 3, 6);
    for (std::size_t step = 3; step < 6; ++step) {
      for (int rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(after.block(step - 3, "sum", rank), sums(static_cast<std::int64_t>(step), rank, 1.0));
      EXPECT_EQ(after.whole(step - 3, "numbers"), whole.whole(step, "numbers"));
      EXPECT_EQ(after.whole(step - 3, "total"), whole.whole(step, "total"));
    }
    after.finish();
  }
}

TEST(OperatorState, AreSavedBeforeTheFirstStep) {
  MemoryState state;
  Job before({{"sum", "so_far(w)"}}, cast(2)), after({{"sum", "so_far(w)"}}, cast(3));
  save(before, state);
  load(after, state);
  play(after, 0, 2);
  EXPECT_EQ(after.block(1, "sum", 2), sums(1, 2, 1.0));
}

TEST(OperatorState, AreFoundByTheCallDespiteOtherDiagnostics) {
  MemoryState state;
  Job before({{"twice", "so_far(2 * w)"}, {"sum", "so_far(w)"}, {"gone", "so_far(th)"}}, cast(2));
  play(before, 0, 3);
  save(before, state);
  Job after({{"fresh", "so_far(3 * w)"}, {"sum", "so_far(w)"}, {"twice", "so_far(2 * w)"}}, cast(1));
  load(after, state);
  play(after, 3, 4);
  EXPECT_EQ(after.block(0, "sum", 1), sums(3, 1, 1.0));
  EXPECT_EQ(after.block(0, "twice", 1), sums(3, 1, 2.0));
  std::vector<double> fresh = sums(3, 1, 3.0);
  for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] -= sums(2, 1, 3.0)[i];
  EXPECT_EQ(after.block(0, "fresh", 1), fresh);
}

TEST(OperatorState, TheTextOfACallIsIndependentOfOtherDiagnostics) {
  const auto text = [](const Diagnostics& diagnostics) {
    const Job job(diagnostics, cast(1));
    const Graph& graph = job.compiled.graph;
    return call_text(graph, graph.diagnostics[base::index(job.number("it"))].node);
  };
  const std::string alone = text({{"it", "so_far(th * 2 * (3 * w))"}});
  EXPECT_EQ(alone, "so_far(((2 * th) * (3 * w)))");
  EXPECT_EQ(text({{"a", "3 * w"}, {"it", "so_far(3 * w * (2 * th))"}, {"z", "2 * th"}}), alone);
  EXPECT_EQ(text({{"it", "so_far(w / th)"}}), "so_far((w / th))");
  EXPECT_EQ(text({{"it", "so_far(sum(w, x))"}}), "so_far(sum(w, x))");
  std::string deep = "w";
  for (int i = 0; i < 40; ++i) deep = "(" + deep + " - th / th * w)";
  const std::string one = text({{"it", "so_far(" + deep + ")"}});
  const std::string other = text({{"it", "so_far((" + deep + ") * th)"}});
  EXPECT_LT(one.size(), 250U);
  EXPECT_NE(one, other);
}

TEST(OperatorState, OfAnotherTypeAreRejected) {
  MemoryState state;
  Job before({{"sum", "so_far(w)"}}, cast(2));
  save(before, state);
  Job after({{"sum", "so_far(w)"}}, cast(1, model::DataType::int64));
  try {
    load(after, state);
    FAIL() << "it was restored";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the state of so_far(w) cannot be restored: "));
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("another name for the operator, which then starts without it"));
  }
}

TEST(OperatorState, CountAsMemory) {
  Job job({{"sum", "so_far(w)"}}, cast(1));
  EXPECT_EQ(job.servers[0].engine->fixed_bytes(), sizeof(double) * levels * ranks * columns);
}

}  // namespace
}  // namespace tailrace::analytics::engine::operator_state
