// A component fed by something that is no client of ours: callbacks of another library, played by the test.
#include "transport/packet_source.hpp"

#include <deque>

#include "base/index.hpp"
#include "output/memory/memory_format.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::server {
namespace {

using testing::ElementsAre;

// Keeps the arrays of each callback until the server has used them. Nothing here but what PacketSource
// demands: no client, no channel, no buffer with a bound.
class CallbackSource final : public transport::PacketSource {
 public:
  void got(const model::PacketHeader& header, std::vector<double> values = {}) {
    arrays_.push_back({header, std::move(values), false});
  }
  std::size_t kept() const { return arrays_.size(); }
  std::vector<std::string> faults;

  std::optional<transport::Packet> next() override {
    const std::size_t at = static_cast<std::size_t>(taken_ - first_);
    if (at == arrays_.size()) return std::nullopt;
    return transport::Packet{arrays_[at].header, std::as_bytes(std::span(arrays_[at].values)), taken_++};
  }
  void release(std::uint64_t sequence) override {
    arrays_[base::index(sequence - first_)].released = true;
    for (; !arrays_.empty() && arrays_.front().released; ++first_) arrays_.pop_front();
  }
  void raise(const base::Fault& fault) override { faults.push_back(fault.message); }

 private:
  struct Array {
    model::PacketHeader header;
    std::vector<double> values;
    bool released;
  };
  std::deque<Array> arrays_;
  std::uint64_t first_ = 0, taken_ = 0;
};

const char* const configuration_text =
    "tailrace: 1\n"
    "fields: {state: {names: [sst]}}\n"
    "output:\n"
    "  callbacks:\n"
    "    format: memory\n"
    "    write_every: 2 s\n"
    "    variables:\n"
    "      - {field: sst, every: 1 s}\n"
    "      - {field: sst, name: sst_mean, time: mean, every: 2 s}\n";

pipeline::ComponentInfo coupler() {
  client::Declarer declarer("coupler", 0, 1);
  client::GridArguments grid;
  grid.name = "ocean";
  grid.dims = {"cell"};
  grid.shape = grid.count = {3};
  grid.offset = {0};
  declarer.grid(grid);
  model::Field field;
  field.name = "sst";
  field.type = model::DataType::float64;
  declarer.field("ocean", field);
  const std::map<std::string, std::string> no_options;
  pipeline::ComponentInfo info;
  info.configuration = settings::parse_configuration({{"run.yaml", configuration_text}}, &no_options);
  info.declarations = declarer.declarations();
  info.decomposition.regions = {{declarer.regions().front()}};
  return info;
}

struct Bench {
  messaging::testing::MemoryNetwork network{1, 1};
  std::unique_ptr<comm::Communicator> communicator = network.rank(0);
  messaging::Messenger messenger{*communicator};
  std::unique_ptr<transport::Doorbell> doorbell = transport::make_heap_doorbell();
  Executor executor{0, *doorbell};
  telemetry::ServerCounters counters;
  pipeline::ServedComponent component{coupler(), messenger,
                                      sinks::SinkServices{executor, counters, nullptr, nullptr, 0.0}};
  CallbackSource* source = nullptr;
  std::unique_ptr<Intake> intake;

  Bench() {
    auto made = std::make_unique<CallbackSource>();
    source = made.get();
    component.create_files(std::vector<int>{0});
    std::vector<Link> links;
    links.push_back({0, std::move(made)});
    intake = std::make_unique<Intake>(
        "coupler", std::move(links),
        IntakeServices{.executor = executor, .receiver = component, .counters = counters});
    component.start({0}, intake.get());
  }
  void step(std::int64_t step, std::vector<double> values) {
    const auto time = static_cast<double>(step);
    source->got({model::PacketKind::tick, 0, step, time});
    source->got({model::PacketKind::block, 0, step, time}, std::move(values));
  }
  void run(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      messenger.progress();
      if (component.takes_in()) intake->progress();
      component.progress();
    }
  }
};

TEST(PacketSource, OfAnotherLibraryFeedsAComponent) {
  Bench bench;
  for (int step = 1; step <= 4; ++step) bench.step(step, {1.0 * step, 10.0 * step, 100.0 * step});
  bench.source->got({model::PacketKind::finish, 0, 0, 0.0});
  bench.run(100);
  EXPECT_TRUE(bench.component.over());
  EXPECT_EQ(bench.source->kept(), 0U) << "every array was released";
  EXPECT_TRUE(bench.source->faults.empty());
  EXPECT_TRUE(bench.intake->client_counters().empty()) << "it counted nothing";
  const auto contents = output::memory::contents_of("callbacks");
  EXPECT_THAT(contents->values<double>("sst"), ElementsAre(1, 10, 100, 2, 20, 200, 3, 30, 300, 4, 40, 400));
  EXPECT_THAT(contents->values<double>("sst_mean"), ElementsAre(1.5, 15, 150, 3.5, 35, 350));
}

TEST(PacketSource, OfAnotherLibraryHearsOfAFault) {
  Bench bench;
  bench.step(1, {1.0, 2.0});  // one value is missing
  bench.run(100);
  const auto fault = bench.executor.take_fault();
  ASSERT_TRUE(fault);
  bench.component.fail(*fault);
  bench.run(100);
  EXPECT_THAT(bench.source->faults, ElementsAre(testing::HasSubstr("sst")));
}

}  // namespace
}  // namespace tailrace::server
