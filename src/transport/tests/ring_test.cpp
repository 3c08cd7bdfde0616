#include "transport/ring/ring.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "transport/mapping.hpp"

namespace tailrace::transport {
namespace {

struct Ring {
  explicit Ring(std::size_t capacity)
      : memory(Mapping::anonymous(control_size + capacity)),
        control(prepare(memory.data(), capacity)),
        writer(control, data()),
        reader(control, data()) {}
  std::byte* data() const { return memory.data() + control_size; }
  void give_back_all() { control.head.store(reader.position()); }

  bool put(std::size_t payload, std::uint64_t sequence) {
    std::byte* place = writer.try_reserve(payload);
    if (place == nullptr) return false;
    std::memset(place, static_cast<int>(sequence % 251), payload);
    writer.publish({model::PacketKind::block, 1, 2, 3.0}, sequence);
    return true;
  }
  void take(std::size_t payload, std::uint64_t sequence) {
    const auto packet = reader.peek();
    ASSERT_TRUE(packet.has_value());
    EXPECT_EQ(packet->head->sequence, sequence);
    ASSERT_EQ(packet->payload.size(), payload);
    EXPECT_TRUE(std::all_of(packet->payload.begin(), packet->payload.end(),
                            [&](std::byte byte) { return byte == static_cast<std::byte>(sequence % 251); }));
    reader.advance(*packet);
  }

  Mapping memory;
  RingControl& control;
  RingWriter writer;
  RingReader reader;
};

TEST(RingTest, AnEmptyRingTakesTheLargestPacketWhereverItStands) {
  const std::size_t capacity = 4096;
  for (std::size_t offset = 0; offset < capacity; offset += 64) {
    Ring ring(capacity);
    if (offset > 0) {
      ASSERT_TRUE(ring.put(offset - 64, 0));
      ring.take(offset - 64, 0);
      ring.give_back_all();
    }
    for (std::uint64_t i = 1; i < 4; ++i) {
      ASSERT_TRUE(ring.put(capacity - 64, i)) << "at " << offset;
      EXPECT_FALSE(ring.put(0, 99));
      ring.take(capacity - 64, i);
      EXPECT_FALSE(ring.reader.peek().has_value());
      ring.give_back_all();
    }
  }
}

TEST(RingTest, RefusesWhatDoesNotFit) {
  Ring ring(4096);
  EXPECT_TRUE(ring.writer.fits(4032));
  EXPECT_FALSE(ring.writer.fits(4033));
  EXPECT_FALSE(ring.writer.fits(SIZE_MAX));
  EXPECT_EQ(ring.writer.try_reserve(4033), nullptr);
}

TEST(RingTest, AConsumerThatKeepsUpNeedsTheFirstPartOnly) {
  const std::size_t capacity = std::size_t{16} << 20;
  const std::size_t payload = 100000;
  Ring ring(capacity);
  std::size_t reach = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {  // six laps' worth
    ASSERT_TRUE(ring.put(payload, i));
    reach = std::max(reach, ring.writer.reach());
    EXPECT_EQ(ring.writer.bytes_under_way(), packet_size(payload));
    EXPECT_EQ(bytes_between(ring.control, ring.control.head.load(), ring.control.tail.load()),
              packet_size(payload));
    ring.take(payload, i);
    ring.give_back_all();
  }
  EXPECT_LT(reach, std::size_t{3} << 20);
}

TEST(RingTest, AllOfTheRingIsFreeBehindAJump) {
  const std::size_t capacity = std::size_t{8} << 20;
  const std::size_t payload = (std::size_t{1} << 20) - sizeof(PacketHead);
  Ring ring(capacity);
  std::uint64_t next = 0;
  for (; next < 3; ++next) {  // past the first part, and empty
    ASSERT_TRUE(ring.put(payload, next));
    ring.take(payload, next);
    ring.give_back_all();
  }
  for (std::uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(ring.put(payload, next + i)) << i;
  EXPECT_EQ(ring.writer.bytes_under_way(), capacity);
  EXPECT_FALSE(ring.put(0, 99));
  for (std::uint64_t i = 0; i < 8; ++i) ring.take(payload, next + i);
}

TEST(RingTest, NeverWritesOverWhatIsNotReleased) {
  std::mt19937 random(3);
  Ring ring(8192);
  struct Live {
    PacketView view;
    std::uint64_t sequence;
    std::size_t size;
  };
  std::deque<Live> taken;
  std::deque<std::pair<std::uint64_t, std::size_t>> published;
  std::uint64_t put = 0;
  std::size_t refused = 0;
  for (int step = 0; step < 200000; ++step) {
    const auto action = random() % 3;
    if (action == 0) {
      const std::size_t size = random() % (random() % 10 == 0 ? 8129 : 1500);
      if (ring.put(size, put)) {
        published.emplace_back(put++, size);
      } else {
        ASSERT_FALSE(taken.empty() && published.empty());  // an empty ring refuses nothing
        ++refused;
      }
    } else if (action == 1 && !published.empty()) {
      const auto view = ring.reader.peek();
      ASSERT_TRUE(view.has_value());
      ASSERT_EQ(view->head->sequence, published.front().first);
      ring.reader.advance(*view);
      taken.push_back({*view, published.front().first, published.front().second});
      published.pop_front();
    } else if (action == 2 && !taken.empty()) {
      const Live live = taken.front();
      ASSERT_EQ(live.view.payload.size(), live.size);
      for (const std::byte byte : live.view.payload)
        ASSERT_EQ(byte, static_cast<std::byte>(live.sequence % 251));
      taken.pop_front();
      ring.control.head.store(taken.empty() ? ring.reader.position() : taken.front().view.begin);
    }
  }
  EXPECT_GT(put, 30000u);
  EXPECT_GT(refused, 1000u);
}

TEST(RingTest, NoticesThatItWasOverwritten) {
  Ring ring(4096);
  ASSERT_TRUE(ring.put(100, 0));
  std::memset(ring.data(), 0xff, 64);
  try {
    ring.reader.peek();
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_THAT(error.what(), testing::HasSubstr("the ring of a channel was overwritten"));
  }
}

}  // namespace
}  // namespace tailrace::transport
