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
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  Child client([&] {
    auto end = shm::make_producer(GetParam().options, bell.name);
    if (write(pipe_ends[1], end.invitation.data(), end.invitation.size()) < 0)
      throw std::runtime_error("pipe");
    GetParam().produce(*end.producer);
  });
  std::string invitation(4096, '\0');
  const ssize_t size = read(pipe_ends[0], invitation.data(), invitation.size());
  ASSERT_GT(size, 0);
  invitation.resize(static_cast<std::size_t>(size));
  {
    const auto world = comm::serial();
    const auto consumer = accept(invitation, *world, 0, *bell.doorbell);
    GetParam().consume(*consumer, *bell.doorbell);
  }
  EXPECT_EQ(client.wait(), 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

INSTANTIATE_TEST_SUITE_P(Transport, Conformance, ::testing::ValuesIn(conformance_cases()),
                         [](const auto& parameters) { return parameters.param.name; });

}  // namespace
}  // namespace tailrace::transport::testing
