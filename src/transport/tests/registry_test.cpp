// Tests which transport connects which pair of ranks, and the message if none can.
#include "transport/registry.hpp"

#include <gmock/gmock.h>

namespace tailrace::transport {
namespace {

using ::testing::HasSubstr;

constexpr Pair near{3, 7, true};
constexpr Pair far{3, 7, false};

std::string message_of(const std::string& name, const Pair& pair) {
  try {
    return choose_transport(name, pair).name();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
}

TEST(Registry, auto_takes_the_cheapest_that_can) {
  EXPECT_EQ(choose_transport("auto", near).name(), "shm");
  EXPECT_EQ(choose_transport("auto", far).name(), "mpi");
}

TEST(Registry, one_that_is_asked_for_is_taken) {
  EXPECT_EQ(choose_transport("mpi", near).name(), "mpi");
  EXPECT_EQ(choose_transport("shm", near).name(), "shm");
}

TEST(Registry, what_cannot_be_is_said) {
  EXPECT_EQ(message_of("shm", far),
            "servers.transport: shm is asked for, but rank 3 and its server are on different nodes");
  EXPECT_THAT(message_of("shmm", near), HasSubstr("transport \"shmm\" is unknown. Did you mean \"shm\"?"));
}

TEST(Registry, cheap_ones_come_first) {
  const std::vector<std::string> names = transport_names();
  EXPECT_EQ(names.front(), "shm");
  EXPECT_THAT(names, ::testing::Contains("mpi"));
}

TEST(Registry, what_is_no_invitation_is_refused) {
  const auto world = comm::serial();
  const auto doorbell = make_heap_doorbell();
  base::ByteWriter unknown = begin_invitation("pigeon", Sender::inviter);
  for (const std::string& invitation : {std::string(16, 'x'), to_invitation(unknown)}) {
    try {
      accept(invitation, *world, 5, *doorbell);
      ADD_FAILURE() << "was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::internal);
      EXPECT_STREQ(error.what(), "rank 5 sent something that is not an invitation to receive");
    }
  }
  EXPECT_THROW(accept("", *world, 5, *doorbell), Error);
}

}  // namespace
}  // namespace tailrace::transport
