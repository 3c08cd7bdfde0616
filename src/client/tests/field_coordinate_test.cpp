// Scalar coordinates of a single field.
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "client/declarer.hpp"

namespace tailrace::client {
namespace {

class FieldCoordinate : public testing::Test {
 protected:
  FieldCoordinate() {
    declarer_.grid({"les", {"y", "x"}, {4, 6}, {0, 3}, {4, 3}, "", {}, false});
    model::Field field;
    field.name = "tas";
    declarer_.field("les", field);
  }

  void declare(const std::string& owner, const std::string& name, bool is_scalar = true) {
    model::Coordinate coordinate;
    coordinate.name = name;
    const std::vector<double> one{2}, two{1, 2};
    declarer_.coordinate(owner, coordinate, is_scalar ? one : two, {.bounds = {}, .scalar = is_scalar});
  }

  std::string refused(const std::string& owner, const std::string& name, bool is_scalar = true) {
    try {
      declare(owner, name, is_scalar);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error.what();
    }
    return "nothing";
  }

  Declarer declarer_{"bubble", 0, 4};
};

TEST_F(FieldCoordinate, IsNoneOfItsGrid) {
  declare("tas", "height");
  const model::Declarations& declared = declarer_.declarations();
  ASSERT_EQ(declared.fields.at(0).coordinates.size(), 1u);
  EXPECT_EQ(declared.fields[0].coordinates[0].values, std::vector<double>{2});
  EXPECT_TRUE(declared.fields[0].coordinates[0].dims.empty());
  EXPECT_TRUE(declared.grids.at(0).coordinates.empty());
}

TEST_F(FieldCoordinate, HasOneValueAndANameOfItsOwn) {
  declare("tas", "height");
  const std::string again = "the field or its grid has it already";
  EXPECT_EQ(refused("tas", "height"), "field \"tas\": coordinate \"height\": " + again);
  EXPECT_EQ(refused("tas", "y"), "field \"tas\": coordinate \"y\": " + again);
  EXPECT_EQ(
      refused("tas", "p", false),
      "field \"tas\": coordinate \"p\": expected one value, of a scalar coordinate; what has dimensions "
      "belongs to the field's grid");
  EXPECT_EQ(refused("tsa", "p"), "grid \"tsa\" was not declared. (known: les)");
}

}  // namespace
}  // namespace tailrace::client
