// Inputs in a client: nobody puts them, and the fields that they need of the model are kept.
#include <gmock/gmock.h>

#include <cstring>

#include "client/buffer_size.hpp"
#include "client/tests/client_bench.hpp"

namespace tailrace::client::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int sst = 4, ozone = 5;

Declarer with_inputs() {
  Declarer declarer = declared(0);
  for (const char* name : {"sst", "ozone"}) {
    model::Field field;
    field.name = name;
    declarer.input("les", field);
  }
  return declarer;
}

// Wants nothing at all.
class Nothing final : public model::Agenda {
 public:
  void advance(const model::Tick&, std::span<unsigned char> wanted) override {
    std::fill(wanted.begin(), wanted.end(), static_cast<unsigned char>(0));
  }
};

// Gives the time of the present step.
class Source final : public FieldSource {
 public:
  explicit Source(std::vector<double>& steps) : steps_(steps) {}
  bool has(int field) const override { return field == sst; }
  void get(int, const model::Tick& now, const Target& target) const override {
    *static_cast<double*>(target.data) = now.time;
  }
  void step(const model::Tick& now) override { steps_.push_back(now.time); }

 private:
  std::vector<double>& steps_;
};

struct Model {
  std::vector<double> steps;
  Bench bench;
  Client& client;

  explicit Model(std::unique_ptr<model::Agenda> agenda = std::make_unique<Nothing>(),
                 std::vector<unsigned char> once = std::vector<unsigned char>(6, 0))
      : bench(0, std::vector<unsigned char>(6, 0), {.bytes = 1 << 16}, std::move(agenda), std::move(once),
              with_inputs()),
        client(*bench.client) {
    client.provide_inputs(std::make_unique<Source>(steps), std::vector{w, mask});
  }
  double get(int field) {
    double value = 0.0;
    const std::vector<std::int64_t> shape{1};
    client.get(field, {&value, model::DataType::float64, shape, {}});
    return value;
  }
};

std::vector<double> doubles(std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(ClientInputs, AreOfTheTimeOfTheStep) {
  Model model;
  EXPECT_EQ(model.get(sst), 0.0);
  model.client.step(1, 5.0);
  EXPECT_EQ(model.get(sst), 5.0);
  EXPECT_EQ(model.get(sst), 5.0);
  EXPECT_THAT(model.steps, ElementsAre(5.0));
}

TEST(ClientInputs, ThatNobodyProvidesAreRefused) {
  Model model;
  EXPECT_EQ(error_of([&] { model.get(ozone); }),
            "get of input \"ozone\", which the configuration does not provide; ask available first");
  EXPECT_THAT(error_of([&] { model.get(w); }), HasSubstr("does not restart from a checkpoint"));
}

TEST(ClientInputs, EndWithTheServers) {
  Model model;
  model.client.fall_silent("server 0 is lost");
  EXPECT_EQ(error_of([&] { model.get(sst); }, ErrorCode::lost),
            "get of input \"sst\": nothing reads its files any more: server 0 is lost");
  EXPECT_FALSE(model.client.wants(w));
}

TEST(ClientInputs, AreNotPut) {
  Model model;
  model.client.step(1, 1.0);
  const std::vector<double> six(6);
  EXPECT_FALSE(model.client.wants(sst));
  EXPECT_FALSE(model.client.put_unwanted(sst));
  const std::string refusal =
      "put of field \"sst\", which is an input of the model: its values come from files; expected a field "
      "that "
      "was declared with `field`";
  EXPECT_EQ(error_of([&] { model.client.put_dense(sst, six.data(), model::DataType::float64, 6); }), refusal);
  EXPECT_EQ(error_of([&] { model.client.acquire(sst); }), refusal);
}

TEST(ClientInputs, KeepWhatTheyNeedOfTheModel) {
  Model model;
  const std::vector<double> first{1, 2, 3, 4, 5, 6}, second{6, 5, 4, 3, 2, 1};
  EXPECT_THAT(model.client.present(w), IsEmpty());
  EXPECT_FALSE(model.client.wants(w));
  model.client.step(1, 1.0);
  EXPECT_TRUE(model.client.wants(w));
  EXPECT_FALSE(model.client.wants_at_end(w));
  EXPECT_FALSE(model.client.wants(energy));
  EXPECT_FALSE(model.client.put_unwanted(w));
  model.client.put_dense(w, first.data(), model::DataType::float64, 6);
  EXPECT_EQ(doubles(model.client.present(w)), first);
  EXPECT_THAT(error_of([&] { model.client.put_dense(w, first.data(), model::DataType::float64, 5); }),
              HasSubstr("the array has the shape (5)"));
  model.client.step(2, 2.0);
  EXPECT_THAT(model.client.present(w), IsEmpty());
  const auto slot = model.client.acquire(w);
  ASSERT_EQ(slot.size(), 48u);
  std::memcpy(slot.data(), second.data(), slot.size());
  model.client.publish(w);
  EXPECT_EQ(doubles(model.client.present(w)), second);
  for (const Seen& seen : model.bench.take()) EXPECT_EQ(seen.kind, PacketKind::tick);
}

TEST(ClientInputs, LeaveTheFilesWhatTheyGet) {
  Model model(std::make_unique<EvenSteps>());
  const std::vector<double> first{1, 2, 3, 4, 5, 6}, second{6, 5, 4, 3, 2, 1};
  const std::vector<std::int32_t> flags(6, 7);
  model.client.step(2, 1.0);
  const auto slot = model.client.acquire(w);
  std::memcpy(slot.data(), second.data(), slot.size());
  model.client.publish(w);
  model.client.put_dense(mask, flags.data(), model::DataType::int32, 6);
  const std::vector<Seen> seen = model.bench.take();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[1].number, w);
  EXPECT_EQ(seen[1].payload, bytes_of(second));
  EXPECT_EQ(seen[2].payload, bytes_of(flags));
  EXPECT_EQ(doubles(model.client.present(w)), second);
}

TEST(ClientInputs, KeepAFixedFieldForGood) {
  Model model(std::make_unique<OneFixed>(), {0, 1, 0, 0, 0, 0});
  const std::vector<std::int32_t> flags(6, 7);
  model.client.put_dense(mask, flags.data(), model::DataType::int32, 6);
  model.client.step(1, 1.0);
  EXPECT_EQ(model.client.present(mask).size(), 24u);
  EXPECT_FALSE(model.client.wants(mask));
}

TEST(InputBuffer, HasRoomForTheRecords) {
  Declarer declarer("bubble", 0, 1);
  GridArguments grid;
  grid.name = "air";
  grid.dims = {"z", "y", "x"};
  grid.shape = {10, 40, 100};
  declarer.grid(grid);
  model::Field field;
  field.name = "t";
  declarer.input("air", field);
  field.name = "co2";
  declarer.input("", field);
  const std::size_t record = 10 * 40 * 100 * 8;
  const auto bytes = [&](std::vector<ExpectedInput> inputs, std::size_t at_most) {
    return input_buffer(declarer, inputs, at_most);
  };
  EXPECT_EQ(bytes({{1, 4}}, 1 << 30), std::size_t{1} << 20);
  EXPECT_GE(bytes({{0, 4}}, 1 << 30), 4 * record);
  EXPECT_LT(bytes({{0, 4}}, 1 << 30), 4 * record + 4096);
  EXPECT_EQ(bytes({{0, 40}}, 2 << 20), std::size_t{2} << 20);
  const std::size_t columns = 40 * 100 * 150 * 16;
  EXPECT_GE(bytes({{0, 1, 0}}, 1 << 20), 2 * columns);
  EXPECT_LT(bytes({{0, 1, 0}}, 1 << 20), 2 * columns + 1024);
}

}  // namespace
}  // namespace tailrace::client::testing
