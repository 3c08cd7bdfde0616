// Several servers of a component with input fields, and their clients, in one thread. The channels are in
// this process; the files are made up (FakeFiles).
#pragma once

#include <gmock/gmock.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>

#include "base/fault_bytes.hpp"
#include "env/clock.hpp"
#include "messaging/testing/memory_network.hpp"
#include "server/executor.hpp"
#include "server/input/input_service.hpp"
#include "server/input/tests/fake_entry.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::server::testing {

// A packet about a record that a client has got.
struct GotRecord {
  std::optional<base::Fault> fault;
  std::int64_t missing = 0;
  std::vector<std::byte> values;
};

class BenchClient {
 public:
  BenchClient(std::size_t buffer, transport::Doorbell& bell) {
    auto ends = transport::loopback::make(
        {{.bytes = buffer, .at_most = false, .when_full = transport::WhenFull::fail}, {}}, bell);
    producer = std::move(ends.producer);
    consumer = std::move(ends.consumer);
  }

  void take() {
    while (const auto packet = consumer->next()) {
      if (packet->header.kind == model::PacketKind::input_record) {
        GotRecord record;
        input::RecordHead head;
        std::memcpy(&head, packet->payload.data(), sizeof head);
        record.missing = head.missing;
        record.values.assign(packet->payload.begin() + sizeof head, packet->payload.end());
        add(packet->header, std::move(record));
      } else if (packet->header.kind == model::PacketKind::input_fault) {
        base::ByteReader reader(packet->payload);
        add(packet->header, {base::get_fault(reader), 0, {}});
      } else {
        EXPECT_EQ(packet->header.kind, model::PacketKind::finish);
        is_ended = true;
      }
      if (releases)
        consumer->release(packet->sequence);
      else
        kept.push_back(packet->sequence);
    }
  }
  void release_all() {
    for (const std::uint64_t sequence : kept) consumer->release(sequence);
    kept.clear();
  }

  std::unique_ptr<transport::Producer> producer;
  std::unique_ptr<transport::Consumer> consumer;
  std::map<std::pair<int, std::int64_t>, GotRecord> got;
  bool releases = true;  // at once
  std::vector<std::uint64_t> kept;
  bool is_ended = false;

 private:
  void add(const model::PacketHeader& header, GotRecord record) {
    const bool is_new = got.emplace(std::pair(header.number, header.step), std::move(record)).second;
    EXPECT_TRUE(is_new) << "field " << header.number << ", place " << header.step << " came twice";
  }
};

struct BenchOptions {
  int servers = 1;
  int threads = 0;  // of the workers of each server
  std::size_t memory = std::size_t{1} << 30;
  std::size_t buffer = std::size_t{1} << 20;  // of each client
  unsigned seed = 1;
};

class InputBench {
 public:
  InputBench(const model::Declarations& declarations, const model::Decomposition& decomposition,
             std::vector<input::Entry> entries, BenchOptions options = {})
      : declarations(declarations),
        decomposition(decomposition),
        options(options),
        entries_(std::move(entries)),
        network_(options.servers, options.seed) {
    const auto ranks = static_cast<int>(decomposition.ranks());
    clients_of_.resize(base::index(options.servers));
    for (int rank = 0; rank < ranks; ++rank)
      clients_of_[base::index(rank * options.servers / ranks)].push_back(rank);
  }

  // Before begin(): the clients of each server.
  std::vector<std::vector<int>>& clients_of() { return clients_of_; }

  // Until the headers are read and the clients connected. `channels`: whether clients make any.
  void begin(bool channels = true) {
    for (int rank = 0; rank < options.servers; ++rank)
      servers_.push_back(std::make_unique<Server>(*this, rank));
    until([&] {
      bool prepared = true;
      for (const auto& server : servers_) {
        server->service->prepare();
        prepared = prepared && server->service->is_prepared();
      }
      return prepared;
    });
    if (service(0).fault()) return;
    for (std::size_t rank = 0; rank < decomposition.ranks(); ++rank)
      clients.push_back(std::make_unique<BenchClient>(options.buffer, *bell));
    for (int rank = 0; rank < options.servers; ++rank) {
      for (const int client : channels ? clients_of_[base::index(rank)] : std::vector<int>())
        service(rank).accept(client, std::move(clients[base::index(client)]->producer));
      service(rank).start();
    }
  }

  // Goes on until it is true; fails the test after a long time.
  void until(const std::function<bool()>& over) {
    const double end = env::steady_seconds() + 20.0;
    while (!over()) {
      turn();
      ASSERT_LT(env::steady_seconds(), end) << "it does not come to an end";
    }
  }
  // Until nothing moves any more, in many turns.
  void settle() {
    for (int still = 0; still < 60;) still = turn() ? 0 : still + 1;
  }

  bool turn() {
    bool moved = false;
    for (const auto& server : servers_) {
      if (server->is_lost) continue;
      moved = server->messenger.progress() || moved;
      if (server->is_started()) moved = server->service->progress(times) || moved;
      EXPECT_FALSE(server->executor.take_fault().has_value());
    }
    for (const auto& client : clients) client->take();
    return moved;
  }

  InputService& service(int rank) { return *servers_[base::index(rank)]->service; }
  telemetry::ServerCounters& counters(int rank) { return servers_[base::index(rank)]->counters; }
  messaging::Messenger& messenger(int rank) { return servers_[base::index(rank)]->messenger; }
  void lose(int rank) {
    servers_[base::index(rank)]->is_lost = true;
    for (int other = 0; other < options.servers; ++other)
      if (other != rank) {
        service(other).lose(rank);
        messenger(other).forget(rank);
      }
  }
  bool has_all(int field, std::int64_t place) {
    return std::ranges::all_of(clients, [&](const auto& client) {
      return !client || client->got.contains({field, place});
    });
  }
  void end() {
    times.are_over = true;
    until([&] {
      return std::ranges::all_of(servers_, [](const auto& server) {
        return server->is_lost || (server->service->over() && server->messenger.idle());
      });
    });
  }

  const model::Declarations declarations;
  const model::Decomposition decomposition;
  const BenchOptions options;
  FakeFiles files;
  ClientTimes times;
  const std::unique_ptr<transport::Doorbell> bell = transport::make_heap_doorbell();  // of all
  std::vector<std::unique_ptr<BenchClient>> clients;  // by rank of the component

 private:
  struct Server {
    Server(InputBench& bench, int rank)
        : communicator(bench.network_.rank(rank)),
          messenger(*communicator),
          executor(bench.options.threads, *bench.bell) {
      service = std::make_unique<InputService>(
          InputSetting{.component = 0,
                       .declarations = bench.declarations,
                       .decomposition = bench.decomposition,
                       .calendar = test_calendar(),
                       .entries = bench.entries_,
                       .begin = 0.0,
                       .clients = bench.clients_of_,
                       .reads_alone = false,
                       .memory = bench.options.memory,
                       .make_reader =
                           [&bench](const input::Entry& entry, const std::vector<int>& fields) {
                             return std::make_unique<FakeReader>(bench.files, entry, fields,
                                                                 bench.declarations);
                           }},
          InputServices{messenger, executor, counters, *bench.bell});
    }
    bool is_started() const { return !service->fields().empty(); }

    std::unique_ptr<comm::Communicator> communicator;
    messaging::Messenger messenger;
    telemetry::ServerCounters counters;
    Executor executor;
    std::unique_ptr<InputService> service;
    bool is_lost = false;
  };

  std::vector<input::Entry> entries_;
  messaging::testing::MemoryNetwork network_;
  std::vector<std::vector<int>> clients_of_;
  std::vector<std::unique_ptr<Server>> servers_;
};

}  // namespace tailrace::server::testing
