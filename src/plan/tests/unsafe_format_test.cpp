// A plan with a file in a format of which two threads must not write at once, as with an HDF5 that is not
// thread-safe.
#include <gmock/gmock.h>

#include "plan/plan.hpp"
#include "tailrace/error.hpp"

namespace tailrace::plan {
namespace {

using testing::HasSubstr;

class UnsafeFormat final : public output::Format {
 public:
  std::string name() const override { return "unsafe"; }
  std::unique_ptr<output::Dataset> create(const output::DatasetSpec&, env::FileSystem&) const override {
    return nullptr;
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }
  std::string danger_beside_model() const override { return "the library is not thread-safe"; }
};

const output::FormatRegistration registration{std::make_unique<UnsafeFormat>()};

// The problems that are reported for a file of this format; empty if there are none.
std::string complaint(const std::string& servers) {
  model::Declarations declarations;
  model::Grid& line = declarations.grids.emplace_back();
  line.name = "line";
  line.dims = {"x"};
  line.shape = {3};
  model::Field field;
  field.name = "u";
  field.grid = 0;
  declarations.fields.push_back(field);
  const std::string text =
      "tailrace: 1\nservers: {" + servers +
      "}\nfields: {all: {every: 1 step, names: [u]}}\noutput:\n  a.nc:\n    format: unsafe\n"
      "    variables: [{field: u, every: 1 step}]\n";
  const std::map<std::string, std::string> options;
  try {
    make_plan(settings::parse_configuration({{"run.yaml", text}}, &options), declarations);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(UnsafeFormat, IsRefusedWhereTheModelMayUseTheLibraryToo) {
  const std::string said = complaint("mode: attached");
  EXPECT_THAT(said, HasSubstr("run.yaml:5:3  output.a.nc: the library is not thread-safe"));
  EXPECT_THAT(said, HasSubstr("between `hdf5_lock` and `hdf5_unlock`"));
}

TEST(UnsafeFormat, IsTakenWhereNoThreadOfTheModelIsBeside) {
  EXPECT_EQ(complaint("mode: attached, model_uses_hdf5: false"), "");
  EXPECT_EQ(complaint("mode: dedicated"), "");
  EXPECT_EQ(complaint("mode: inline"), "");
}

}  // namespace
}  // namespace tailrace::plan
