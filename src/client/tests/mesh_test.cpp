// The meshes that a rank may give and those it may not, and arrays that it cannot give; the messages are what
// a user reads.
#include "client/mesh.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/index.hpp"
#include "client/declarer.hpp"

namespace tailrace::client {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

GridArguments whole(std::string name, std::vector<std::string> dims, std::vector<std::int64_t> shape) {
  GridArguments grid;
  grid.name = std::move(name);
  grid.dims = std::move(dims);
  grid.shape = std::move(shape);
  return grid;
}

GridArguments indexed(std::span<const std::int64_t> indices) {
  GridArguments grid = whole("icon", {"height", "cell"}, {3, 10});
  grid.indexed_dim = "cell";
  grid.indices = indices;
  return grid;
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "no error";
}

std::vector<double> doubles(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

model::Coordinate coordinate(std::string name, std::vector<std::string> dims = {}) {
  model::Coordinate coordinate;
  coordinate.name = std::move(name);
  coordinate.dims = std::move(dims);
  return coordinate;
}

TEST(Mesh, AMeshBringsItsConnectivityAndAShareOfItsNodes) {
  Declarer declarer("icon", 1, 4);
  const std::vector<std::int64_t> cells{4, 5};
  declarer.grid(indexed(cells));
  const std::vector<double> lon{0, 1, 2, 3, 4, 9}, lat{5, 6, 7, 8, 0, 1};
  const std::vector<std::int32_t> faces{0, 1, 2, 1, 2, 3};
  declarer.mesh("icon", {"mesh", lon, lat, 3, faces, 0, {}});
  const model::Grid& grid = declarer.declarations().grids[0];
  ASSERT_TRUE(grid.mesh);
  EXPECT_EQ(grid.mesh->nodes, 6);
  const auto carried = base::index(grid.mesh->connectivity_field);
  const auto part = base::index(declarer.declarations().fields[carried].grid);
  EXPECT_EQ(declarer.declarations().fields[carried].type, model::DataType::int32);
  EXPECT_THAT(declarer.declarations().grids[part].shape, ElementsAre(10, 3));
  EXPECT_EQ(declarer.regions()[part], model::Region::of_box({{4, 0}, {2, 3}}));
  ASSERT_THAT(declarer.statics(), SizeIs(3));
  const auto given = [&](int field) -> const std::vector<std::byte>& {
    return std::ranges::find(declarer.statics(), field, &StaticValues::field)->bytes;
  };
  EXPECT_THAT(doubles(given(grid.mesh->node_x_field)), ElementsAre(1, 2)) << "the second of four shares";
  EXPECT_THAT(doubles(given(grid.mesh->node_y_field)), ElementsAre(6, 7));
  EXPECT_EQ(given(grid.mesh->connectivity_field).size(), faces.size() * sizeof(std::int32_t));
}

TEST(Mesh, AMeshMayBeGivenInParts) {
  Declarer declarer("icon", 1, 4);
  const std::vector<std::int64_t> cells{4, 5}, numbers{7, 2, 3, 9};
  declarer.grid(indexed(cells));
  const std::vector<double> lon{0, 1, 2, 3}, lat{5, 6, 7, 8};
  const std::vector<std::int32_t> faces{7, 2, 3, 2, 9, 3};
  declarer.mesh("icon", {"mesh", lon, lat, 3, faces, 11, numbers});
  const model::Mesh& mesh = *declarer.declarations().grids[0].mesh;
  EXPECT_TRUE(mesh.in_parts);
  EXPECT_EQ(mesh.nodes, 11);
  ASSERT_THAT(declarer.statics(), SizeIs(1))
      << "the connectivity; the nodes come from the ranks that have them";
  ASSERT_THAT(declarer.given_nodes(), SizeIs(1));
  EXPECT_EQ(declarer.given_nodes()[0].x_field, mesh.node_x_field);
  EXPECT_EQ(declarer.given_nodes()[0].numbers, numbers);
  EXPECT_EQ(declarer.given_nodes()[0].y, lat);
}

TEST(Mesh, RefusesNodesInPartsThatDoNotFit) {
  Declarer declarer("icon", 1, 4);
  const std::vector<std::int64_t> cells{4, 5}, three_numbers{7, 2, 3}, twice{7, 2, 3, 7},
      outside{7, 2, 3, 11}, numbers{7, 2, 3, 9};
  declarer.grid(indexed(cells));
  const std::vector<double> four{0, 1, 2, 3};
  const std::vector<std::int32_t> faces{7, 2, 3, 2, 9, 3}, stranger{7, 2, 3, 2, 8, 3};
  const auto refusal = [&](const std::vector<std::int32_t>& of_faces, std::int64_t nodes,
                           const std::vector<std::int64_t>& indices) {
    return error_of([&] { declarer.mesh("icon", {"m", four, four, 3, of_faces, nodes, indices}); });
  };
  EXPECT_EQ(refusal(faces, 11, three_numbers), "mesh \"m\": 4 values of node_x but 3 node_indices");
  EXPECT_EQ(refusal(faces, 11, twice), "mesh \"m\": this rank gives the node 7 twice");
  EXPECT_EQ(refusal(faces, 11, outside), "mesh \"m\": the index 11 of a node is outside 0 to 10");
  EXPECT_EQ(refusal(faces, -3, numbers), "mesh \"m\": it has -3 nodes; 1 to 2147483647 are possible");
  EXPECT_EQ(
      refusal(faces, 0, numbers),
      "mesh \"m\": 4 node_indices were given without global_nodes, the number of nodes of the whole mesh");
  EXPECT_EQ(refusal(stranger, 11, numbers),
            "mesh \"m\": cell 5 (counted from 0): face_nodes refers to the node 8, which is not among the 4 "
            "nodes given on this rank");
  EXPECT_EQ(refusal(faces, 11, numbers), "no error");
}

TEST(Mesh, RefusesArraysThatCannotBeRead) {
  Declarer declarer("icon", 1, 4);
  const std::vector<std::int64_t> cells{4, 5};
  const std::span<const double> none(static_cast<const double*>(nullptr), 7);
  declarer.grid(whole("les", {"x"}, {7}));
  EXPECT_EQ(error_of([&] { declarer.coordinate("les", coordinate("x"), none); }),
            "coordinate \"x\" of grid \"les\": the array is NULL, but has 7 elements");
  EXPECT_EQ(error_of([&] {
              declarer.grid(indexed({static_cast<const std::int64_t*>(nullptr), 2}));
            }),
            "grid \"icon\": indices: the array is NULL, but has 2 elements");
  declarer.grid(indexed(cells));
  const std::vector<double> seven(7);
  const std::vector<std::int32_t> faces{0, 1, 2, 1, 2, 3};
  EXPECT_EQ(error_of([&] {
              declarer.mesh("icon", {"m", seven, none, 3, faces, 0, {}});
            }),
            "mesh \"m\": node_y: the array is NULL, but has 7 elements");
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(TAILRACE_MADE_UP_GPU, RTLD_NOW | RTLD_GLOBAL),
                                                      &dlclose);
  ASSERT_TRUE(library) << dlerror();
  setenv("TEST_HIP", std::to_string(reinterpret_cast<std::uintptr_t>(seven.data())).c_str(), 1);
  EXPECT_EQ(
      error_of([&] { declarer.coordinate("les", coordinate("x"), seven); }),
      "coordinate \"x\" of grid \"les\": the array lies in the memory of a GPU (HIP), where the processor "
      "cannot read it; copy it to the host first, or use managed memory");
  unsetenv("TEST_HIP");
  declarer.coordinate("les", coordinate("x"), seven);
}

TEST(Mesh, SharesNodesOutEvenly) {
  for (const std::int64_t nodes : {1, 5, 7, 1000}) {
    std::int64_t next = 0;
    for (int rank = 0; rank < 7; ++rank) {
      const NodeShare share = node_share(nodes, rank, 7);
      EXPECT_EQ(share.begin, next);
      for (; next < share.begin + share.count; ++next) EXPECT_EQ(rank_with_node(next, nodes, 7), rank);
      EXPECT_LE(share.count, nodes / 7 + 1);
    }
    EXPECT_EQ(next, nodes);
  }
}

TEST(Mesh, RefusesMeshesThatDoNotFit) {
  Declarer declarer("icon", 0, 4);
  const std::vector<std::int64_t> cells{4, 5};
  declarer.grid(indexed(cells));
  declarer.grid(whole("les", {"x"}, {4}));
  const std::vector<double> four{0, 1, 2, 3}, three{0, 1, 2};
  const std::vector<std::int32_t> faces{0, 1, 2, 1, 2, 3}, wrong{0, 1, 2, 1, 2, 4};
  EXPECT_EQ(error_of([&] {
              declarer.mesh("les", {"m", four, four, 3, faces, 0, {}});
            }),
            "grid \"les\" is not indexed; a mesh belongs to an indexed grid");
  EXPECT_EQ(error_of([&] {
              declarer.mesh("icon", {"m", four, three, 3, faces, 0, {}});
            }),
            "mesh \"m\": 4 values of node_x but 3 of node_y");
  EXPECT_EQ(error_of([&] {
              declarer.mesh("icon", {"m", four, four, 2, faces, 0, {}});
            }),
            "mesh \"m\": nodes_per_face is 2; a face has at least 3");
  EXPECT_EQ(error_of([&] {
              declarer.mesh("icon", {"m", four, four, 3, wrong, 0, {}});
            }),
            "mesh \"m\": cell 5 (counted from 0): the node number 4 is outside 0 to 3 (or -1 for none)");
  EXPECT_EQ(error_of([&] {
              declarer.mesh("icon", {"m", four, four, 4, faces, 0, {}});
            }),
            "mesh \"m\": face_nodes has 6 values; 2 faces on this rank x 4 nodes are expected");
  declarer.mesh("icon", {"m", four, four, 3, faces, 0, {}});
  EXPECT_EQ(error_of([&] {
              declarer.mesh("icon", {"n", four, four, 3, faces, 0, {}});
            }),
            "grid \"icon\" has a mesh already");
}

TEST(Mesh, ClockwiseFacesAreTurnedRound) {
  const std::vector<double> x{0, 1, 1, 0, 2}, y{0, 0, 1, 1, 0};
  const std::vector<std::int32_t> faces{0, 1, 2, 3, 0, 3, 2, 1, 1, 2, 4, -1, 1, 4, 2, -1, 0, 1, 4, -1};
  const auto turned = ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 1, 4, 2, -1, 1, 4, 2, -1, 0, 1, 4, -1);
  MeshArguments mesh{"m", x, y, 4, faces, 0, {}, "m"};
  EXPECT_THAT(counter_clockwise(mesh), turned) << "of the last one, without an area, nothing can be said";
  const std::vector<double> lon{179, -179, -179, 179, -177}, lat{88, 88, 89, 89, 88};
  mesh = {"m", lon, lat, 4, {faces.data(), 16}, 0, {}};
  EXPECT_THAT(counter_clockwise(mesh), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 1, 4, 2, -1, 1, 4, 2, -1))
      << "over the edge of the map";
  const std::vector<std::int64_t> numbers{3, 2, 1, 0, 4};
  const std::vector<double> other_x{0, 1, 1, 0, 2}, other_y{1, 1, 0, 0, 0};
  mesh = {"m", other_x, other_y, 4, faces, 5, numbers, "m"};
  EXPECT_THAT(counter_clockwise(mesh), turned);
}

std::string refused_faces(const std::vector<std::int32_t>& faces) {
  Declarer declarer("icon", 0, 4);
  const std::vector<std::int64_t> cells{9, 4};
  declarer.grid(indexed(cells));
  const std::vector<double> x{0, 1, 1, 0}, y{0, 0, 1, 1};
  return error_of([&] { declarer.mesh("icon", {"m", x, y, 5, faces, 0, {}}); });
}

TEST(Mesh, RefusesRowsThatAreNoFaces) {
  const std::string first = "mesh \"m\": cell 9 (counted from 0): ",
                    second = "mesh \"m\": cell 4 (counted from 0): ";
  EXPECT_EQ(refused_faces({0, 1, -1, -1, -1, 0, 2, 3, -1, -1}), first + "has 2 nodes; a face has at least 3");
  EXPECT_EQ(refused_faces({0, 2, 3, -1, -1, -1, -1, -1, -1, -1}),
            second + "has 0 nodes; a face has at least 3");
  EXPECT_EQ(refused_faces({1, 1, 1, -1, -1, 0, 2, 3, -1, -1}),
            first + "has the node 1 twice; expected different nodes, then -1 as padding");
  EXPECT_EQ(refused_faces({0, -1, 1, 2, -1, 0, 2, 3, -1, -1}),
            first + "has a gap, -1, between its nodes; -1 is expected only behind them");
  EXPECT_EQ(refused_faces({0, 1, 2, 0, -1, 0, 2, 3, -1, -1}),
            first + "has the node 0 twice; expected different nodes, then -1 as padding");
  EXPECT_EQ(refused_faces({0, 1, 1, 2, -1, 0, 2, 3, -1, -1}),
            first + "has the node 1 twice; expected different nodes, then -1 as padding");
  EXPECT_EQ(refused_faces({0, 1, 2, 2, 2, 0, 2, 3, -1, -1}),
            first + "has the node 2 twice; expected different nodes, then -1 as padding");
  EXPECT_EQ(refused_faces({0, 1, 2, 3, -1, 0, 2, 3, -1, -1}), "no error");
}

TEST(Mesh, RefusesNodesWithoutAPlace) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x{0, 1, 1, 0}, y{0, 0, 1, 1}, no_x{0, nan, 1, 0}, far_y{0, 0, 1, 90.1};
  const std::vector<std::int32_t> faces{0, 1, 2, 0, 2, 3};
  const std::vector<std::int64_t> cells{4, 5}, numbers{7, 2, 3, 9};
  const std::vector<std::int32_t> faces_of_part{7, 2, 3, 7, 3, 9};
  const auto refusal = [&](const MeshArguments& mesh) {
    Declarer declarer("icon", 0, 4);
    declarer.grid(indexed(cells));
    return error_of([&] { declarer.mesh("icon", mesh); });
  };
  EXPECT_EQ(refusal({"m", no_x, y, 3, faces, 0, {}}),
            "mesh \"m\": node 1 (counted from 0) is at (nan, 0); expected two finite numbers");
  EXPECT_EQ(
      refusal({"m", x, far_y, 3, faces_of_part, 11, numbers}),
      "mesh \"m\": node 9 (counted from 0) is at the latitude 90.1; expected degrees from -90 to 90, or "
      "node_units, such as m, for a plane");
  EXPECT_EQ(refusal({"m", x, far_y, 3, faces, 0, {}, "m"}), "no error");
}

TEST(Mesh, EdgesAndNodesAreGridsOfTheirOwn) {
  Declarer declarer("icon", 1, 4);
  const std::vector<std::int64_t> cells{4, 5}, two{2, 6};
  declarer.grid(indexed(cells));
  const std::vector<double> four{0, 1, 2, 3};
  const std::vector<std::int32_t> faces{0, 1, 2, 1, 2, 3}, ends{0, 1, 2, 3};
  declarer.mesh("icon", {"mesh", four, four, 3, faces, 0, {}, "km"});
  GridArguments grid = whole("edges", {"edge"}, {7});
  grid.indexed_dim = "edge";
  grid.indices = two;
  declarer.grid(grid);
  grid.name = "corners";
  declarer.grid(grid);
  const auto refusal = [&](const MeshPlaceArguments& place, const char* on = "edges") {
    return error_of([&] { declarer.mesh_location(on, place); });
  };
  EXPECT_EQ(refusal({"mash", "edge", ends}),
            "mesh \"mash\" was not declared. Did you mean \"mesh\"? (known: mesh)");
  const std::string what = "mesh_location of mesh \"mesh\": ";
  EXPECT_EQ(refusal({"mesh", "edges", ends}),
            what + "the location \"edges\" is unknown. Did you mean \"edge\"? (known: edge, node)");
  EXPECT_EQ(refusal({"mesh", "edge", std::span(ends).first(2)}),
            what + "edge_nodes has 2 values; 2 edges on this rank x 2 nodes are expected");
  const std::vector<std::int32_t> wrong{0, 1, 2, 4};
  EXPECT_EQ(refusal({"mesh", "edge", wrong}),
            what + "cell 6 (counted from 0): the node number 4 is outside 0 to 3");
  const std::vector<std::int32_t> point{0, 1, 2, 2};
  EXPECT_EQ(refusal({"mesh", "edge", point}),
            what + "cell 6 (counted from 0): the edge begins and ends at node 2");
  EXPECT_EQ(refusal({"mesh", "node", {}}, "corners"), what + "the grid has 7 cells, the mesh 4 nodes");
  EXPECT_EQ(refusal({"mesh", "node", ends}, "corners"),
            what + "edge_nodes are given, but the location is node");
  EXPECT_EQ(refusal({"mesh", "edge", ends}), "no error");
  EXPECT_EQ(refusal({"mesh", "edge", ends}), "grid \"edges\" has a mesh already");
  const model::Declarations& all = declarer.declarations();
  ASSERT_TRUE(all.grids[base::index(*all.find_grid("edges"))].place);
  const model::MeshPlace& place = *all.grids[base::index(*all.find_grid("edges"))].place;
  EXPECT_EQ(place.grid, 0);
  const model::Field& carried = all.fields[base::index(place.connectivity_field)];
  EXPECT_THAT(all.grids[base::index(carried.grid)].shape, ElementsAre(7, 2));
  EXPECT_EQ(all.grids[0].mesh->node_units, "km");
}

}  // namespace
}  // namespace tailrace::client
