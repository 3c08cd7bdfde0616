// Bugs of the plan: an operation issued twice, with differing roots, or after the end.
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "messaging/tests/active_messages_servers.hpp"

namespace tailrace::messaging {
namespace {

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
              servers[0].gather({1, 2}, 2, {}, nullptr);
            }),
            "the gather of diagnostic 1 at step 2 names server 2, but there are only 2");
  EXPECT_THAT(error_of([&] { servers[0].broadcast({1, 2}, -1, {}, nothing); }), HasSubstr("names server -1"));
  servers[0].gather({1, 2}, 0, {}, nullptr);
  const std::string twice =
      "the gather of diagnostic 1 at step 2 was issued twice by server 0; a name is used "
      "once for each operation";
  EXPECT_EQ(error_of([&] { servers[0].gather({1, 2}, 0, {}, nullptr); }), twice);
  EXPECT_EQ(error_of([&] { servers[0].gather({1, 2}, 1, {}, nullptr); }), twice);
  servers[0].broadcast({1, 2}, 1, {}, nothing);
  EXPECT_THAT(error_of([&] {
                servers[0].broadcast({1, 2}, 1, {}, nothing);
              }),
              HasSubstr("broadcast of diagnostic 1 at step 2 was issued twice by server 0"));
}

TEST(Misuse, ShowsOnTheOtherServer) {
  Servers servers(3);
  for (int i = 0; i < 2; ++i) servers[1].gather({1, 0}, 0, {}, nullptr);
  EXPECT_THAT(error_of([&] { servers.settle(); }),
              HasSubstr("gather of diagnostic 1 at step 0 was issued twice by server 1"));
}

TEST(Misuse, DifferentRootsAreNoticed) {
  const auto nothing = [](Bytes&&) {};
  {
    Servers servers(2);
    servers[0].gather({1, 0}, 1, {}, nullptr);
    servers.settle();
    EXPECT_EQ(error_of([&] {
                servers[1].gather({1, 0}, 0, {}, nullptr);
              }),
              "the gather of diagnostic 1 at step 0 has one root on server 0 and another on server 1");
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
              servers[0].gather({1, 0}, 0, {}, nullptr);
            }),
            "the gather of diagnostic 1 at step 0 was issued after finish, and not by a continuation");
  EXPECT_THROW(servers[0].finish([](const std::string&) {}), Error);
}

}  // namespace
}  // namespace tailrace::messaging
