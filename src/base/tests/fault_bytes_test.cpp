#include "base/fault_bytes.hpp"

#include <gmock/gmock.h>

namespace tailrace::base {
namespace {

TEST(FaultBytes, GiveAFaultOrNone) {
  ByteWriter writer;
  put_fault(writer, Fault{ErrorCode::lost, "went away"});
  put_fault(writer, std::nullopt);
  const std::vector<std::byte> bytes = writer.take();
  ByteReader reader(bytes);
  const auto fault = get_fault(reader);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, ErrorCode::lost);
  EXPECT_EQ(fault->message, "went away");
  EXPECT_FALSE(get_fault(reader));
  EXPECT_TRUE(reader.rest().empty());
}

TEST(FaultBytes, MayBeJoined) {
  const std::vector<Fault> two{{ErrorCode::usage, "a"}, {ErrorCode::resource, ""}};
  std::vector<std::byte> bytes = fault_bytes(two);
  const std::vector<std::byte> more = fault_bytes(std::span(two).first(1));
  bytes.insert(bytes.end(), more.begin(), more.end());
  const std::vector<Fault> all = faults_in(bytes);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].code, ErrorCode::resource);
  EXPECT_EQ(all[2].message, "a");
  EXPECT_TRUE(faults_in({}).empty());
}

TEST(FaultBytes, OfNoKnownKindAreAnError) {
  ByteWriter writer;
  writer.put(99);
  const std::vector<std::byte> bytes = writer.take();
  EXPECT_THROW(faults_in(bytes), Error);
}

}  // namespace
}  // namespace tailrace::base
