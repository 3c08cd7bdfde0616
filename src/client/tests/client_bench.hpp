// A client whose server is the test itself, and what it takes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "client/client.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::client::testing {

using model::PacketKind;

// All fields are taken at the end of the run.
class AtTheEnd final : public model::Agenda {
 public:
  void advance(const model::Tick&, std::span<unsigned char> wanted) override {
    std::fill(wanted.begin(), wanted.end(), static_cast<unsigned char>(2));
  }
};

// Field 1 is put once; the others at each step.
class OneFixed final : public model::Agenda {
 public:
  void begin(std::span<unsigned char> wanted) override {
    std::fill(wanted.begin(), wanted.end(), static_cast<unsigned char>(0));
    wanted[1] = 1;
  }
  void advance(const model::Tick&, std::span<unsigned char> wanted) override {
    std::fill(wanted.begin(), wanted.end(), static_cast<unsigned char>(1));
    wanted[1] = std::exchange(is_first_, false) ? 1 : 0;
  }

 private:
  bool is_first_ = true;
};

// Field 0 is taken at the end, and the last one, its namesake, at even steps.
class EndAndEvenSteps final : public model::Agenda {
 public:
  void advance(const model::Tick& tick, std::span<unsigned char> wanted) override {
    std::fill(wanted.begin(), wanted.end(), static_cast<unsigned char>(0));
    wanted[0] = 2;
    wanted.back() = tick.step % 2 == 0;
  }
};

// Wants everything at even steps.
class EvenSteps final : public model::Agenda {
 public:
  void advance(const model::Tick& tick, std::span<unsigned char> wanted) override {
    std::fill(wanted.begin(), wanted.end(), static_cast<unsigned char>(tick.step % 2 == 0));
  }
};

inline constexpr int w = 0, mask = 1, energy = 2, profile = 3;

inline Declarer declared(int rank) {
  Declarer declarer("bubble", rank, 2);
  GridArguments grid;
  grid.name = "les";
  grid.dims = {"y", "x"};
  grid.shape = {2, 6};
  grid.offset = {0, rank * 3};
  grid.count = {2, 3};
  declarer.grid(grid);
  GridArguments column;
  column.name = "column";
  column.dims = {"z"};
  column.shape = {4};
  declarer.grid(column);
  const auto add = [&](const std::string& on, const std::string& name, model::DataType type) {
    model::Field field;
    field.name = name;
    field.type = type;
    declarer.field(on, field);
  };
  add("les", "w", model::DataType::float64);
  add("les", "mask", model::DataType::int32);
  add("", "energy", model::DataType::float64);
  add("column", "profile", model::DataType::float32);
  return declarer;
}

struct Seen {
  PacketKind kind;
  int number;
  std::int64_t step;
  double time;
  std::vector<std::byte> payload;
  bool operator==(const Seen&) const = default;
};

struct Bench {
  std::unique_ptr<transport::Doorbell> doorbell = transport::make_heap_doorbell();
  transport::loopback::Ends ends;
  std::unique_ptr<Client> client;

  explicit Bench(int rank = 0, std::vector<unsigned char> may_be_missing = {0, 0, 0, 0},
                 transport::BufferOptions buffer = {.bytes = 1 << 16},
                 std::unique_ptr<model::Agenda> agenda = std::make_unique<EvenSteps>(),
                 std::vector<unsigned char> once = {0, 0, 0, 0}, const Declarer& declarer = declared(0))
      : ends(transport::loopback::make({buffer, {}}, *doorbell)),
        client(std::make_unique<Client>(rank == 0 ? declarer : declared(rank), rank,
                                        ClientParts{.producer = std::move(ends.producer),
                                                    .agenda = std::move(agenda),
                                                    .may_be_missing = std::move(may_be_missing),
                                                    .once = std::move(once),
                                                    .begin = {0, 0.0}})) {}

  std::vector<Seen> take() {
    std::vector<Seen> seen;
    while (const auto packet = ends.consumer->next()) {
      seen.push_back({packet->header.kind,
                      packet->header.number,
                      packet->header.step,
                      packet->header.time,
                      {packet->payload.begin(), packet->payload.end()}});
      ends.consumer->release(packet->sequence);
    }
    return seen;
  }
  void put_all() {
    const std::vector<double> six{1, 2, 3, 4, 5, 6};
    const std::vector<std::int32_t> flags{1, 0, 1, 0, 1, 0};
    const std::vector<float> four{1, 2, 3, 4};
    client->put_dense(w, six.data(), model::DataType::float64, 6);
    client->put_dense(mask, flags.data(), model::DataType::int32, 6);
    client->put_dense(energy, six.data(), model::DataType::float64, 1);
    client->put_dense(profile, four.data(), model::DataType::float32, 4);
  }
};

template <class Call>
std::string error_of(Call call, ErrorCode code = ErrorCode::usage) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace tailrace::client::testing
