// Tests that the conformance suite cannot require of every transport: the death of processes, files left
// behind, full disks.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/bytes.hpp"
#include "env/threads.hpp"
#include "transport/endpoints.hpp"
#include "transport/testing/both_ends.hpp"

namespace tailrace::transport {
namespace {

using model::PacketKind;
using testing::Child;
using testing::Pipe;
using testing::put;

std::string segment_of(const std::string& invitation) {
  base::ByteReader reader(std::as_bytes(std::span(invitation)));
  reader.get<std::uint32_t>();  // that it is one
  reader.get_text();            // to which transport
  reader.get<Sender>();
  return "/dev/shm" + reader.get_text();
}
std::size_t tailrace_files(const std::string& directory) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    count += entry.path().filename().string().rfind("tailrace-spill", 0) == 0;
  }
  return count;
}

struct WithinNode : ::testing::Test {
  WithinNode() {
    directory = ::testing::TempDir() + "within_node_" + std::to_string(getpid());
    std::filesystem::create_directory(directory);
  }
  ~WithinNode() override { std::filesystem::remove_all(directory); }
  std::unique_ptr<Consumer> accept_here(const std::string& invitation) {
    return accept(invitation, *world, 0, *bell.doorbell);
  }
  std::string directory;
  std::unique_ptr<comm::Communicator> world = comm::serial();
  std::unique_ptr<Producer> accept_to_send(const std::string& invitation) {
    return accept_producer(invitation, *world, 0);
  }
  shm::NamedDoorbell bell = shm::make_doorbell();
};

TEST_F(WithinNode, TheNameIsGoneOnceTheServerHasAccepted) {
  auto end = shm::make_producer(
      {.bytes = 1 << 16, .when_full = WhenFull::spill, .spill_directory = directory}, bell.name);
  const std::string path = segment_of(end.invitation);
  EXPECT_TRUE(std::filesystem::exists(path)) << path;
  EXPECT_EQ(tailrace_files(directory), 1u);
  const auto consumer = accept_here(end.invitation);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(tailrace_files(directory), 0u);
  EXPECT_TRUE(consumer->alive());
  EXPECT_EQ(consumer->capacity(), std::size_t{1} << 16);
  end.producer.reset();
  EXPECT_FALSE(consumer->alive());
}

TEST_F(WithinNode, AProducerThatNobodyAcceptedTakesItsNamesAlong) {
  auto end = shm::make_producer(
      {.bytes = 1 << 16, .when_full = WhenFull::spill, .spill_directory = directory}, bell.name);
  EXPECT_TRUE(std::filesystem::exists(segment_of(end.invitation)));
  end.producer.reset();
  EXPECT_FALSE(std::filesystem::exists(segment_of(end.invitation)));
  EXPECT_EQ(tailrace_files(directory), 0u);
  EXPECT_THROW(accept_here(end.invitation), Error);
}

TEST_F(WithinNode, TheNameIsGoneOnceTheSenderHasAccepted) {
  auto end = shm::make_consumer(
      {.bytes = 1 << 16, .when_full = WhenFull::spill, .spill_directory = directory}, bell);
  EXPECT_TRUE(std::filesystem::exists(segment_of(end.invitation)));
  EXPECT_EQ(tailrace_files(directory), 1u);
  auto producer = accept_to_send(end.invitation);
  EXPECT_FALSE(std::filesystem::exists(segment_of(end.invitation)));
  EXPECT_EQ(tailrace_files(directory), 0u);
  EXPECT_EQ(producer->capacity(), std::size_t{1} << 16);
  EXPECT_TRUE(end.consumer->alive());
  producer.reset();
  EXPECT_FALSE(end.consumer->alive());
}

TEST_F(WithinNode, AConsumerThatNobodyAcceptedTakesItsNamesAlong) {
  auto end = shm::make_consumer(
      {.bytes = 1 << 16, .when_full = WhenFull::spill, .spill_directory = directory}, bell);
  EXPECT_TRUE(end.consumer->alive());
  EXPECT_FALSE(end.consumer->next());
  end.consumer.reset();
  EXPECT_FALSE(std::filesystem::exists(segment_of(end.invitation)));
  EXPECT_EQ(tailrace_files(directory), 0u);
  EXPECT_THROW(accept_to_send(end.invitation), Error);
}

TEST_F(WithinNode, TheMemoryGoesOnceTheLastPacketIsReleased) {
  constexpr std::size_t buffer = 24 << 20, size = 20 << 20;
  auto end = shm::make_producer({.bytes = buffer}, bell.name);
  const auto consumer = accept_here(end.invitation);
  put(*end.producer, 0, size);
  end.producer->reserve(0);
  end.producer->publish({PacketKind::finish, 0, 0, 0.0});
  const auto block = consumer->next(), last = consumer->next();
  ASSERT_TRUE(block && last);
  consumer->release(last->sequence);
  end.producer->flush();
  testing::check(*block, 0, size);  // not yet released, and still there
  consumer->release(block->sequence);
  const std::uint64_t before = env::resident_bytes();
  end.producer->flush();
  EXPECT_LT(env::resident_bytes(), before - size / 2);
  EXPECT_FALSE(consumer->next());
  EXPECT_TRUE(consumer->alive());
}

TEST_F(WithinNode, AnInvitationIsForOneDirection) {
  const auto to_receive = shm::make_producer({.bytes = 1 << 16}, bell.name);
  const auto to_send = shm::make_consumer({.bytes = 1 << 16}, bell);
  EXPECT_THROW(accept_to_send(to_receive.invitation), Error);
  EXPECT_THROW(accept_here(to_send.invitation), Error);
  EXPECT_NO_THROW(accept_here(to_receive.invitation));
  EXPECT_NO_THROW(accept_to_send(to_send.invitation));
}

// Both policies of the inviter reach the end that sends.
TEST_F(WithinNode, TheInviterSaysWhatHappensWhenItsSenderHasNoRoom) {
  const auto end = shm::make_consumer({.bytes = 1 << 16, .when_full = WhenFull::fail}, bell);
  const auto producer = accept_to_send(end.invitation);
  try {
    for (std::uint64_t i = 0; i < 100; ++i) put(*producer, i, 3000);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::full);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("are in transit to the client, and when_full is fail"));
  }
}

TEST_F(WithinNode, ATooSmallSharedMemoryIsAnError) {
  try {
    shm::make_producer({.bytes = std::size_t{1} << 50}, bell.name);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("for a buffer of 1125899906842624 bytes from the shared memory of this "
                                     "node (/dev/shm)"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("use a smaller servers.buffer"));
  }
}

TEST_F(WithinNode, NonsenseIsNoInvitation) {
  EXPECT_THROW(accept_here(std::string(64, 'x')), Error);
  EXPECT_THROW(accept_here(""), Error);
}

TEST_F(WithinNode, AKilledClientIsNoticedAndWhatItCommittedIsThere) {
  const Pipe invitation;
  Child client([&] {
    auto end = shm::make_producer({.bytes = 1 << 16}, bell.name);
    put(*end.producer, 0, 1000);
    put(*end.producer, 1, 1000);
    end.producer->flush();
    invitation.write(end.invitation);
    testing::pause(60);
  });
  const auto consumer = accept_here(invitation.read());
  EXPECT_TRUE(consumer->alive());
  kill(client.process(), SIGKILL);
  for (int i = 0; i < 2000 && consumer->alive(); ++i)
    testing::pause(1e-3);  // a zombie until it is waited for
  EXPECT_FALSE(consumer->alive());
  for (const std::uint64_t i : {0, 1}) {
    const auto packet = consumer->next();
    ASSERT_TRUE(packet.has_value());
    testing::check(*packet, i, 1000);
  }
  EXPECT_FALSE(consumer->next().has_value());
}

TEST_F(WithinNode, AKilledServerEndsTheWait) {
  auto end = shm::make_producer({.bytes = 1 << 16}, bell.name);
  const Pipe accepted;
  Child server([&] {
    const auto consumer = accept_here(end.invitation);
    accepted.write("yes");
    testing::pause(60);
  });
  accepted.read();
  kill(server.process(), SIGKILL);
  try {
    for (std::uint64_t i = 0; i < 100; ++i) put(*end.producer, i, 3000);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::lost);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the server is gone (its process no longer exists); "
                                                   "21 packets that it had not released are lost"));
  }
}

TEST_F(WithinNode, AKilledServerThatSendsIsNoticedAndWhatItCommittedIsThere) {
  const auto end = shm::make_consumer({.bytes = 1 << 16}, bell);
  const Pipe sent;
  Child server([&] {
    const auto producer = accept_to_send(end.invitation);
    for (const std::uint64_t i : {0, 1}) put(*producer, i, 1000);
    producer->flush();
    sent.write("yes");
    testing::pause(60);
  });
  sent.read();
  EXPECT_TRUE(end.consumer->alive());
  kill(server.process(), SIGKILL);
  for (int i = 0; i < 2000 && end.consumer->alive(); ++i) testing::pause(1e-3);
  EXPECT_FALSE(end.consumer->alive());
  for (const std::uint64_t i : {0, 1}) {
    const auto packet = end.consumer->next();
    ASSERT_TRUE(packet.has_value());
    testing::check(*packet, i, 1000);
  }
  EXPECT_FALSE(end.consumer->next().has_value());
}

TEST_F(WithinNode, AKilledClientThatReceivesEndsTheWait) {
  const Pipe invitation;
  Child client([&] {
    auto own = shm::make_doorbell();
    const auto end = shm::make_consumer({.bytes = 1 << 16}, own);
    invitation.write(end.invitation);
    testing::pause(60);
  });
  const auto producer = accept_to_send(invitation.read());
  put(*producer, 0, 3000);
  kill(client.process(), SIGKILL);
  try {
    for (std::uint64_t i = 1; i < 100; ++i) put(*producer, i, 3000);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::lost);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the client is gone (its process no longer exists); "
                                                   "21 packets that it had not released are lost"));
  }
}

TEST_F(WithinNode, AnUnwritableSpillDirectoryIsAnErrorAtOnce) {
  const std::string nowhere = directory + "/nowhere";
  try {
    shm::make_producer({.when_full = WhenFull::spill, .spill_directory = nowhere}, bell.name);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    EXPECT_EQ(std::string(error.what()).find("cannot create a spill file in " + nowhere), 0u) << error.what();
  }
}

TEST_F(WithinNode, AFullSpillDiskIsAnErrorAndLosesNothingPublished) {
  Child limited([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto doorbell = make_heap_doorbell();
    auto ends = loopback::make(
        {{.bytes = 1 << 16, .when_full = WhenFull::spill, .spill_directory = directory}, {}}, *doorbell);
    std::uint64_t published = 0;
    try {
      for (; published < 1000; ++published) put(*ends.producer, published, 10000);
      TRANSPORT_REQUIRE(!"more than the disk holds was spilled");
    } catch (const Error& error) {
      const std::string text = error.what();
      TRANSPORT_REQUIRE(error.code() == ErrorCode::resource);
      TRANSPORT_REQUIRE(text.find("cannot spill 10112 bytes to " + directory + "/tailrace-spill-") == 0);
    }
    TRANSPORT_REQUIRE(published > 50 && published < 120);
    for (std::uint64_t i = 0; i < published; ++i) {
      const Packet packet = testing::await_next(*ends.consumer, *doorbell);
      testing::check(packet, i, 10000);
      ends.consumer->release(i);
    }
    put(*ends.producer, published, 10000);
    testing::check(testing::await_next(*ends.consumer, *doorbell), published, 10000);
  });
  EXPECT_EQ(limited.wait(), 0);
}

// The file starts again when everything in it has been read, and gives its blocks back as it is read.
TEST_F(WithinNode, TheSpillFileDoesNotGrowForEver) {
  Child limited([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20 << 20, 20 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto doorbell = make_heap_doorbell();
    auto ends = loopback::make(
        {{.bytes = 1 << 16, .when_full = WhenFull::spill, .spill_directory = directory}, {}}, *doorbell);
    std::uint64_t number = 0;
    for (int round = 0; round < 20; ++round) {  // 100 MB through a file of at most 20 MB
      const std::uint64_t begin = number;
      for (int i = 0; i < 50; ++i) put(*ends.producer, number++, 100000);
      for (std::uint64_t i = begin; i < number; ++i) {
        const Packet packet = testing::await_next(*ends.consumer, *doorbell);
        testing::check(packet, i, 100000);
        ends.consumer->release(i);
      }
    }
    TRANSPORT_REQUIRE(ends.producer->counters().spilled_packets == 1000);
  });
  EXPECT_EQ(limited.wait(), 0);
}

TEST_F(WithinNode, AServerInTheSameThreadWorksWhileTheClientWaits) {
  const auto doorbell = make_heap_doorbell();
  std::uint64_t taken = 0;
  Consumer* server = nullptr;
  auto ends = loopback::make({{.bytes = 1 << 16},
                              [&] {
                                if (const auto packet = server->next()) {
                                  if (packet->header.kind == PacketKind::block)
                                    testing::check(*packet, taken, 7000);
                                  server->release(taken++);
                                }
                              }},
                             *doorbell);
  server = ends.consumer.get();
  for (std::uint64_t i = 0; i < 500; ++i) put(*ends.producer, i, 7000);
  testing::finish(*ends.producer);
  EXPECT_EQ(taken, 501u);
  EXPECT_GT(ends.producer->counters().stalls, 0u);
}

TEST_F(WithinNode, ABufferThatIsNotFullNeverMakesTheClientWait) {
  const auto doorbell = make_heap_doorbell();
  auto ends =
      loopback::make({{.bytes = 1 << 20}, [] { throw std::runtime_error("the client waited"); }}, *doorbell);
  for (std::uint64_t i = 0; i < 250; ++i) put(*ends.producer, i, 4032);
  EXPECT_EQ(ends.producer->counters().stalls, 0u);
  EXPECT_GT(ends.producer->bytes_under_way(), 1000000u);
}

TEST_F(WithinNode, ReleasingTwiceIsABug) {
  const auto doorbell = make_heap_doorbell();
  auto ends = loopback::make({{.bytes = 1 << 16}, {}}, *doorbell);
  put(*ends.producer, 0, 10);
  put(*ends.producer, 1, 10);
  ends.consumer->next();
  ends.consumer->next();
  ends.consumer->release(1);
  EXPECT_THROW(ends.consumer->release(1), Error);
  ends.consumer->release(0);
  EXPECT_THROW(ends.consumer->release(0), Error);
  EXPECT_THROW(ends.consumer->release(7), Error);
}

TEST_F(WithinNode, PublishWithoutReserveIsABug) {
  const auto doorbell = make_heap_doorbell();
  auto ends = loopback::make({{.bytes = 1 << 16}, {}}, *doorbell);
  EXPECT_THROW(ends.producer->publish({}), Error);
}

}  // namespace
}  // namespace tailrace::transport
