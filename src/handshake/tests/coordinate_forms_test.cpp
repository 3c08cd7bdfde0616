// Ranks without cells, and ranks that hold all cells along a dim, agree with the others on what a coordinate
// covers.
#include "handshake/ready/coordinate_forms.hpp"

#include <gmock/gmock.h>

#include "base/index.hpp"
#include "messaging/testing/ranks_in_threads.hpp"

namespace tailrace::handshake {
namespace {

using messaging::testing::Mailboxes;
using messaging::testing::on_ranks;
using ::testing::Each;
using ::testing::IsEmpty;

constexpr std::int64_t columns = 6;

void nap() { std::this_thread::yield(); }

struct Given {
  std::int64_t offset = 0, count = 0;
  std::vector<double> values, bounds = {};
};

// One rank for each entry; returns what each has declared when all is settled.
struct Settled {
  std::vector<std::string> thrown;
  std::vector<model::Declarations> declared;
};

Settled settle(const std::vector<Given>& given, const std::string& name = "x") {
  Mailboxes mail{static_cast<int>(given.size())};
  Settled settled;
  settled.declared.resize(given.size());
  settled.thrown = on_ranks(mail, [&](comm::Communicator& component) {
    const auto rank = base::index(component.rank());
    const Given& own = given[rank];
    client::Declarer declarer("m", component.rank(), component.size());
    client::GridArguments grid;
    grid.name = "g";
    grid.dims = {"y", "x"};
    grid.shape = {2, columns};
    grid.offset = {0, own.offset};
    grid.count = {own.count == 0 ? 0 : 2, own.count};
    declarer.grid(grid);
    model::Coordinate coordinate;
    coordinate.name = name;
    coordinate.dims = {"x"};
    declarer.coordinate("g", coordinate, own.values,
                        {.bounds = own.bounds, .vertices = own.bounds.empty() ? 0u : 2u});
    model::Field field;
    field.name = "t";
    EXPECT_EQ(declarer.field("g", field), 0);
    messaging::PolledTree tree(component);
    try {
      if (const auto fault = settle_coordinates(tree, component, declarer, nap))
        throw Error(fault->code, fault->message);
    } catch (...) {
      if (tree.is_first()) tree.give_up(base::current_fault());  // as `ready` does
      throw;
    }
    while (!tree.sent()) nap();
    settled.declared[rank] = declarer.declarations();
  });
  return settled;
}

const std::vector<double> all{0, 1, 2, 3, 4, 5};

void expect_same(const Settled& settled) {
  EXPECT_THAT(settled.thrown, Each(IsEmpty()));
  for (const model::Declarations& one : settled.declared) EXPECT_EQ(one, settled.declared.front());
}

TEST(CoordinateForms, ranks_without_cells_get_the_whole_from_the_others) {
  const std::vector<double> ends{-0.5, 0.5, 0.5, 1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5, 4.5, 5.5};
  for (const std::size_t idle : {0u, 1u, 3u}) {
    std::vector<Given> given(4, Given{0, columns, all, ends});
    given[idle] = {0, 0, {}};
    const Settled settled = settle(given);
    expect_same(settled);
    EXPECT_EQ(settled.declared[idle].grids[0].coordinates[0].values, all);
    EXPECT_EQ(settled.declared[idle].grids[0].coordinates[0].bounds, ends);
  }
}

TEST(CoordinateForms, ranks_without_cells_have_a_part_like_the_others) {
  const std::vector<double> ends{-0.5, 0.5, 0.5, 1.5, 1.5, 2.5};
  const Settled settled = settle({{0, 0, {}}, {0, 3, {0, 1, 2}, ends}, {3, 3, {0, 1, 2}, ends}, {6, 0, {}}});
  expect_same(settled);
  for (const model::Declarations& one : settled.declared) {
    EXPECT_TRUE(one.grids[0].coordinates[0].field);
    EXPECT_TRUE(one.grids[0].coordinates[0].bounds_field);
    EXPECT_EQ(one.field_names(), std::vector<std::string>{"t"});
  }
}

TEST(CoordinateForms, a_rank_that_holds_a_whole_row_agrees_with_parts_and_with_wholes) {
  expect_same(settle({{0, columns, all}, {0, 3, {0, 1, 2}}, {3, 3, {3, 4, 5}}}));
  expect_same(settle({{0, columns, all}, {0, 3, all}, {3, 3, all}}));
  expect_same(settle({{0, 0, {}}, {0, 0, {}}}));
}

TEST(CoordinateForms, a_whole_and_a_part_are_refused_by_name) {
  const Settled settled = settle({{0, 0, {}}, {0, 3, {0, 1, 2}}, {3, 3, all}});
  EXPECT_EQ(settled.thrown[0],
            "coordinate \"x\" of grid \"g\": rank 2 of the component gives all values, but rank 1 only its "
            "part; all "
            "ranks must give the whole, or each its part");
}

}  // namespace
}  // namespace tailrace::handshake
