// Bugs of the plan: an operation issued twice, with differing roots, or after the end.
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "messaging/tests/active_messages_servers.hpp"
#include "messaging/tests/active_messages_stress.hpp"

namespace tailrace::messaging {
namespace {

using testing::add;
using ::testing::HasSubstr;
using testing::Servers;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    return error.what();
  }
  return "no error";
}

TEST(Misuse, IsAnErrorThatNamesTheOperation) {
  Servers servers(2);
  const auto nothing = [](Bytes&&) {};
  EXPECT_EQ(error_of([&] {
              servers[0].reduce({1, 2}, 2, {}, add, nothing);
            }),
            "the reduce of diagnostic 1 at step 2 names server 2, but there are only 2");
  EXPECT_THAT(error_of([&] { servers[0].send({1, 2}, -1, {}); }), HasSubstr("names server -1"));
  servers[0].reduce({1, 2}, 0, {}, add, nothing);
  const std::string twice =
      "the reduce of diagnostic 1 at step 2 was issued twice by server 0; a name is used "
      "once for each operation";
  EXPECT_EQ(error_of([&] { servers[0].reduce({1, 2}, 0, {}, add, nothing); }), twice);
  EXPECT_EQ(error_of([&] { servers[0].reduce({1, 2}, 1, {}, add, nothing); }), twice);
  servers[0].allreduce({1, 2}, 1, {}, add, nothing);
  EXPECT_THAT(error_of([&] {
                servers[0].allreduce({1, 2}, 1, {}, add, nothing);
              }),
              HasSubstr("allreduce of diagnostic 1 at step 2 was issued twice by server 0"));
  servers[0].receive({1, 2}, 1, nothing);
  EXPECT_THAT(error_of([&] { servers[0].receive({1, 2}, 1, nothing); }), HasSubstr("twice by server 0"));
}

TEST(Misuse, ShowsOnTheOtherServer) {
  Servers servers(3);
  for (int i = 0; i < 2; ++i) servers[1].gather({1, 0}, 0, {}, nullptr);
  EXPECT_THAT(error_of([&] { servers.settle(); }),
              HasSubstr("gather of diagnostic 1 at step 0 was issued twice by server 1"));
  for (int i = 0; i < 2; ++i) servers[2].send({1, 0}, 0, {});
  EXPECT_THAT(error_of([&] { servers.settle(); }),
              HasSubstr("send of diagnostic 1 at step 0 was issued twice by server 2"));
}

TEST(Misuse, DifferentRootsAreNoticed) {
  const auto nothing = [](Bytes&&) {};
  {
    Servers servers(2);
    servers[0].reduce({1, 0}, 1, {}, add, nothing);
    servers.settle();
    EXPECT_EQ(error_of([&] {
                servers[1].reduce({1, 0}, 0, {}, add, nothing);
              }),
              "the reduce of diagnostic 1 at step 0 has one root on server 0 and another on server 1");
  }
  {
    Servers servers(2);
    servers[0].allreduce({1, 0}, 1, {}, add, nothing);
    servers[1].allreduce({1, 0}, 0, {}, add, nothing);
    EXPECT_THAT(error_of([&] { servers.settle(); }), HasSubstr("has one root on server"));
  }
  {
    Servers servers(3);
    servers[0].broadcast({1, 0}, 1, {}, nothing);
    servers[2].broadcast({1, 0}, 2, {}, nothing);
    EXPECT_THAT(error_of([&] { servers.settle(); }), HasSubstr("has one root on server"));
  }
}

TEST(Misuse, IssuingAfterTheEnd) {
  Servers servers(1);
  EXPECT_EQ(servers.finish(), "");
  EXPECT_EQ(error_of([&] {
              servers[0].barrier({1, 0}, [] {});
            }),
            "the barrier of diagnostic 1 at step 0 was issued after finish, and not by work that had begun "
            "before");
  EXPECT_THROW(servers[0].finish([](const std::string&) {}), Error);
}

}  // namespace
}  // namespace tailrace::messaging
