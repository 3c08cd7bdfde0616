// The conformance suite on a registered transport that shares memory; a new transport's test is
//
//   class TwinTransport : public TestWithParam<Case> {};
//   TEST_P(TwinTransport, keeps_the_contract) { between_threads("twin", GetParam()); }
//   TEST_P(TwinTransport, keeps_it_between_processes) { between_processes("twin", GetParam()); }
//   INSTANTIATE_TEST_SUITE_P(Cases, TwinTransport, ValuesIn(both_directions()), name_of);
//
// A transport of messages needs no call: tests/mpi_transport_main.cpp runs all that share no memory under
// mpirun.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "transport/registry.hpp"
#include "transport/testing/both_ends.hpp"

namespace tailrace::transport::testing {

inline std::string name_of(const ::testing::TestParamInfo<Case>& parameters) {
  return parameters.param.name + (parameters.param.sender == Sender::inviter ? "" : "_back");
}

inline ProducerEnd sending_end(const std::string& transport, const std::string& doorbell,
                               comm::Communicator& world, const BufferOptions& options) {
  const Pair pair{.inviter = 0, .invitee = 0, .same_node = true};
  return choose_transport(transport, pair)
      .make_producer({.communicator = world, .pair = pair, .tag = 0, .doorbell = doorbell}, options);
}

inline ConsumerEnd receiving_end(const std::string& transport, const shm::NamedDoorbell& doorbell,
                                 comm::Communicator& world, const BufferOptions& options) {
  const Pair pair{.inviter = 0, .invitee = 0, .same_node = true};
  return choose_transport(transport, pair)
      .make_consumer({.communicator = world, .pair = pair, .tag = 0, .doorbell = ""}, options, doorbell);
}

inline void between_threads(const std::string& transport, const Case& what) {
  const auto world = comm::serial();
  auto bell = shm::make_doorbell();
  if (what.sender == Sender::inviter) {
    auto end = sending_end(transport, bell.name, *world, what.options);
    auto consumer = accept(end.invitation, *world, 0, *bell.doorbell);
    in_threads(what, std::move(end.producer), std::move(consumer), *bell.doorbell);
  } else {
    auto end = receiving_end(transport, bell, *world, what.options);
    auto producer = accept_producer(end.invitation, *world, 0);
    in_threads(what, std::move(producer), std::move(end.consumer), *bell.doorbell);
  }
}

// The child process invites, this one accepts.
inline void send_from_child(const std::string& transport, const Case& what) {
  auto bell = shm::make_doorbell();
  const Pipe invitation;
  const Pipe accepted;
  Child inviter([&] {
    const auto world = comm::serial();
    auto end = sending_end(transport, bell.name, *world, what.options);
    invitation.write(end.invitation);
    accepted.read();
    what.produce(*end.producer);
  });
  {
    const auto world = comm::serial();
    const auto consumer = accept(invitation.read(), *world, 0, *bell.doorbell);
    accepted.write("yes");
    what.consume(*consumer, *bell.doorbell);
  }
  EXPECT_EQ(inviter.wait(), 0);
}

inline void send_to_child(const std::string& transport, const Case& what) {
  const Pipe invitation;
  Child inviter([&] {
    const auto world = comm::serial();
    auto bell = shm::make_doorbell();
    auto end = receiving_end(transport, bell, *world, what.options);
    invitation.write(end.invitation);
    what.consume(*end.consumer, *bell.doorbell);
  });
  {
    const auto world = comm::serial();
    const auto producer = accept_producer(invitation.read(), *world, 0);
    what.produce(*producer);
  }
  EXPECT_EQ(inviter.wait(), 0);
}

inline void between_processes(const std::string& transport, const Case& what) {
  what.sender == Sender::inviter ? send_from_child(transport, what) : send_to_child(transport, what);
}

}  // namespace tailrace::transport::testing
