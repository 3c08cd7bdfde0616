#include "plan/naming/field_metadata.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>

#include "settings/field_metadata.hpp"
#include "tailrace/error.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

settings::Configuration named(const std::string& names, const std::string& file = "") {
  const std::map<std::string, std::string> options;
  return settings::parse_configuration(
      {{"run/run.yaml", "tailrace: 1\nnames: " + names + "\n"}, {"run/names.yaml", file, true}}, &options);
}

model::Declarations model_with(const std::string& name, const std::string& units) {
  model::Declarations declarations;
  declarations.fields.resize(1);
  declarations.fields[0].name = name;
  declarations.fields[0].units = units;
  declarations.fields[0].long_name = "of the model";
  return declarations;
}

TEST(FieldMetadata, TakeThePlaceOfTheModels) {
  const auto configuration =
      named("names.yaml", "t2m: {standard_name: air_temperature, units: kelvin}\nw: upward_air_velocity\n");
  for (const char* name : {"t2m", "phys.t2m"}) {
    const model::Field field = with_metadata(model_with(name, "K"), configuration).fields[0];
    EXPECT_EQ(field.standard_name, "air_temperature");
    EXPECT_EQ(field.units, "kelvin") << "which is K";
    EXPECT_EQ(field.long_name, "of the model");
  }
  EXPECT_EQ(with_metadata(model_with("w", ""), configuration).fields[0].standard_name, "upward_air_velocity");
  EXPECT_EQ(with_metadata(model_with("other", ""), configuration).fields[0].standard_name, "");
}

TEST(FieldMetadata, MayStandInTheConfiguration) {
  const auto configuration = named("{a.t: {long_name: of a}, t: {long_name: of all}}");
  EXPECT_EQ(with_metadata(model_with("a.t", ""), configuration).fields[0].long_name, "of a");
  EXPECT_EQ(with_metadata(model_with("b.t", ""), configuration).fields[0].long_name, "of all");
}

TEST(FieldMetadata, HoldUnitsAgainstTheModels) {
  try {
    with_metadata(model_with("t2m", "degC"), named("names.yaml", "\nt2m: {units: K}\n"));
    FAIL() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    EXPECT_THAT(error.what(),
                HasSubstr("run/names.yaml:2:1  names.t2m: the model declares \"t2m\" in \"degC\", "
                          "which is not \"K\""));
  }
}

TEST(FieldMetadata, TellSlipsAlone) {
  const auto configuration = named("{t2n: x, sst: y}");
  EXPECT_THAT(
      misspelt_names(model_with("t2m", ""), configuration),
      ElementsAre("run/run.yaml:2:9  names.t2n: the model declares no field \"t2n\". Did you mean \"t2m\"?"));
  EXPECT_THAT(misspelt_names(model_with("theta_e", ""), configuration), IsEmpty());
}

TEST(FieldMetadata, OfTwoFilesAreRefused) {
  const std::map<std::string, std::string> options;
  const settings::Sources sources{{"run.yaml", "tailrace: 1\nnames: [a.yaml, b.yaml]\n"},
                                  {"a.yaml", "t: x\n", true},
                                  {"b.yaml", "u: {unit: K}\nt: x\n", true}};
  try {
    settings::parse_configuration(sources, &options);
    FAIL() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("b.yaml:1:5  names.u.unit: this key is unknown. Did you mean \"units\"?"));
    EXPECT_THAT(error.what(), HasSubstr("b.yaml:2:1  names.t: is given twice; the first is at a.yaml:1:1"));
  }
}

}  // namespace
}  // namespace tailrace::plan
