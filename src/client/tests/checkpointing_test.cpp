// Tests the packets of a client about checkpoints, and the values that a model gets from one.
#include <gmock/gmock.h>

#include <algorithm>

#include "client/restored_fields.hpp"
#include "client/tests/client_bench.hpp"
#include "model/memory_state.hpp"

namespace tailrace::client::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<double> six{1, 2, 3, 4, 5, 6};

// A checkpoint is due at steps 3 and 4, and w and mask belong to it; files want all at even steps.
struct Saving : Bench {
  explicit Saving(int rank = 0, bool configured = true) {
    ClientParts parts{.producer = nullptr,
                      .agenda = std::make_unique<EvenSteps>(),
                      .may_be_missing = {0, 0, 0, 0},
                      .once = {0, 0, 0, 0},
                      .begin = {2, 0.5},
                      .continues = true,
                      .kept = {1, 1, 0, 0}};
    if (configured) parts.schedule = [](const model::Tick& tick) { return tick.step == 3 || tick.step == 4; };
    ends = transport::loopback::make({{.bytes = 1 << 16}, {}}, *doorbell);
    parts.producer = std::move(ends.producer);
    client = std::make_unique<Client>(declared(rank), rank, std::move(parts));
  }
  void put_w() { client->put_dense(w, six.data(), model::DataType::float64, 6); }
  void put_mask() {
    const std::vector<std::int32_t> flags{1, 0, 1, 0, 1, 0};
    client->put_dense(mask, flags.data(), model::DataType::int32, 6);
  }
  std::vector<PacketKind> kinds() {
    std::vector<PacketKind> all;
    for (const Seen& seen : take()) all.push_back(seen.kind);
    return all;
  }
};

TEST(Checkpointing, FieldsAreWantedAndCopiedOnceForAll) {
  Saving bench;
  bench.client->step(3, 1.0);
  EXPECT_TRUE(bench.client->checkpoint_due());
  EXPECT_TRUE(bench.client->wants(w) && bench.client->wants(mask));
  EXPECT_FALSE(bench.client->wants(energy));
  EXPECT_FALSE(bench.client->put_unwanted(w));
  bench.put_w();
  bench.put_mask();
  bench.put_w();  // the checkpoint contains it
  bench.client->checkpoint();
  EXPECT_FALSE(bench.client->checkpoint_due());
  EXPECT_THAT(bench.kinds(),
              ElementsAre(PacketKind::tick, PacketKind::kept, PacketKind::kept, PacketKind::checkpoint));
  bench.client->step(4, 1.5);
  bench.put_all();
  bench.put_w();
  bench.client->checkpoint();
  EXPECT_THAT(bench.kinds(),
              ElementsAre(PacketKind::tick, PacketKind::block_and_kept, PacketKind::block_and_kept,
                          PacketKind::block, PacketKind::block, PacketKind::checkpoint));
  bench.client->step(5, 2.0);
  EXPECT_FALSE(bench.client->checkpoint_due());
  EXPECT_TRUE(bench.client->put_unwanted(w));
}

TEST(Checkpointing, OneThatIsAskedForTakesAgainWhatWasPutForFilesAlone) {
  Saving bench;
  bench.client->step(6, 1.0);
  bench.put_all();
  bench.client->request_checkpoint();
  EXPECT_TRUE(bench.client->checkpoint_due());
  bench.put_w();
  EXPECT_THAT(
      error_of([&] { bench.client->checkpoint(); }),
      HasSubstr("field \"mask\" belongs to the checkpoint (checkpoint.fields), but was not put at step 6"));
  bench.put_mask();
  bench.client->checkpoint();
  EXPECT_THAT(bench.kinds(),
              ElementsAre(PacketKind::tick, PacketKind::block, PacketKind::block, PacketKind::block,
                          PacketKind::block, PacketKind::kept, PacketKind::kept, PacketKind::checkpoint));
}

TEST(Checkpointing, ValuesGoWithTheFirstRanks) {
  for (const int rank : {0, 1}) {
    Saving bench(rank);
    bench.client->put_value("seeds", std::vector<std::int64_t>{4, 5});
    bench.client->put_value("seeds", std::vector<std::int64_t>{6});
    bench.client->put_value("note", std::string("so"));
    bench.client->step(3, 1.0);
    bench.put_w();
    bench.put_mask();
    bench.client->checkpoint();
    const model::KeptValues expected{{"note", "so"}, {"seeds", std::vector<std::int64_t>{6}}};
    const auto payload = bench.take().back().payload;
    const std::size_t seconds = rank == 0 ? sizeof(double) : 0;  // what checkpoints have cost
    EXPECT_EQ(model::kept_values_from(std::span(payload).subspan(seconds)),
              rank == 0 ? expected : model::KeptValues{});
  }
}

TEST(Checkpointing, RefusesCallsInTheWrongOrder) {
  Saving bench;
  EXPECT_THAT(error_of([&] { bench.client->checkpoint(); }),
              HasSubstr("checkpoint was called before the first step"));
  EXPECT_THAT(error_of([&] { bench.client->step(2, 1.0); }),
              HasSubstr("step 2 is the first after a restart, but the checkpoint is of step 2"));
  bench.client->step(3, 1.0);
  EXPECT_THAT(error_of([&] { bench.client->step(4, 1.5); }),
              HasSubstr("a checkpoint was due at step 3, but the model did not call checkpoint"));
  bench.put_w();
  bench.put_mask();
  bench.client->checkpoint();
  EXPECT_THAT(error_of([&] { bench.client->checkpoint(); }),
              HasSubstr("checkpoint was called twice at step 3"));
  bench.client->step(4, 1.5);
  bench.put_all();
  bench.client->checkpoint();
  EXPECT_THAT(error_of([&] { bench.put_w(); }),
              HasSubstr("put of field \"w\" after the checkpoint of step 4"));
  bench.client->step(5, 2.0);
  EXPECT_THAT(error_of([&] { bench.client->checkpoint(); }), HasSubstr("at step 5, where none is due"));
  EXPECT_THAT(error_of([&] { bench.client->put_value("a/b", std::string("c")); }),
              HasSubstr("put_value: the name \"a/b\" has a \"/\""));
  Saving without(0, false);
  without.client->step(3, 1.0);
  EXPECT_FALSE(without.client->checkpoint_due());
  EXPECT_THAT(error_of([&] { without.client->request_checkpoint(); }),
              HasSubstr("has no section `checkpoint`"));
}

class Restored : public ::testing::Test {
 protected:
  Restored() {
    std::vector<double> cells;
    for (int i = 0; i < 12; ++i) cells.push_back(i);
    state.save({"model/fields/w", model::DataType::float64, {"y", "x"}, {2, 6}},
               model::Region::of_box({{0, 0}, {2, 6}}), std::as_bytes(std::span(cells)));
    state.save({"model/fields/mask", model::DataType::int32, {"y", "x"}, {2, 5}},
               model::Region::of_box({{0, 0}, {2, 5}}), std::as_bytes(std::span(cells)).first(40));
    model::save({{"seeds", std::vector<std::int64_t>{3, 1}}, {"note", "long"}}, state);
  }
  const model::Tick now{2, 0.5};
  model::MemoryState state;
  Declarer declarer = declared(1);
  RestoredFields fields{state, [this] { return state.names(); }, declarer};
};

TEST_F(Restored, GivesThePartOfTheRankInArraysOfAnyStrides) {
  const std::vector<std::int64_t> shape{2, 3}, strides{5, 1};
  std::vector<double> dense(6), halo(12, -1.0);
  fields.get(w, now, {dense.data(), model::DataType::float64, shape, {}});
  EXPECT_THAT(dense, ElementsAre(3, 4, 5, 9, 10, 11));
  fields.get(w, now, {halo.data() + 1, model::DataType::float64, shape, strides});
  EXPECT_THAT(halo, ElementsAre(-1, 3, 4, 5, -1, -1, 9, 10, 11, -1, -1, -1));
  EXPECT_EQ(fields.value("seeds"), model::KeptValue(std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(fields.value("note"), model::KeptValue("long"));
}

// Has the fields of some handles, and notes the steps at which they are asked for.
struct Named final : FieldSource {
  Named(std::vector<int> fields, std::vector<std::int64_t>& steps)
      : fields(std::move(fields)), steps(steps) {}
  bool has(int field) const override { return std::ranges::count(fields, field) > 0; }
  void get(int field, const model::Tick& now, const Target& target) const override {
    if (!has(field)) throw Error(ErrorCode::usage, "the input has no such field");
    steps.push_back(now.step);
    *static_cast<double*>(target.data) = 7.0;
  }
  std::vector<int> fields;
  std::vector<std::int64_t>& steps;
};

TEST_F(Restored, FieldsComeFromTheFirstSourceThatHasThem) {
  std::vector<std::int64_t> steps;
  ClientParts parts{.producer = nullptr, .agenda = nullptr, .may_be_missing = {}, .once = {}, .begin = now};
  parts.sources.push_back(std::make_unique<RestoredFields>(
      state, [this] { return state.names(); }, declarer));
  parts.sources.push_back(std::make_unique<Named>(std::vector{w, energy}, steps));
  const Client client(declarer, 1, std::move(parts));
  std::vector<double> array(6);
  const std::vector<std::int64_t> shape{2, 3};
  const Target target{array.data(), model::DataType::float64, shape, {}};
  client.get(w, target);
  EXPECT_THAT(array, ElementsAre(3, 4, 5, 9, 10, 11));
  client.get(energy, target);
  EXPECT_EQ(array[0], 7.0);
  EXPECT_THAT(steps, ElementsAre(2));
  EXPECT_THAT(error_of([&] { client.get(99, target); }), HasSubstr("99 is not the handle of a field"));
  const Client without(
      declarer, 1, {.producer = nullptr, .agenda = nullptr, .may_be_missing = {}, .once = {}, .begin = now});
  EXPECT_THAT(error_of([&] { without.get(w, target); }),
              HasSubstr("in a run that does not restart from a checkpoint"));
}

TEST_F(Restored, RefusesWhatIsNotThereOrOfAnotherShape) {
  std::vector<double> array(6);
  const std::vector<std::int64_t> shape{2, 3}, wrong{3, 2}, four{4};
  EXPECT_THAT(error_of([&] {
                fields.get(w, now, {array.data(), model::DataType::float64, wrong, {}});
              }),
              HasSubstr("get of field \"w\": the array has the shape (3, 2), but grid \"les\" holds (2, 3)"));
  EXPECT_THAT(error_of([&] {
                fields.get(w, now, {array.data(), model::DataType::float32, shape, {}});
              }),
              HasSubstr("the array is of type float32, but the field was declared as float64"));
  EXPECT_THAT(error_of([&] {
                fields.get(mask, now, {array.data(), model::DataType::int32, shape, {}});
              }),
              HasSubstr("get of field \"mask\": the checkpoint has it as int32(2, 5), but it was declared as "
                        "int32(2, 6)"));
  EXPECT_THAT(error_of([&] {
                fields.get(profile, now, {array.data(), model::DataType::float32, four, {}});
              }),
              HasSubstr("the checkpoint has no field \"profile\""));
  EXPECT_THAT(error_of([&] { fields.value("seed"); }),
              HasSubstr("the checkpoint has no value \"seed\". Did you mean \"seeds\"?"));
  EXPECT_THAT(error_of([&] {
                fields.get(w, now, {nullptr, model::DataType::float64, shape, {}});
              }),
              HasSubstr("the array is NULL"));
}

}  // namespace
}  // namespace tailrace::client::testing
