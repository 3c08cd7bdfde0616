#include <gmock/gmock.h>

#include <cstring>
#include <string>

#include "base/error.hpp"
#include "comm/communicator.hpp"

namespace tailrace::comm {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

TEST(Serial, IsOneRank) {
  const auto world = serial();
  EXPECT_EQ(world->rank(), 0);
  EXPECT_EQ(world->size(), 1);
  EXPECT_EQ(world->handle(), -1);
}

TEST(Serial, CollectivesGiveBackWhatWentIn) {
  const auto world = serial();
  world->barrier();
  EXPECT_EQ(world->broadcast(bytes_of("abc"), 0), bytes_of("abc"));
  EXPECT_THAT(world->all_gather(bytes_of("xy")), testing::ElementsAre(bytes_of("xy")));
}

TEST(Serial, DeliversToItselfInOrderAndByTag) {
  const auto world = serial();
  EXPECT_FALSE(world->probe(any, any).has_value());
  for (const auto& [tag, text] : {std::pair{7, "first"}, {8, "other"}, {7, "second"}}) {
    EXPECT_TRUE(world->send(bytes_of(text), 0, tag)->done());
  }
  const auto other = world->probe(0, 8);
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->bytes, 5u);
  std::vector<std::byte> buffer(5);
  world->receive(buffer, 0, 8);
  EXPECT_EQ(buffer, bytes_of("other"));
  world->receive(buffer, any, any);
  EXPECT_EQ(buffer, bytes_of("first"));
  buffer.resize(6);
  EXPECT_TRUE(world->start_receive(buffer, 0, 7)->done());
  EXPECT_EQ(buffer, bytes_of("second"));
  EXPECT_FALSE(world->probe(any, any).has_value());
}

TEST(Serial, DuplicatesAndPartsKeepTheirMessagesApart) {
  const auto world = serial();
  const auto copy = world->duplicate();
  const auto part = world->split(3, 0);
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(world->split(-1, 0), nullptr);
  world->send(bytes_of("x"), 0, 1);
  EXPECT_FALSE(copy->probe(any, any).has_value());
  EXPECT_FALSE(part->probe(any, any).has_value());
}

TEST(Serial, RefusesOtherRanks) {
  const auto world = serial();
  EXPECT_THROW(world->send(bytes_of("x"), 1, 0), Error);
  EXPECT_THROW(world->broadcast(bytes_of("x"), 2), Error);
}

TEST(WithoutMpi, SaysSo) {
  EXPECT_EQ(thread_level(), ThreadLevel::none);
  EXPECT_STREQ(name_of(thread_level()), "none");
  try {
    from_handle(0);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("call MPI_Init first"));
  }
  EXPECT_NE(on_finalize([](void*) {}, nullptr), nullptr);
}

}  // namespace
}  // namespace tailrace::comm
