// A model's fields under the names that the configuration has for them.
#include "handshake/ready/wanted_names.hpp"

#include <gmock/gmock.h>

#include "base/index.hpp"

namespace tailrace::handshake {
namespace {

using ::testing::ElementsAre;

client::Declarer declared() {
  client::Declarer declarer("monc", 1, 2);
  const auto grid = [&](const std::string& name, const std::vector<std::string>& dims,
                        std::vector<std::int64_t> offset) {
    client::GridArguments made;
    made.name = name;
    made.dims = dims;
    made.shape = {7, 3};
    made.offset = std::move(offset);
    made.count = {4, 3};
    declarer.grid(made);
  };
  grid("block", {"x", "z"}, {3, 0});
  grid("elsewhere", {"x", "zn"}, {2, 0});
  grid("block_zn", {"x", "zn"}, {3, 0});
  for (const char* name : {"th", "w", "b.w"}) {
    model::Field field;
    field.name = name;
    field.units = "K";
    declarer.field("block", field);
  }
  return declarer;
}

std::vector<settings::FieldGroup> asked() {
  const auto group = [](const std::vector<std::string>& names, std::vector<std::string> dims) {
    settings::FieldGroup made;
    for (const std::string& name : names) made.fields.push_back({name, {}});
    made.dims = std::move(dims);
    return made;
  };
  return {group({"th", "a.w", "a.nothing"}, {}), group({"a.th"}, {"x", "zn"}), group({"b.w"}, {"x", "zn"}),
          group({"b.th"}, {"x", "other"})};
}

TEST(WantedNames, AFieldStandsForItsNameInAllNamespaces) {
  client::Declarer declarer = declared();
  declare_wanted(asked(), declarer);
  const model::Declarations& all = declarer.declarations();
  EXPECT_THAT(all.field_names(), ElementsAre("th", "w", "b.w", "a.w", "a.th", "b.th"));
  EXPECT_THAT(declarer.namesakes(), ElementsAre(ElementsAre(4, 5), ElementsAre(3)));
  EXPECT_EQ(all.fields[3].units, "K");
}

TEST(WantedNames, DimsOfAGroupChooseTheGridWithTheSameCells) {
  client::Declarer declarer = declared();
  declare_wanted(asked(), declarer);
  const auto grid_of = [&](int field) {
    const model::Declarations& all = declarer.declarations();
    return all.grids[base::index(all.fields[base::index(field)].grid)].name;
  };
  EXPECT_EQ(grid_of(0), "block");
  EXPECT_EQ(grid_of(4), "block_zn");
  EXPECT_EQ(grid_of(2), "block_zn") << "declared by its full name";
  EXPECT_EQ(grid_of(5), "block") << "there is no such grid";
}

TEST(WantedNames, AnInputHasACopyForFiles) {
  client::Declarer declarer = declared();
  model::Field sst;
  sst.name = "sst";
  sst.type = model::DataType::float32;
  sst.units = "degC";
  declarer.input("block", sst);
  input::FieldRequest request;
  request.name = "sst";
  declare_copy_of_input(request, declarer);
  declare_copy_of_input(request, declarer);
  request.name = "clim";
  declare_copy_of_input(request, declarer);  // no rank knows on which grid
  request.grid = "block_zn";
  request.units = "K";
  declare_copy_of_input(request, declarer);

  const auto& fields = declarer.declarations().fields;
  ASSERT_EQ(fields.size(), 7U);
  EXPECT_EQ(fields[4].name, "input.sst");
  EXPECT_EQ(fields[4].type, model::DataType::float32);
  EXPECT_EQ(fields[4].units, "degC");
  EXPECT_TRUE(fields[4].is_put());
  EXPECT_EQ(fields[5].name, "clim");
  EXPECT_TRUE(fields[5].is_input);
  EXPECT_EQ(fields[6].name, "input.clim");
  EXPECT_EQ(fields[6].units, "K");
  EXPECT_EQ(declarer.declarations().grids[base::index(fields[6].grid)].name, "block_zn");
}

}  // namespace
}  // namespace tailrace::handshake
