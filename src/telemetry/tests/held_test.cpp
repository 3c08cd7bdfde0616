#include "telemetry/held.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "telemetry/counters.hpp"

namespace tailrace::telemetry {
namespace {

TEST(HeldBytes, remember_the_most_by_kind_and_in_all) {
  HeldBytes account;
  HeldPart one(account), other(account);
  one.set(Held::chunks, 150);
  other.set(Held::chunks, 30);
  one.set(Held::chunks, 40);
  other.set(Held::files, 70);
  EXPECT_EQ(account.now(Held::chunks), 70U);
  EXPECT_EQ(account.most(Held::chunks), 180U);
  EXPECT_EQ(account.total(), 140U);
  EXPECT_EQ(account.most_total(), 180U);
}

TEST(HeldBytes, are_left_by_a_part_that_ends) {
  HeldBytes account;
  {
    HeldPart part(account);
    part.set(Held::messages, 9);
    part.set(Held::geometry, 4);
  }
  EXPECT_EQ(account.total(), 0U);
  EXPECT_EQ(account.now(Held::messages), 0U);
  EXPECT_EQ(account.most_total(), 13U);
}

TEST(HeldBytes, go_with_the_counters_of_a_server) {
  ServerCounters sent;
  HeldPart part(sent.held);
  part.set(Held::windows, 1234);
  part.set(Held::windows, 56);
  const ServerCounters got = ServerCounters::from_bytes(sent.to_bytes());
  EXPECT_EQ(got.held.most(Held::windows), 1234U);
  EXPECT_EQ(got.held.most_total(), 1234U);
  EXPECT_EQ(got.held.total(), 56U);
}

TEST(Held, has_a_name_for_each_kind) {
  std::set<std::string> names;
  for (std::size_t k = 0; k < held_count; ++k) names.insert(held_name(static_cast<Held>(k)));
  EXPECT_EQ(names.size(), held_count);
}

}  // namespace
}  // namespace tailrace::telemetry
