// Messages that contradict themselves.
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.hpp"
#include "messaging/active_messages/wire.hpp"

namespace tailrace::messaging::wire {
namespace {

Bytes message_with(std::uint64_t size_it_says) {
  const Bytes payload(5);
  Bytes message;
  append(message, Item{{}, {1, 2}, payload});
  std::memcpy(message.data() + 16, &size_it_says, sizeof size_it_says);  // of the payload, in the item's head
  return message;
}

std::string complaint(const Bytes& message) {
  std::size_t offset = 0;
  try {
    while (next_item(message, offset)) {
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Wire, sizes_beyond_the_message_are_errors) {
  EXPECT_EQ(complaint(message_with(5)), "no error");
  for (const std::uint64_t size : {std::uint64_t{100}, std::uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 14})
    EXPECT_NE(complaint(message_with(size)).find("an item is shorter than it says"), std::string::npos)
        << size;
  Bytes cut = message_with(5);
  cut.resize(cut.size() - 20);
  EXPECT_NE(complaint(cut).find("an item is shorter than it says"), std::string::npos);
}

}  // namespace
}  // namespace tailrace::messaging::wire
