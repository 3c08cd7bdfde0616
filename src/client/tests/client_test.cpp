// A client whose server is the test itself: every packet is looked at as it leaves, and every misuse is
// answered at the call that made it.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstring>
#include <limits>

#include "client/tests/client_bench.hpp"

namespace tailrace::client::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Client, APacketForEachStepAndEachPut) {
  Bench bench;
  bench.client->step(2, 0.5);
  EXPECT_TRUE(bench.client->wants(w));
  bench.put_all();
  EXPECT_THAT(bench.take(),
              ElementsAre(Seen{PacketKind::tick, 0, 2, 0.5, {}},
                          Seen{PacketKind::block, w, 2, 0.5, bytes_of<double>({1, 2, 3, 4, 5, 6})},
                          Seen{PacketKind::block, mask, 2, 0.5, bytes_of<std::int32_t>({1, 0, 1, 0, 1, 0})},
                          Seen{PacketKind::block, energy, 2, 0.5, bytes_of<double>({1})},
                          Seen{PacketKind::block, profile, 2, 0.5, bytes_of<float>({1, 2, 3, 4})}));
}

TEST(Client, TakesStridedArraysOfTheRightShape) {
  Bench bench;
  bench.client->step(2, 0.5);
  const std::vector<double> halo{0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0};
  const std::vector<std::int64_t> shape{2, 3}, strides{5, 1};
  bench.client->put(w, {halo.data() + 6, model::DataType::float64, shape, strides});
  const auto seen = bench.take();
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_EQ(seen[1].payload, bytes_of<double>({1, 2, 3, 4, 5, 6}));
}

TEST(Client, WantsWhatIsTakenAtTheEndAtEachStepAndMissesItAtNone) {
  Bench bench(0, {0, 0, 0, 0}, {.bytes = 1 << 16}, std::make_unique<AtTheEnd>());
  EXPECT_FALSE(bench.client->stepped());
  bench.client->step(1, 0.25);
  EXPECT_TRUE(bench.client->wants(w));
  bench.put_all();
  EXPECT_THAT(bench.take(), SizeIs(5));
  bench.client->step(2, 0.5);
  EXPECT_TRUE(bench.client->wants(w));
  EXPECT_TRUE(bench.client->stepped());
  EXPECT_NO_THROW(bench.client->finish());
}

TEST(Client, WhatIsPutOnceIsWantedUntilThen) {
  const std::vector<std::int32_t> flags{1, 0, 1, 0, 1, 0};
  const auto made = [] {
    return Bench(0, {1, 0, 1, 1}, {.bytes = 1 << 16}, std::make_unique<OneFixed>(), {0, 1, 0, 0});
  };
  const auto put = [&](Bench& bench) {
    bench.client->put_dense(mask, flags.data(), model::DataType::int32, 6);
  };
  const Seen block{PacketKind::block, mask, model::static_step, 0.0,
                   bytes_of<std::int32_t>({1, 0, 1, 0, 1, 0})};

  Bench early = made();
  EXPECT_TRUE(early.client->wants(mask));
  EXPECT_FALSE(early.client->wants(energy));
  put(early);
  EXPECT_FALSE(early.client->wants(mask));
  EXPECT_THAT(error_of([&] { put(early); }),
              ::testing::HasSubstr("field \"mask\" was put twice before the first step; it is put once"));
  early.client->step(1, 0.25);
  EXPECT_FALSE(early.client->wants(mask));
  EXPECT_TRUE(early.client->wants(energy));
  put(early);  // like any field that is not wanted
  early.client->step(2, 0.5);
  EXPECT_THAT(early.take(), ElementsAre(block, Seen{PacketKind::tick, 0, 1, 0.25, {}},
                                        Seen{PacketKind::tick, 0, 2, 0.5, {}}));

  Bench in_step = made();
  in_step.client->step(1, 0.25);
  EXPECT_TRUE(in_step.client->wants(mask));
  std::ranges::copy(bytes_of<std::int32_t>({1, 0, 1, 0, 1, 0}), in_step.client->acquire(mask).begin());
  in_step.client->publish(mask);
  EXPECT_FALSE(in_step.client->put_unwanted(mask)) << "the put tells that it is the second one";
  EXPECT_THAT(error_of([&] { put(in_step); }), ::testing::HasSubstr("was put twice at step 1"));
  in_step.client->step(2, 0.5);
  EXPECT_TRUE(in_step.client->put_unwanted(mask));
  EXPECT_THAT(in_step.take(), ElementsAre(Seen{PacketKind::tick, 0, 1, 0.25, {}}, block,
                                          Seen{PacketKind::tick, 0, 2, 0.5, {}}));

  Bench never = made();
  never.client->step(1, 0.25);
  EXPECT_THAT(error_of([&] { never.client->step(2, 0.5); }),
              ::testing::HasSubstr("field \"mask\" was wanted at step 1 but not put"));
}

TEST(Client, WhatNobodyWantsIsCountedAndGoesNowhere) {
  Bench bench;
  bench.client->step(1, 0.25);
  EXPECT_FALSE(bench.client->wants(w));
  bench.put_all();
  EXPECT_THAT(bench.client->acquire(w), IsEmpty());
  bench.client->publish(w);
  EXPECT_THAT(bench.take(), SizeIs(1)) << "the step alone";
  EXPECT_EQ(bench.client->counters().fields[w].unwanted.get(), 2U);
  EXPECT_EQ(bench.client->counters().fields[w].bytes.get(), 0U);
  EXPECT_EQ(bench.client->counters().fields[w].put.count.get(), 0U);
}

TEST(Client, SaysWhereAPutHasNothingToDo) {
  Bench bench;
  EXPECT_FALSE(bench.client->put_unwanted(w)) << "before the first step: the put tells what is wrong";
  bench.client->step(1, 0.25);
  EXPECT_TRUE(bench.client->put_unwanted(w));
  EXPECT_EQ(bench.client->counters().fields[w].unwanted.get(), 1U);
  EXPECT_FALSE(bench.client->put_unwanted(-1));
  EXPECT_FALSE(bench.client->put_unwanted(1000));
  bench.client->step(2, 0.5);
  EXPECT_FALSE(bench.client->put_unwanted(w));
  EXPECT_EQ(bench.client->counters().fields[w].unwanted.get(), 1U);
}

TEST(Client, AcquireAndPublishHandTheSlotOut) {
  Bench bench;
  bench.client->step(2, 0.5);
  const std::span<std::byte> slot = bench.client->acquire(w);
  ASSERT_EQ(slot.size(), 6 * sizeof(double));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slot.data()) % 64, 0U);
  const std::vector<double> values{6, 5, 4, 3, 2, 1};
  std::memcpy(slot.data(), values.data(), slot.size());
  EXPECT_THAT(bench.take(), SizeIs(1)) << "not before publish";
  bench.client->publish(w);
  EXPECT_THAT(bench.take(), ElementsAre(Seen{PacketKind::block, w, 2, 0.5, bytes_of(values)}));
  EXPECT_EQ(bench.client->counters().fields[w].put.count.get(), 1U);
  EXPECT_EQ(bench.client->counters().fields[w].bytes.get(), 6 * sizeof(double));
}

TEST(Client, OnlyTheFirstRankSendsWhatAllHold) {
  Bench bench(1);
  bench.client->step(2, 0.5);
  bench.put_all();
  std::vector<int> numbers;
  for (const Seen& seen : bench.take())
    if (seen.kind == PacketKind::block) numbers.push_back(seen.number);
  EXPECT_THAT(numbers, ElementsAre(w, mask));
  bench.client->step(4, 1.0);
  const std::span<std::byte> slot = bench.client->acquire(profile);
  ASSERT_EQ(slot.size(), 4 * sizeof(float)) << "the caller writes all the same";
  std::memset(slot.data(), 1, slot.size());
  bench.client->publish(profile);
  EXPECT_THAT(bench.take(), SizeIs(1));
  EXPECT_EQ(error_of([&] { bench.client->put_dense(profile, slot.data(), model::DataType::float32, 4); }),
            "field \"profile\" was put twice at step 4");
}

TEST(Client, RefusesWhatDoesNotFitTheField) {
  Bench bench;
  const std::vector<double> memory(12);
  EXPECT_EQ(error_of([&] { bench.client->put_dense(w, memory.data(), model::DataType::float64, 6); }),
            "put of field \"w\" before the first step; call step first");
  bench.client->step(2, 0.5);
  EXPECT_EQ(error_of([&] { bench.client->put_dense(w, memory.data(), model::DataType::float32, 6); }),
            "put of field \"w\": the array is of type float32, but the field was declared as float64");
  EXPECT_EQ(error_of([&] { bench.client->put_dense(w, memory.data(), model::DataType::float64, 5); }),
            "put of field \"w\": the array has the shape (5), but grid \"les\" holds (2, 3) on this rank");
  const std::vector<std::int64_t> turned{3, 2};
  EXPECT_EQ(error_of([&] {
              bench.client->put(w, {memory.data(), model::DataType::float64, turned, {}});
            }),
            "put of field \"w\": the array has the shape (3, 2), but grid \"les\" holds (2, 3) on this rank");
  EXPECT_EQ(error_of([&] {
              bench.client->put(w, {memory.data(), model::DataType::float64, turned, {}, true});
            }),
            "put of field \"w\": the array has the shape (2, 3), but grid \"les\" holds (3, 2) on this rank")
      << "fastest first";
  EXPECT_EQ(error_of([&] { bench.client->put_dense(4, memory.data(), model::DataType::float64, 6); }),
            "4 is not the handle of a field; there are 4 fields");
  EXPECT_EQ(error_of([&] { static_cast<void>(bench.client->wants(-1)); }),
            "-1 is not the handle of a field; there are 4 fields");
  EXPECT_THAT(bench.take(), SizeIs(1)) << "nothing of all this was sent";
  bench.put_all();
  EXPECT_THAT(bench.take(), SizeIs(4)) << "and the fields can still be put";
}

TEST(Client, RefusesAnArrayThatIsNotThere) {
  Bench bench;
  bench.client->step(2, 0.5);
  EXPECT_EQ(error_of([&] { bench.client->put_dense(w, nullptr, model::DataType::float64, 6); }),
            "put of field \"w\": the array is NULL; 6 cells of grid \"les\" are expected on this rank");
  bench.put_all();
  EXPECT_THAT(bench.take(), SizeIs(5)) << "the step and all four fields";
}

TEST(Client, RefusesWhatOnlyAGpuCanRead) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(TAILRACE_MADE_UP_GPU, RTLD_NOW | RTLD_GLOBAL),
                                                      &dlclose);
  ASSERT_TRUE(library) << dlerror();
  Bench bench;
  bench.client->step(2, 0.5);
  const std::vector<double> host(6), device(6);
  setenv("TEST_CUDA", std::to_string(reinterpret_cast<std::uintptr_t>(device.data())).c_str(), 1);
  EXPECT_EQ(
      error_of([&] { bench.client->put_dense(w, device.data(), model::DataType::float64, 6); }),
      "put of field \"w\": the array lies in the memory of a GPU (CUDA), where the processor cannot read it; "
      "copy it to the host first, or use managed memory");
  EXPECT_THAT(bench.take(), SizeIs(1)) << "the step alone";
  bench.client->put_dense(w, host.data(), model::DataType::float64, 6);
  EXPECT_THAT(bench.take(), SizeIs(1));
  unsetenv("TEST_CUDA");
}

TEST(Client, RefusesCallsInTheWrongOrder) {
  Bench bench;
  Client& client = *bench.client;
  const std::vector<double> memory(6);
  client.step(2, 0.5);
  EXPECT_EQ(error_of([&] { client.publish(w); }), "publish of field \"w\", which was not acquired");
  static_cast<void>(client.acquire(w));
  EXPECT_EQ(error_of([&] { client.put_dense(energy, memory.data(), model::DataType::float64, 1); }),
            "put of field \"energy\" between acquire and publish of field \"w\"");
  EXPECT_EQ(error_of([&] { client.publish(mask); }), "publish of field \"mask\", which was not acquired");
  EXPECT_EQ(error_of([&] { client.step(3, 1.0); }),
            "step was called between acquire and publish of field \"w\"");
  EXPECT_EQ(error_of([&] { client.finish(); }),
            "finish was called between acquire and publish of field \"w\"");
  client.publish(w);
  EXPECT_EQ(error_of([&] { client.put_dense(w, memory.data(), model::DataType::float64, 6); }),
            "field \"w\" was put twice at step 2");
}

TEST(Client, StepsGrowAndTimeNeverGoesBack) {
  Bench bench;
  Client& client = *bench.client;
  client.step(1, 0.25);
  EXPECT_EQ(error_of([&] { client.step(1, 0.5); }), "step 1 follows step 1; step numbers must grow");
  EXPECT_EQ(error_of([&] { client.step(3, 0.125); }),
            "step 3 is at 0.125 s, but the model was at 0.25 s before; time never goes back");
  EXPECT_EQ(error_of([&] { client.step(3, std::numeric_limits<double>::quiet_NaN()); }),
            "step 3 is at nan s; a model time is a finite number (the model was at 0.25 s before)");
  EXPECT_EQ(error_of([&] { client.step(3, std::numeric_limits<double>::infinity()); }),
            "step 3 is at inf s; a model time is a finite number (the model was at 0.25 s before)");
  EXPECT_EQ(error_of([&] { client.step(3, -std::numeric_limits<double>::infinity()); }),
            "step 3 is at -inf s; a model time is a finite number (the model was at 0.25 s before)");
  EXPECT_EQ(error_of([&] { client.step(3, 1e16); }),
            "step 3 is at 1e+16 s; a model time is a number of at most 2^53 seconds");
  client.step(3, 0.25);  // a step of no length
  EXPECT_EQ(client.now().step, 3);
  EXPECT_EQ(client.now().time, 0.25);
  EXPECT_THAT(bench.take(), SizeIs(2));
}

TEST(Client, AWantedFieldMustBePut) {
  Bench bench;
  bench.client->step(2, 0.5);
  EXPECT_EQ(error_of([&] { bench.client->step(3, 0.75); }),
            "field \"w\" was wanted at step 2 but not put; ask wants(\"w\"), or mark its group in the "
            "configuration "
            "`optional: true`");
  bench.take();
  bench.client->finish();
  EXPECT_THAT(bench.take(), ElementsAre(::testing::Field(&Seen::kind, PacketKind::abandon)))
      << "the servers must not wait for it";
}

TEST(Client, AWantedFieldMustBePutBeforeFinishToo) {
  Bench bench;
  bench.client->step(2, 0.5);
  EXPECT_THAT(error_of([&] { bench.client->finish(); }),
              ::testing::StartsWith("field \"w\" was wanted at step 2"));
}

TEST(Client, AnOptionalFieldMayBeMissing) {
  Bench bench(0, {1, 1, 1, 1});
  bench.client->step(2, 0.5);
  bench.client->step(4, 1.0);
  bench.client->finish();
  const auto seen = bench.take();
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_EQ(seen[2].kind, PacketKind::finish);
}

TEST(Client, FinishBringsTheCounters) {
  Bench bench(1);
  bench.client->step(1, 0.25);
  bench.put_all();
  bench.client->step(2, 0.5);
  bench.put_all();
  const std::size_t under_way = bench.ends.consumer->bytes_under_way();
  bench.client->finish();
  const auto seen = bench.take();
  ASSERT_EQ(seen.back().kind, PacketKind::finish);
  EXPECT_EQ(seen.back().step, 2);
  const auto counted = telemetry::ClientCounters::from_bytes(seen.back().payload);
  EXPECT_EQ(counted.component, "bubble");
  EXPECT_EQ(counted.rank, 1);
  ASSERT_THAT(counted.fields, SizeIs(4));
  EXPECT_EQ(counted.fields[mask].name, "mask");
  EXPECT_EQ(counted.fields[mask].bytes.get(), 24U);
  EXPECT_EQ(counted.fields[mask].unwanted.get(), 1U);
  EXPECT_EQ(counted.fields[mask].put.count.get(), 1U);
  EXPECT_EQ(counted.fields[energy].bytes.get(), 0U) << "the first rank's stand for it";
  EXPECT_EQ(counted.step.count.get(), 2U);
  EXPECT_EQ(counted.buffer_capacity_bytes.get(), bench.ends.consumer->capacity());
  EXPECT_GE(counted.buffer_high_water_bytes.get(), under_way);
}

TEST(Client, WhatWentWrongOnAServerIsToldAtTheNextCallOnce) {
  Bench bench;
  bench.client->step(2, 0.5);
  bench.ends.consumer->raise({ErrorCode::resource, "out.nc: no space left"});
  const std::vector<double> memory(6);
  EXPECT_EQ(error_of([&] { bench.client->put_dense(w, memory.data(), model::DataType::float64, 6); },
                     ErrorCode::resource),
            "out.nc: no space left");
  bench.put_all();
  bench.ends.consumer->raise({ErrorCode::resource, "another"});
  EXPECT_EQ(error_of([&] { bench.client->step(3, 1.0); }, ErrorCode::resource), "another");
  bench.client->step(3, 1.0);
}

TEST(Client, ASilentOneWantsAndSendsNothingAndStillTellsMisuse) {
  Bench bench;
  Client& client = *bench.client;
  client.step(2, 0.5);  // nothing of it is put any more
  bench.ends.consumer->raise({ErrorCode::lost, "server 1 is gone"});
  client.fall_silent("server 0 is lost");
  client.step(4, 1.0);
  EXPECT_FALSE(client.wants(w));
  EXPECT_TRUE(client.put_unwanted(w));
  bench.put_all();
  EXPECT_TRUE(client.acquire(w).empty());
  client.publish(w);
  EXPECT_THAT(error_of([&] { client.step(3, 2.0); }), ::testing::HasSubstr("step numbers must grow"));
  EXPECT_THAT(error_of([&] { client.wants(99); }), ::testing::HasSubstr("not the handle of a field"));
  EXPECT_THAT(bench.take(), SizeIs(1)) << "the step before";
  client.finish();
  EXPECT_THAT(bench.take(), ElementsAre(::testing::Field(&Seen::kind, PacketKind::finish)));
}

TEST(Client, OneWithoutAServerIsSilent) {
  Client client(declared(0), 0, {nullptr, nullptr, {}, {}, {0, 0.0}});
  EXPECT_FALSE(client.has_server());
  client.step(2, 0.5);
  EXPECT_FALSE(client.wants(w));
  client.finish();
  client.abandon();
}

TEST(Client, ABufferThatIsFullFailsTheStepOrPutThatFindsItSo) {
  Bench bench(0, {1, 1, 1, 1}, {.bytes = 4096, .when_full = transport::WhenFull::fail});
  const std::vector<double> memory(6);
  const auto fill = [&] {
    for (std::int64_t step = 2; step < 400; step += 2) {
      bench.client->step(step, static_cast<double>(step));
      bench.client->put_dense(w, memory.data(), model::DataType::float64, 6);
    }
  };
  EXPECT_THAT(error_of(fill, ErrorCode::full), ::testing::HasSubstr("4096"));
}

TEST(Client, StaticsComeFirst) {
  Declarer declarer = declared(0);
  model::Coordinate x;
  x.name = "x";
  declarer.coordinate("les", x, std::vector<double>{1, 2, 3});
  declarer.settle_coordinates();
  const auto doorbell = transport::make_heap_doorbell();
  auto ends = transport::loopback::make({{.bytes = 1 << 16}, {}}, *doorbell);
  Client client(declarer, 0,
                {.producer = std::move(ends.producer),
                 .agenda = std::make_unique<EvenSteps>(),
                 .may_be_missing = {0, 0, 0, 0, 0},
                 .once = {0, 0, 0, 0, 0},
                 .begin = {0, 0.0}});
  client.put_statics(declarer.statics());
  client.step(1, 1.0);
  const auto packet = ends.consumer->next();
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->header.kind, PacketKind::block);
  EXPECT_EQ(packet->header.number, 4);
  EXPECT_EQ(packet->header.step, model::static_step);
  EXPECT_EQ(std::vector<std::byte>(packet->payload.begin(), packet->payload.end()),
            bytes_of<double>({1, 2, 3}));
}

}  // namespace
}  // namespace tailrace::client::testing
