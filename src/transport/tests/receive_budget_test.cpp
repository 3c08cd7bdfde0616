#include "transport/receive_budget.hpp"

#include <gtest/gtest.h>

namespace tailrace::transport {
namespace {

TEST(ReceiveBudget, divides_one_half_evenly) {
  ReceiveBudget room(1200);
  EXPECT_EQ(room.part(), 600U);
  room.join();
  room.join();
  room.join();
  EXPECT_EQ(room.part(), 200U);
  room.leave();
  EXPECT_EQ(room.part(), 300U);
}

TEST(ReceiveBudget, gives_the_other_half_to_large_messages_and_takes_it_back) {
  ReceiveBudget room(1200);
  EXPECT_TRUE(room.take_large(500));
  EXPECT_FALSE(room.take_large(101));
  EXPECT_TRUE(room.take_large(100));
  room.give_large(500);
  EXPECT_TRUE(room.take_large(300));
}

TEST(ReceiveBudget, has_a_place_for_a_message_that_is_larger_than_all_of_it) {
  ReceiveBudget room(1200);
  EXPECT_TRUE(room.take_large(5000));
  EXPECT_FALSE(room.take_large(1));
  room.give_large(5000);
  EXPECT_TRUE(room.take_large(1));
}

}  // namespace
}  // namespace tailrace::transport
