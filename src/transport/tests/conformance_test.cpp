// The conformance suite on the transports within a node.
#include <gtest/gtest.h>

#include "transport/endpoints.hpp"
#include "transport/tests/both_ends.hpp"

namespace tailrace::transport::testing {
namespace {

class Conformance : public ::testing::TestWithParam<Case> {};

TEST_P(Conformance, Loopback) {
  const auto doorbell = make_heap_doorbell();
  auto ends = loopback::make({GetParam().options, {}}, *doorbell);
  in_threads(GetParam(), std::move(ends.producer), std::move(ends.consumer), *doorbell);
}

TEST_P(Conformance, SharedMemoryBetweenThreads) {
  const auto world = comm::serial();
  auto bell = shm::make_doorbell();
  auto end = shm::make_producer(GetParam().options, bell.name);
  auto consumer = accept(end.invitation, *world, 0, *bell.doorbell);
  in_threads(GetParam(), std::move(end.producer), std::move(consumer), *bell.doorbell);
}

TEST_P(Conformance, SharedMemoryBetweenProcesses) {
  auto bell = shm::make_doorbell();
  const Pipe invitation;
  const Pipe accepted;
  Child client([&] {
    auto end = shm::make_producer(GetParam().options, bell.name);
    invitation.write(end.invitation);
    accepted.read();
    GetParam().produce(*end.producer);
  });
  {
    const auto world = comm::serial();
    const auto consumer = accept(invitation.read(), *world, 0, *bell.doorbell);
    accepted.write("yes");
    GetParam().consume(*consumer, *bell.doorbell);
  }
  EXPECT_EQ(client.wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(Transport, Conformance, ::testing::ValuesIn(conformance_cases()),
                         [](const auto& parameters) { return parameters.param.name; });

}  // namespace
}  // namespace tailrace::transport::testing
