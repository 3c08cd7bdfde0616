#include <gtest/gtest.h>

#include <set>
#include <string>

#include "telemetry/counters.hpp"
#include "telemetry/memory_account.hpp"

namespace tailrace::telemetry {
namespace {

TEST(MemoryAccount, remember_the_most_by_kind_and_in_all) {
  MemoryAccount account;
  HeldPart one(account), other(account);
  one.set(MemoryKind::chunks, 150);
  other.set(MemoryKind::chunks, 30);
  one.set(MemoryKind::chunks, 40);
  other.set(MemoryKind::files, 70);
  EXPECT_EQ(account.now(MemoryKind::chunks), 70U);
  EXPECT_EQ(account.most(MemoryKind::chunks), 180U);
  EXPECT_EQ(account.total(), 140U);
  EXPECT_EQ(account.most_total(), 180U);
}

TEST(MemoryAccount, are_left_by_a_part_that_ends) {
  MemoryAccount account;
  {
    HeldPart part(account);
    part.set(MemoryKind::messages, 9);
    part.set(MemoryKind::geometry, 4);
  }
  EXPECT_EQ(account.total(), 0U);
  EXPECT_EQ(account.now(MemoryKind::messages), 0U);
  EXPECT_EQ(account.most_total(), 13U);
}

TEST(MemoryAccount, go_with_the_counters_of_a_server) {
  ServerCounters sent;
  HeldPart part(sent.held);
  part.set(MemoryKind::windows, 1234);
  part.set(MemoryKind::windows, 56);
  const ServerCounters got = ServerCounters::from_bytes(sent.to_bytes());
  EXPECT_EQ(got.held.most(MemoryKind::windows), 1234U);
  EXPECT_EQ(got.held.most_total(), 1234U);
  EXPECT_EQ(got.held.total(), 56U);
}

TEST(MemoryKind, has_a_name_for_each_kind) {
  std::set<std::string> names;
  for (std::size_t k = 0; k < held_count; ++k) names.insert(held_name(static_cast<MemoryKind>(k)));
  EXPECT_EQ(names.size(), held_count);
}

}  // namespace
}  // namespace tailrace::telemetry
