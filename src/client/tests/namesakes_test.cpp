// Tests a field with several names: each put supplies all of them.
#include <gmock/gmock.h>

#include <cstring>

#include "client/tests/client_bench.hpp"

namespace tailrace::client::testing {
namespace {

using ::testing::ElementsAre;

TEST(Client, NamesakesGetWhatIsPut) {
  constexpr int namesake = 4;
  Declarer declarer = declared(0);
  declarer.add_namesake(w, "les.w", 0);
  Bench bench(0, {1, 1, 1, 1, 0}, {.bytes = 1 << 16}, std::make_unique<EndAndEvenSteps>(), {0, 0, 0, 0, 0},
              declarer);
  const std::vector<double> values{6, 5, 4, 3, 2, 1};
  const auto block = [&](int number, std::int64_t step, double time) {
    return Seen{PacketKind::block, number, step, time, bytes_of(values)};
  };
  bench.client->step(1, 0.25);
  EXPECT_TRUE(bench.client->wants(w));
  EXPECT_TRUE(bench.client->wants_at_end(w)) << "nothing needs it now";
  EXPECT_FALSE(bench.client->wants_at_end(mask));
  bench.client->step(2, 0.5);
  EXPECT_FALSE(bench.client->wants_at_end(w));
  EXPECT_FALSE(bench.client->put_unwanted(w));
  bench.take();
  bench.client->put_dense(w, values.data(), model::DataType::float64, 6);
  EXPECT_THAT(bench.take(), ElementsAre(block(w, 2, 0.5), block(namesake, 2, 0.5)));
  bench.client->step(3, 0.75);
  bench.take();
  const std::span<std::byte> slot = bench.client->acquire(w);
  ASSERT_EQ(slot.size(), 6 * sizeof(double));
  std::memcpy(slot.data(), values.data(), slot.size());
  bench.client->publish(w);
  EXPECT_THAT(bench.take(), ElementsAre(block(w, 3, 0.75)));
  bench.client->step(4, 1.0);
  EXPECT_THAT(error_of([&] { bench.client->step(5, 1.25); }),
              ::testing::HasSubstr("field \"les.w\" was wanted at step 4 but not put"));
}

}  // namespace
}  // namespace tailrace::client::testing
