// Tests that a damaged message causes an error, and never an index that is out of range.
#include "model/message_checks.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <random>

#include "base/index.hpp"

namespace tailrace::model {
namespace {

using testing::HasSubstr;

constexpr std::size_t ranks = 3;

struct Message {
  Declarations declarations;
  Decomposition decomposition;
};

Grid grid(const std::string& name, GridKind kind, std::vector<std::string> dims,
          std::vector<std::int64_t> shape) {
  Grid made;
  made.name = name;
  made.kind = kind;
  made.dims = std::move(dims);
  made.shape = std::move(shape);
  return made;
}

Field field(const std::string& name, int on, DataType type, bool is_static) {
  Field made;
  made.name = name;
  made.grid = on;
  made.type = type;
  made.is_static = is_static;
  return made;
}

Regions slices(std::int64_t extent, const std::vector<std::int64_t>& behind) {
  Regions regions;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    std::vector<Runs> runs{{{extent * rank / 3, extent * (rank + 1) / 3 - extent * rank / 3}}};
    for (const std::int64_t whole : behind) runs.push_back({{0, whole}});
    regions.push_back(Region(std::move(runs)));
  }
  return regions;
}

Message good() {
  Message message;
  auto& grids = message.declarations.grids;
  grids = {grid("les", GridKind::block, {"y", "x"}, {7, 5}),
           grid("les[y]", GridKind::block, {"y"}, {7}),
           grid("ico", GridKind::indexed, {"cell"}, {11}),
           grid("ico[m]", GridKind::indexed, {"cell", "corner"}, {11, 4}),
           grid("ico[m_node]", GridKind::block, {"m_node"}, {13}),
           grid("", GridKind::replicated, {}, {})};
  grids[2].indexed_dim = grids[3].indexed_dim = "cell";
  Coordinate y, x;
  y.name = "y";
  y.dims = {"y"};
  y.field = 1;
  x.name = "x";
  x.dims = {"x"};
  x.values = {1, 2, 3, 4, 5};
  grids[0].coordinates = {y, x};
  grids[2].mesh = Mesh{.name = "m",
                       .nodes = 13,
                       .node_x_field = 2,
                       .node_y_field = 3,
                       .in_parts = false,
                       .nodes_digest = 0,
                       .nodes_per_face = 4,
                       .connectivity_field = 4};
  message.declarations.fields = {
      field("w", 0, DataType::float64, false),  field("les:y", 1, DataType::float64, true),
      field("m_x", 4, DataType::float64, true), field("m_y", 4, DataType::float64, true),
      field("m", 3, DataType::int32, true),     field("energy", 5, DataType::float32, false)};
  message.decomposition.regions = {slices(7, {5}),  slices(7, {}),  slices(11, {}),
                                   slices(11, {4}), slices(13, {}), Regions(std::vector<Region>(3))};
  return message;
}

void check(const Message& message) { check_message(message.declarations, message.decomposition, ranks); }

TEST(MessageChecks, let_good_messages_pass) { check(good()); }

TEST(MessageChecks, name_what_does_not_fit) {
  const std::vector<std::pair<std::function<void(Message&)>, std::string>> cases{
      {[](Message& m) { m.declarations.fields[0].grid = 6; }, "field \"w\" is on grid number 6"},
      {[](Message& m) { m.declarations.fields[5].grid = -1; }, "field \"energy\" is on grid number -1"},
      {[](Message& m) { m.declarations.grids[0].coordinates[0].field = 77; },
       "grid \"les\": coordinate \"y\" is in field number 77"},
      {[](Message& m) { m.declarations.grids[0].coordinates[0].field = 0; }, "is not in field number 0"},
      {[](Message& m) { m.declarations.grids[0].coordinates[1].values.pop_back(); },
       "coordinate \"x\" has a number of values"},
      {[](Message& m) {
         m.declarations.grids[0].coordinates[1].bounds = {1, 2, 3};
       },
       "number of bounds"},
      {[](Message& m) { m.declarations.grids[0].coordinates[1].dims = {"q"}; },
       "has a dim that its grid lacks"},
      {[](Message& m) { m.declarations.grids[0].shape[1] = 0; }, "grid \"les\" has an invalid shape"},
      {[](Message& m) { m.declarations.grids[0].shape[1] = INT64_MAX / 4; },
       "grid \"les\" has an invalid shape"},
      {[](Message& m) { m.declarations.grids[2].indexed_dim = "q"; }, "grid \"ico\" has no indexed dim"},
      {[](Message& m) { m.declarations.grids[2].mesh->node_y_field = -1; },
       "mesh \"m\" is in field number -1"},
      {[](Message& m) { m.declarations.grids[2].mesh->nodes = 14; }, "mesh \"m\" is not in field number 2"},
      {[](Message& m) { m.declarations.grids[2].kind = GridKind::block; }, "on a grid without cells"},
      {[](Message& m) { m.decomposition.regions.pop_back(); }, "6 grids, but regions of 5"},
      {[](Message& m) {
         m.decomposition.regions[1] = Regions({Region::of_box({{0}, {7}})}, 2);
       },
       "grid \"les[y]\" has regions of 2 ranks"},
      {[](Message& m) { m.decomposition.regions[0] = m.decomposition.regions[1]; },
       "a region whose shape does not fit"},
      {[](Message& m) { m.decomposition.regions[2] = slices(12, {}); },
       "grid \"ico\" has a region with cells outside"},
      {[](Message& m) {
         m.decomposition.regions[2] = Regions({Region({{{-1, 2}}})}, 3);
       },
       "with cells outside"}};
  for (const auto& [damage, what] : cases) {
    Message message = good();
    damage(message);
    try {
      check(message);
      ADD_FAILURE() << "not found: " << what;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::internal);
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  }
}

// Follows the message as a server does. Any exception but an Error fails the test.
void follow(const Message& message) {
  const Declarations& all = message.declarations;
  for (const Field& each : all.fields) {
    ASSERT_LE(static_cast<int>(each.type), 3);
    const Regions& regions = message.decomposition.regions.at(base::index(each.grid));
    ASSERT_EQ(regions.size(), ranks);
    for (const Region& region : regions.distinct())
      ASSERT_EQ(region.rank(), all.grids.at(base::index(each.grid)).dims.size());
  }
  for (const Grid& each : all.grids) {
    ASSERT_LE(static_cast<int>(each.kind), 3);
    ASSERT_GE(each.size(), 1);
    for (const Coordinate& coordinate : each.coordinates)
      if (coordinate.field) static_cast<void>(all.fields.at(base::index(*coordinate.field)));
    if (!each.mesh) continue;
    for (const int number : {each.mesh->node_x_field, each.mesh->node_y_field, each.mesh->connectivity_field})
      static_cast<void>(all.fields.at(base::index(number)));
  }
}

TEST(MessageChecks, find_all_that_would_lead_astray) {
  std::mt19937 random(1);
  const Message message = good();
  const auto declared = message.declarations.to_bytes(), decomposed = message.decomposition.to_bytes();
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    auto first = declared, second = decomposed;
    for (auto bytes = 1 + random() % 3; bytes > 0; --bytes) {
      auto& one = random() % 2 == 0 ? first : second;
      one[random() % one.size()] = static_cast<std::byte>(random() % 4 == 0 ? 255 : random() % 16);
    }
    try {
      const Message damaged{Declarations::from_bytes(first), Decomposition::from_bytes(second)};
      check(damaged);
      follow(damaged);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace tailrace::model
