// Measures `get` of input fields whose records are there, compared with a memcpy of the field's bytes from
// one record. Both go through all fields in turn, as a model does at a step: many, which together are larger
// than the caches, or one that stays in a cache.
//   get_input [ROUNDS]
// Prints lines
//   figure NAME MEDIAN TENTH NINE_TENTHS COUNT
//   ratio exact|linear NAME VALUE
// in nanoseconds for each call; a ratio is the median of get over that of memcpy.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "client/input_fields.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::client {
namespace {

constexpr std::size_t records = 2;

// The nanoseconds of one operation that is repeated.
class Samples {
 public:
  template <class Work>
  void time(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    values_.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  void print(const std::string& name) {
    std::ranges::sort(values_);
    std::printf("figure %s %.1f %.1f %.1f %zu\n", name.c_str(), at(0.5), at(0.1), at(0.9), values_.size());
  }
  double at(double share) const {  // after print()
    return values_[static_cast<std::size_t>(share * static_cast<double>(values_.size() - 1))];
  }

 private:
  std::vector<double> values_;
};

input::PreparedField prepared(int field, model::DataType type) {
  const std::vector<input::Record> at{{0, 0, 0.0, 0.0, 0.0}, {0, 1, 1.0, 1.0, 1.0}};
  input::PreparedField one{.entry = {},
                           .request = {},
                           .timeline = input::Timeline(calendar::Calendar(), at, false, false, 0),
                           .files = {"a file"},
                           .vertical = {}};
  one.field = field;
  one.travels_as = type;
  return one;
}

// Fields with both records in the channel, and what memcpy reads.
class Fields {
 public:
  Fields(model::DataType type, std::size_t cells, std::size_t count)
      : type_(type), cells_(cells), bytes_(cells * model::size_of(type)) {
    GridArguments grid;
    grid.name = "cells";
    grid.dims = {"cell"};
    grid.shape = {static_cast<std::int64_t>(cells)};
    declarer_.grid(grid);
    std::vector<input::PreparedField> fields;
    for (std::size_t f = 0; f < count; ++f) {
      model::Field field;
      field.name = "field " + std::to_string(f);
      field.type = type;
      fields.push_back(prepared(declarer_.field("cells", field), type));
    }
    declarer_.settle_coordinates();
    counters_.fields.resize(count);
    const std::size_t packet = bytes_ + 256;
    auto ends = transport::loopback::make(
        {{.bytes = 2 * records * count * packet, .at_most = false, .when_full = transport::WhenFull::fail},
         {}},
        *doorbell_);
    producer_ = std::move(ends.producer);
    for (std::size_t f = 0; f < count; ++f) send(static_cast<int>(f));
    inputs_ = std::make_unique<InputFields>(
        InputParts{std::move(fields), calendar::Calendar(), std::move(ends.consumer), [] {}, {}}, declarer_,
        counters_);
    inputs_->step({1, 0.0});
    targets_.assign(count, std::vector<std::byte>(bytes_));
  }

  void measure(const std::string& name, int rounds) {
    Samples copies, exact, linear;
    const auto each = [&](Samples& samples, const auto& work) {
      for (std::size_t f = 0; f < targets_.size(); ++f) samples.time([&] { work(f); });
    };
    for (int round = 0; round < rounds; ++round) {
      each(copies, [&](std::size_t f) { std::memcpy(targets_[f].data(), values_[f], bytes_); });
      each(exact, [&](std::size_t f) { get(f, 0.0); });
      each(linear, [&](std::size_t f) { get(f, 0.3); });
    }
    copies.print("memcpy_" + name);
    exact.print("exact_" + name);
    linear.print("linear_" + name);
    std::printf("ratio exact %s %.3f\n", name.c_str(), exact.at(0.5) / copies.at(0.5));
    std::printf("ratio linear %s %.3f\n", name.c_str(), linear.at(0.5) / copies.at(0.5));
    if (inputs_->copied_bytes() > 0) std::abort();  // the records are not where memcpy reads
  }

 private:
  void send(int field) {
    for (std::size_t r = 0; r < records; ++r) {
      std::span<std::byte> slot = producer_->reserve(sizeof(input::RecordHead) + bytes_);
      const input::RecordHead head;
      std::memcpy(slot.data(), &head, sizeof head);
      slot = slot.subspan(sizeof head);
      model::dispatch(type_, [&]<class T>(T) {
        for (std::size_t i = 0; i < cells_; ++i) {
          const T value = static_cast<T>(1 + i % 1000 + r);
          std::memcpy(slot.data() + i * sizeof(T), &value, sizeof(T));
        }
      });
      if (r == 0) values_.push_back(slot.data());
      producer_->publish({model::PacketKind::input_record, field, static_cast<std::int64_t>(r), 0.0});
    }
  }

  void get(std::size_t field, double time) const {
    const auto cells = static_cast<std::int64_t>(cells_);
    inputs_->get(static_cast<int>(field), {1, time},
                 {const_cast<std::byte*>(targets_[field].data()),
                  type_,
                  std::span<const std::int64_t>(&cells, 1),
                  {}});
  }

  model::DataType type_;
  std::size_t cells_, bytes_;
  Declarer declarer_{"model", 0, 1};
  std::unique_ptr<transport::Doorbell> doorbell_ = transport::make_heap_doorbell();
  std::unique_ptr<transport::Producer> producer_;
  telemetry::ClientCounters counters_;
  std::vector<const std::byte*> values_;
  std::unique_ptr<InputFields> inputs_;
  std::vector<std::vector<std::byte>> targets_;
};

}  // namespace
}  // namespace tailrace::client

int main(int count, char** arguments) {
  using tailrace::client::Fields;
  namespace model = tailrace::model;
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 5;
  for (const auto& [type, suffix] :
       {std::pair{model::DataType::float64, "f64"}, {model::DataType::float32, "f32"}}) {
    const std::size_t size = model::size_of(type);
    Fields(type, 64'000 / size, 1).measure(std::string("64k_") + suffix, 200 * rounds);
    Fields(type, 1'000'000 / size, 48).measure(std::string("1m_") + suffix, rounds);
    Fields(type, 6'000'000 / size, 12).measure(std::string("6m_") + suffix, rounds);
  }
  return 0;
}
