"""docs/extending.md, "An option of a format": an option touches the folder of its format and nothing else.

In a copy of the tree, the format in memory gets an option. The one changed source is compiled, and linked with the
objects that the build has made already, into a program that reads a configuration with the option."""

import re
import subprocess

import pytest
from tools.test_new import BUILD, House, compile_command, link_command

FORMAT = "src/output/memory/memory_format.cpp"
CHANGES = {
    "namespace tailrace::output::memory {\nnamespace {\n": """namespace tailrace::output::memory {
namespace {

struct Options {
  std::string label{};
};

FormatSection options_section() {
  return {.option = {.name = "memory",
                     .type = config::section({{.name = "label",
                                               .type = config::text(),
                                               .description = "An attribute `label` of the dataset.",
                                               .example = "first try"}}),
                     .description = "How `format: memory` writes.",
                     .example = "{label: first try}"},
          .read = [](const std::string&, const config::Value& value, config::Problems&) {
            const config::Value* label = value.find("label");
            return wrap_options(Options{.label = label != nullptr ? label->text() : ""});
          }};
}
""",
    'std::string name() const override { return "memory"; }\n': """\
std::string name() const override { return "memory"; }
  std::optional<FormatSection> section() const override { return options_section(); }
  void check(const FormatOptions* options, const DatasetRequest& request, config::Problems& problems) const override {
    if (request.compresses && !unwrap_options<Options>(options).label.empty())
      problems.add(request.section_location, request.config_path + ".memory", "what is compressed has no label");
  }
""",
    "std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem&) const override {\n": """\
std::unique_ptr<Dataset> create(const DatasetSpec& given, env::FileSystem&) const override {
    DatasetSpec spec = given;
    const std::string label = unwrap_options<Options>(given.options.get()).label;
    if (!label.empty()) spec.attributes.emplace_back("label", label);
""",
}
PROGRAM = """
#include <gmock/gmock.h>

#include "output/memory/memory_format.hpp"
#include "settings/testing/parsing.hpp"

namespace tailrace::settings {

std::string configuration(const std::string& options) {
  return "tailrace: 1\\n" + testing::fields + "output: {a.mem: {" + options +
         ", variables: [{field: u, every: 1 s}]}}\\n";
}

TEST(OptionOfAFormat, ReachesTheDatasetTheReferenceAndTheSchema) {
  const OutputEntry file = testing::parse(configuration("format: memory, memory: {label: made up}")).files.at(0);
  output::DatasetSpec spec;
  spec.path = file.path;
  spec.options = file.format_options;
  file.writer()->create(spec)->close();
  const output::Attributes attributes = output::memory::contents_of("a.mem")->spec().attributes;
  EXPECT_THAT(attributes, ::testing::Contains(output::Attributes::value_type{"label", std::string("made up")}));
  EXPECT_THAT(reference_markdown(), ::testing::HasSubstr("`output.<file>.memory.label`"));
  EXPECT_THAT(json_schema(), ::testing::HasSubstr("An attribute `label` of the dataset."));
}

TEST(OptionOfAFormat, IsCheckedByItsFormat) {
  EXPECT_THAT(testing::complaint(configuration("format: memory, compression: zlib, memory: {label: made up}")),
              ::testing::HasSubstr("run.yaml:3:61  output.a.mem.memory: what is compressed has no label"));
  EXPECT_THAT(testing::complaint(configuration("memory: {label: made up}")),
              ::testing::HasSubstr("output.a.mem.memory: the file has format \\"netcdf\\"; expected `format: memory`"));
  EXPECT_THAT(testing::complaint(configuration("format: memory, memory: {lable: made up}")),
              ::testing::HasSubstr("Did you mean \\"label\\"?"));
}

}  // namespace tailrace::settings
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    text = (house.root / FORMAT).read_text()
    for before, after in CHANGES.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    (house.root / FORMAT).write_text(text)
    assert house.changes() == {FORMAT: "M"}
    return house


def call(command: list[str]) -> None:
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-8000:]


def test_an_option_of_a_format_needs_its_folder_only(house, tmp_path):
    if not (BUILD / "src" / "settings_test").exists():
        pytest.fail("settings_test is not built: run ./quickstart build")
    (house.root / "src/settings/tests/option_of_a_format_test.cpp").write_text(PROGRAM)
    changed, test, program = (tmp_path / name for name in ("format.o", "test.o", "program"))
    call(compile_command(FORMAT, house, FORMAT, changed))
    beside = "src/settings/tests/format_options_test.cpp"
    call(compile_command(beside, house, "src/settings/tests/option_of_a_format_test.cpp", test))
    as_before = [word for word in link_command("settings", [test], program) if not word.endswith(f"/{FORMAT[4:]}.o")]
    call([*as_before, str(changed)])
    done = subprocess.run(
        [program, "--gtest_filter=OptionOfAFormat.*"], cwd=tmp_path, capture_output=True, text=True
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    assert "2 tests" in done.stdout, done.stdout


def test_no_other_code_knows_a_format(house):
    """Names of formats and headers of their folders are for the folders themselves. Files of HDF5 and NetCDF, as such,
    are read and written elsewhere too."""
    src = house.root / "src"
    folders = {path.parent.name for path in (src / "output").glob("*/*_format.cpp")}
    assert {"adios2", "in_situ", "memory", "netcdf", "null", "zarr"} <= folders
    headers = {f'#include "output/{folder}/' for folder in folders} - {'#include "output/netcdf/'}
    comparison = re.compile(rf'format\w*(?:\(\))? [!=]= "(?:{"|".join(folders)})"')
    for path in src.rglob("*.?pp"):
        parts = path.relative_to(src).parts
        if "tests" in parts or "testing" in parts or (parts[0] == "output" and parts[1] in folders):
            continue
        text = path.read_text()
        assert [*filter(text.__contains__, headers), *comparison.findall(text)] == [], path
