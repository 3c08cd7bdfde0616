// The conformance suite on the transports within a node.
#include <gtest/gtest.h>

#include "base/testing/has_test.hpp"
#include "transport/testing/named.hpp"

namespace tailrace::transport::testing {
namespace {

using ::testing::TestWithParam;
using ::testing::ValuesIn;

class LoopbackTransport : public TestWithParam<Case> {};
TEST_P(LoopbackTransport, keeps_the_contract) {
  const auto doorbell = make_heap_doorbell();
  auto ends = loopback::make({.buffer = GetParam().options, .while_waiting = {}, .sender = GetParam().sender},
                             *doorbell);
  in_threads(GetParam(), std::move(ends.producer), std::move(ends.consumer), *doorbell);
}
INSTANTIATE_TEST_SUITE_P(Cases, LoopbackTransport, ValuesIn(both_directions()), name_of);

class ShmTransport : public TestWithParam<Case> {};
TEST_P(ShmTransport, keeps_the_contract) { between_threads("shm", GetParam()); }
TEST_P(ShmTransport, keeps_it_between_processes) { between_processes("shm", GetParam()); }
INSTANTIATE_TEST_SUITE_P(Cases, ShmTransport, ValuesIn(both_directions()), name_of);

// Those that share no memory are run by mpi_transport_main.cpp, all of them.
TEST(Transports, all_have_a_conformance_test) {
  for (const std::string& name : transport_names())
    if (find_transport(name)->shares_memory()) base::testing::expect_conformance_test(name, "Transport");
}

}  // namespace
}  // namespace tailrace::transport::testing
