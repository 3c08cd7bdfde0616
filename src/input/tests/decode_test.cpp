#include "input/entry/decode.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "base/index.hpp"

namespace tailrace::input {
namespace {

using testing::ElementsAre;

VariableHeader variable_of(std::vector<std::int64_t> shape, std::vector<std::int64_t> chunk = {},
                           model::DataType type = model::DataType::float32) {
  VariableHeader variable;
  variable.dims.resize(shape.size());
  variable.shape = std::move(shape);
  variable.chunk = std::move(chunk);
  variable.type = type;
  return variable;
}

// A grid of three dims in a file of four, one of which is time: the cells along each dim in a random order,
// in the file's, or in the opposite one, and some dims absent from the file.
struct Layout {
  explicit Layout(std::mt19937& random) {
    std::vector<int> places{0, 1, 2, 3};
    std::ranges::shuffle(places, random);
    match.time = places[3];
    match.fixed.assign(4, Match::none);
    std::vector<std::int64_t> file_shape(4, 1);
    file_shape[base::index(match.time)] = 3;
    for (int g = 0; g < 3; ++g) {
      shape.push_back(1 + static_cast<std::int64_t>(random() % 45));
      const bool is_absent = random() % 8 == 0;
      match.file_dim.push_back(is_absent ? Match::none : places[base::index(g)]);
      auto& cells = match.cells.emplace_back();
      if (is_absent) {
        match.fixed[base::index(places[base::index(g)])] = 0;
        continue;
      }
      const std::int64_t length = shape.back() + static_cast<std::int64_t>(random() % 3);
      file_shape[base::index(places[base::index(g)])] = length;
      cells.resize(base::index(length));
      std::iota(cells.begin(), cells.end(), 0);
      if (random() % 3 == 0) std::ranges::shuffle(cells, random);
      if (random() % 2 == 0) std::ranges::reverse(cells);
      std::ranges::rotate(cells, cells.begin() + static_cast<std::ptrdiff_t>(random() % cells.size()));
      cells.resize(base::index(shape.back()));
    }
    variable = variable_of(file_shape);
  }

  // The place in the whole variable of a cell of the grid.
  std::size_t place(std::array<std::int64_t, 3> cell, std::int64_t record) const {
    std::array<std::int64_t, 4> at{};
    at[base::index(match.time)] = record;
    for (std::size_t g = 0; g < 3; ++g)
      if (match.file_dim[g] != Match::none)
        at[base::index(match.file_dim[g])] = match.cells[g][base::index(cell[g])];
    std::int64_t place = 0;
    for (std::size_t f = 0; f < 4; ++f) place = place * variable.shape[f] + at[f];
    return base::index(place);
  }

  Match match;
  std::vector<std::int64_t> shape;
  VariableHeader variable;
};

// The numbers of a piece, as a process that reads delivers them.
std::vector<float> cut(const std::vector<float>& all, const VariableHeader& variable, const Piece& piece) {
  std::vector<float> box;
  const auto& n = piece.count;
  for (std::int64_t a = 0; a < n[0]; ++a)
    for (std::int64_t b = 0; b < n[1]; ++b)
      for (std::int64_t c = 0; c < n[2]; ++c)
        for (std::int64_t d = 0; d < n[3]; ++d) {
          const std::array<std::int64_t, 4> in_box{a, b, c, d};
          std::int64_t place = 0;
          for (std::size_t f = 0; f < 4; ++f) place = place * variable.shape[f] + piece.start[f] + in_box[f];
          box.push_back(all[base::index(place)]);
        }
  return box;
}

template <class Value>
void expect_decoded(const Layout& layout, const std::vector<float>& all, const ValueRules& rules) {
  const std::int64_t record = 1;
  std::vector<Value> result(base::index(layout.shape[0] * layout.shape[1] * layout.shape[2]), Value{-77});
  Decoded counted;
  for (const Piece& piece : pieces_of(layout.variable, layout.match, layout.shape, {0, 3})) {
    const std::vector<float> box = cut(all, layout.variable, piece);
    const auto raw =
        std::as_bytes(std::span(box)).subspan(base::index(record * piece.copying.from_time) * sizeof(float));
    const Decoded one = decode(raw, model::DataType::float32, rules, piece.copying,
                               model::data_type_of<Value>(), std::as_writable_bytes(std::span(result)));
    counted.missing += one.missing;
    EXPECT_FALSE(one.overflows);
  }
  std::size_t i = 0;
  std::int64_t missing = 0;
  for (std::int64_t a = 0; a < layout.shape[0]; ++a)
    for (std::int64_t b = 0; b < layout.shape[1]; ++b)
      for (std::int64_t c = 0; c < layout.shape[2]; ++c, ++i) {
        const float number = all[layout.place({a, b, c}, record)];
        if (number == 7.0F) {
          ++missing;
          ASSERT_TRUE(std::isnan(result[i]));
        } else {
          ASSERT_EQ(result[i], static_cast<Value>(static_cast<double>(number) * rules.factor + rules.shift));
        }
      }
  EXPECT_EQ(counted.missing, missing);
}

TEST(Decode, brings_any_layout_to_the_order_of_the_grid) {
  std::mt19937 random(3);
  for (int n = 0; n < 25; ++n) {
    const Layout layout(random);
    std::int64_t cells = 1;
    for (const std::int64_t length : layout.variable.shape) cells *= length;
    std::vector<float> all(base::index(cells));
    for (float& one : all) one = static_cast<float>(random() % 50);
    ValueRules rules;
    rules.missing = {7.0};
    expect_decoded<float>(layout, all, rules);
    expect_decoded<double>(layout, all, rules);
    rules.factor = 0.1;
    rules.shift = 273.15;
    expect_decoded<float>(layout, all, rules);
    expect_decoded<double>(layout, all, rules);
  }
}

TEST(Decode, keeps_the_bits_of_copies) {
  const std::vector<float> raw{-0.0F, INFINITY, 1e-45F, 3.0F};
  std::vector<float> result(4);
  const Copying copying{{{0, 1, 2, 3}}, {{0, 1, 2, 3}}, 0};
  const auto bytes = std::as_writable_bytes(std::span(result));
  EXPECT_FALSE(decode(std::as_bytes(std::span(raw)), model::DataType::float32, {}, copying,
                      model::DataType::float32, bytes)
                   .overflows);
  EXPECT_EQ(std::memcmp(raw.data(), result.data(), sizeof(float) * raw.size()), 0);
  ValueRules scaled;
  scaled.factor = 1e30;
  EXPECT_FALSE(decode(std::as_bytes(std::span(raw)), model::DataType::float32, scaled, copying,
                      model::DataType::float32, bytes)
                   .overflows)
      << "infinity stays what it is";
  scaled.factor = 2e38;
  EXPECT_TRUE(decode(std::as_bytes(std::span(raw)), model::DataType::float32, scaled, copying,
                     model::DataType::float32, bytes)
                  .overflows);
}

TEST(Region, reads_both_ends_of_a_dim_without_what_lies_between) {
  const VariableHeader variable = variable_of({4, 100}, {1, 10});
  Match match;
  match.time = 0;
  match.file_dim = {1};
  match.cells = {{97, 98, 99, 0, 1}};
  match.fixed = {-1, -1};
  const auto pieces = pieces_of(variable, match, {5}, {2, 1});
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_THAT(pieces[0].start, ElementsAre(2, 0));
  EXPECT_THAT(pieces[0].count, ElementsAre(1, 2));
  EXPECT_THAT(pieces[0].copying.to[0], ElementsAre(3, 4));
  EXPECT_THAT(pieces[1].start, ElementsAre(2, 97));
  EXPECT_THAT(pieces[1].copying.to[0], ElementsAre(0, 1, 2));
  EXPECT_EQ(bytes_of_chunks(variable, pieces[1]), 10u * sizeof(float));
  EXPECT_EQ(pieces_of(variable_of({4, 100}, {1, 100}), match, {5}, {2, 1}).size(), 1u)
      << "they share a chunk";
}

TEST(Region, takes_the_further_records_of_a_chunk_together) {
  Match match;
  match.time = 0;
  match.fixed = {-1, -1};
  const VariableHeader variable = variable_of({20, 50}, {8, 50});
  const auto together = [&](std::int64_t record) {
    const RecordRange range = records_together(variable, match, record);
    return std::pair(range.begin, range.count);
  };
  EXPECT_EQ(record_bytes(variable, match), 50u * sizeof(float));
  EXPECT_EQ(together(8), (std::pair<std::int64_t, std::int64_t>(8, 8)));
  EXPECT_EQ(together(13), (std::pair<std::int64_t, std::int64_t>(13, 3)));
  EXPECT_EQ(together(17), (std::pair<std::int64_t, std::int64_t>(17, 3))) << "the last chunk is not full";
}

TEST(Region, takes_records_together_that_a_library_reads_at_once) {
  Match match;
  match.fixed = {-1, -1, -1};
  const auto together = [&](const VariableHeader& variable, int time, std::int64_t record) {
    match.time = time;
    return records_together(variable, match, record).count;
  };
  EXPECT_EQ(together(variable_of({30, 20, 500}, {}), 2, 7), 493) << "time is the fastest dim";
  EXPECT_EQ(together(variable_of({30, 20, 1000000}, {}), 2, 0), 6990) << "16 MiB";
  EXPECT_EQ(together(variable_of({30, 500, 4096}, {}), 1, 3), 4) << "64 KiB";
  EXPECT_EQ(together(variable_of({30, 500, 20000}, {}), 1, 3), 1) << "a run is longer than 64 KiB";
  EXPECT_EQ(together(variable_of({500, 30, 20}, {}), 0, 3), 1) << "a record is one run";
  EXPECT_EQ(together(variable_of({1, 500, 20}, {}), 1, 3), 1) << "too";
}

}  // namespace
}  // namespace tailrace::input
