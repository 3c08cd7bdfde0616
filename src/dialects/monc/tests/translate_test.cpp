#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dialects/monc/tests/support.hpp"

namespace tailrace::dialects::monc::testing {
namespace {

std::string definition(const std::string& attributes, const std::string& fields) {
  return "<data-definition " + attributes + ">" + fields + "</data-definition>\n";
}

std::string field(const std::string& name, const std::string& more = "") {
  return "<field name=\"" + name + "\" type=\"array\" data_type=\"double\" size=\"z,y,x\" collective=true " +
         more + "/>";
}

std::string file(const std::string& includes, const std::string& more = "write_time_frequency=\"100.0\"") {
  return "<data-writing><file name=\"out.nc\" " + more + ">" + includes + "</file></data-writing>\n";
}

const std::string state = definition("name=\"state\" frequency=\"4\"", field("w") + field("u"));

TEST(MoncTranslate, ADataDefinitionBecomesGroupsOfFields) {
  const Outcome outcome =
      translated(definition("name=\"d\" frequency=\"{often}\" namespace=\"ns\" send_on_terminate=true",
                            field("a") + field("b", "optional=true") + field("c")));
  EXPECT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.yaml,
            "tailrace: 1\n"
            "fields:\n"
            "  d: {every: \"{often} steps\", also_at_end: true, namespace: ns, dims: [x, \"y\", z], names: "
            "[a, c]}\n"
            "  d_optional_x_y_z:\n"
            "    every: \"{often} steps\"\n"
            "    also_at_end: true\n"
            "    namespace: ns\n"
            "    optional: true\n"
            "    dims: [x, \"y\", z]\n"
            "    names: [b]\n");
}

TEST(MoncTranslate, FrequencyNothingIsNever) {
  const std::string xml =
      definition("name=\"d\" frequency=\"{often}\"", field("a")) +
      file("<include field=\"a\" time_manipulation=\"none\"/>", "write_timestep_frequency=\"{often}\"");
  EXPECT_EQ(translated(xml, {{"often", "0"}}).at("fields", "d", "every"), "never");
  EXPECT_EQ(translated(xml, {{"often", "0"}}).at("output", "out.nc", "write_every"), "never");
  EXPECT_EQ(translated(xml, {{"often", "1"}}).at("fields", "d", "every"), "1 step");
  EXPECT_EQ(translated(xml, {{"often", "7"}}).at("output", "out.nc", "write_every"), "7 steps");
  EXPECT_EQ(translated(xml).at("output", "out.nc", "write_every"), "{often} steps");
}

TEST(MoncTranslate, AFileWithEachManipulation) {
  const Outcome outcome =
      translated(state + "<group name=\"g\"><member name=\"w\"/><member name=\"u\"/></group>\n" +
                 file("<include group=\"g\" time_manipulation=\"averaged\" output_frequency=\"20.0\"/>",
                      "write_time_frequency=\"100.0\" title=\"All: values\" write_on_terminate=true"));
  EXPECT_EQ(outcome.problems, "");
  EXPECT_TRUE(holds(
      outcome.yaml,
      "groups:\n  g: [w, u]\n"
      "output:\n"
      "  out.nc:\n"
      "    attributes: {title: \"All: values\", Diagnostic write frequency: \"100.0\"}\n"
      "    write_every: 100.0 s\n"
      "    file_per_write: true\n"
      "    time_stamp: end\n"
      "    date_attribute: created\n"
      "    write_attributes: {time: MONC time, step: MONC timestep, previous_time: Previous diagnostic write "
      "at}\n"
      "    also_coordinates: [z, zn]\n"
      "    option_tables:\n"
      "      options_database:\n"
      "        prefix: \"\"\n"
      "        dimension: number_options\n"
      "        width: 150\n"
      "        optional: true\n"
      "        without: [q_indicies.]\n"
      "    variables: [{group: g, time: mean, every: 20.0 s, edges: samples, axis: time_series_4_20.0}]\n"))
      << outcome.yaml;
  const auto variable = [](const std::string& include) {
    const Outcome made = translated(state + file(include));
    return made.problems + made.at("output", "out.nc", "variables");
  };
  EXPECT_EQ(variable("<include field=\"w\" time_manipulation=\"instantaneous\" output_frequency=\"{mm}\"/>"),
            "[{field: w, time: snapshot, every: \"{mm} s\", axis: \"time_series_4_{mm}\"}]\n");
  EXPECT_EQ(variable("<include field=\"w\" time_manipulation=\"none\"/>"),
            "[{field: w, time: snapshot, every: 4 steps, axis: time_series_4}]\n");
  EXPECT_EQ(variable("<include field=\"w\" time_manipulation=\"averaged\" output_frequency=\"0.0\"/>"),
            "[{field: w, time: mean, every: 4 steps, edges: samples, axis: time_series_4_0.0}]\n");
}

TEST(MoncTranslate, KnownOptionsAreFilledInAndNamesAreAsMoncWritesThem) {
  const Outcome outcome = translated(
      state + file("<include field=\"w\" time_manipulation=\"averaged\" output_frequency=\"{mm}\"/>"),
      {{"mm", "20"}});
  EXPECT_EQ(outcome.at("output", "out.nc", "variables"),
            "[{field: w, time: mean, every: 20 s, edges: samples, axis: time_series_4_20.0}]\n");
}

TEST(MoncTranslate, LegacyTakesNumbersAsMoncDoes) {
  const std::string xml =
      state + file("<include field=\"w\" time_manipulation=\"averaged\" output_frequency=\"50\"/>",
                   "write_time_frequency=\"100\"");
  const Outcome legacy = translated(xml, {{"legacy", "monc"}});
  EXPECT_EQ(legacy.at("legacy"), "monc");
  EXPECT_EQ(legacy.at("output", "out.nc", "write_every"), "1 s");
  EXPECT_EQ(legacy.at("output", "out.nc", "variables"),
            "[{field: w, time: mean, every: 0.5 s, edges: samples, axis: time_series_4_0.5}]\n");
  const Outcome usual = translated(xml);
  EXPECT_EQ(usual.at("legacy"), "(none)");
  EXPECT_EQ(usual.at("output", "out.nc", "write_every"), "100 s");
  EXPECT_TRUE(holds(usual.warnings, "a.xml:2:57  MONC reads the number 100 as 1")) << usual.warnings;
}

TEST(MoncTranslate, VariablesOfOneNameGetSuffixesOrNames) {
  const Outcome outcome = translated(
      state + definition("name=\"more\" frequency=\"4\" namespace=\"ns\"", field("w")) +
      "<group name=\"g\"><member name=\"w\"/><member name=\"u\"/></group>\n"
      "<group name=\"n\" namespace=\"ns\"><member name=\"w\"/></group>\n" +
      file("<include group=\"g\" time_manipulation=\"averaged\" output_frequency=\"20.0\"/>"
           "<include field=\"w\" time_manipulation=\"instantaneous\" output_frequency=\"20.0\"/>"
           "<include group=\"n\" time_manipulation=\"instantaneous\" output_frequency=\"20.0\"/>"));
  const std::string variables = outcome.at("output", "out.nc", "variables");
  EXPECT_TRUE(holds(variables,
                    "{field: w, time: mean, every: 20.0 s, edges: samples, axis: time_series_4_20.0, suffix: "
                    "_timeaveraged}"));
  EXPECT_TRUE(
      holds(variables, "{field: u, time: mean, every: 20.0 s, edges: samples, axis: time_series_4_20.0}"));
  EXPECT_TRUE(
      holds(variables,
            "{field: w, time: snapshot, every: 20.0 s, axis: time_series_4_20.0, name: w_instantaneous}"));
  EXPECT_TRUE(holds(
      variables,
      "{field: ns.w, time: snapshot, every: 20.0 s, axis: time_series_4_20.0, name: ns_w_instantaneous}"));
  EXPECT_TRUE(holds(outcome.warnings, "several variables of the file would be called w"));
}

TEST(MoncTranslate, QFieldsAreSplitAndMapsAreTablesOfOptions) {
  const Outcome outcome = translated(
      definition("name=\"d\" frequency=\"4\"",
                 field("w") +
                     "<field name=\"q\" type=\"array\" data_type=\"double\" size=\"z,y,x,qfields\"/>"
                     "<field name=\"m\" type=\"map\" data_type=\"string\" size=\"active_q_indicies\"/>"
                     "<field name=\"n\" type=\"map\" data_type=\"string\" optional=true/>"
                     "<field name=\"t\" type=\"scalar\" data_type=\"string\"/>") +
      "<group name=\"g\"><member name=\"w\"/><member name=\"q\"/><member name=\"m\"/></group>" +
      file("<include group=\"g\" time_manipulation=\"none\"/><include field=\"n\" "
           "time_manipulation=\"none\"/>"));
  EXPECT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.at("fields", "d", "names"), "[w]\n");
  EXPECT_EQ(outcome.at("fields", "d_qfields_x_y_z", "names"), "[q]\n");
  EXPECT_EQ(outcome.at("fields", "d_qfields_x_y_z", "dims"), "[qfields, x, \"y\", z]\n");
  EXPECT_EQ(outcome.at("groups", "g"), "[w]\n");
  EXPECT_TRUE(
      holds(outcome.yaml,
            "{group: g_by_q_field, time: snapshot, every: 4 steps, axis: time_series_4, split: qfields}"));
  EXPECT_EQ(outcome.at("output", "out.nc", "option_tables"),
            "options_database:\n  prefix: \"\"\n  dimension: number_options\n  width: 150\n  optional: true\n"
            "  without: [m., n., q_indicies.]\n"
            "m:\n  dimension: active_q_indicies\n  width: 150\n\"n\":\n  width: 150\n  optional: true\n");
  EXPECT_EQ(outcome.at("output", "out.nc", "also_coordinates"), "[z, zn]\n");
  EXPECT_EQ(outcome.at("output", "out.nc", "date_attribute"), "created");
  EXPECT_TRUE(holds(outcome.warnings, "fields of data_type string are left out"));
}

TEST(MoncTranslate, MembersOfDifferentFrequencyGetTheirOwnAxis) {
  const Outcome outcome = translated(
      state + definition("name=\"slow\" frequency=\"{n}\"", field("v")) +
          "<data-handling><diagnostic field=\"d\" type=\"array\" size=\"z,y,x\" data_type=\"double\">"
          "<operator name=\"arithmetic\" result=\"d\" equation=\"w*v\"/></diagnostic></data-handling>"
          "<group name=\"g\"><member name=\"w\"/><member name=\"v\"/><member name=\"d\"/></group>" +
          file("<include group=\"g\" time_manipulation=\"none\"/>"),
      {{"n", "8"}});
  EXPECT_EQ(outcome.problems, "");
  EXPECT_TRUE(holds(outcome.yaml, "g: [w]")) << outcome.yaml;
  EXPECT_TRUE(holds(outcome.yaml, "g_2: [v, d]"));
  EXPECT_TRUE(holds(outcome.yaml, "{group: g_2, time: snapshot, every: 8 steps, axis: time_series_8}"));
}

TEST(MoncTranslate, ImplicitFieldsAreAskedForWhereTheyAreUsed) {
  const Outcome outcome = translated(
      definition("name=\"d\" frequency=\"4\" namespace=\"ns\"", field("w")) +
      definition("name=\"e\" frequency=\"4\" namespace=\"other\"", field("w")) +
      "<group name=\"g\" namespace=\"ns\"><member name=\"time\"/><member name=\"timestep\"/></group>");
  EXPECT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.at("fields", "d", "names"), "[timestep, time]\n");
  EXPECT_EQ(outcome.at("fields", "d_x_y_z", "names"), "[w]\n");
  EXPECT_EQ(outcome.at("fields", "e", "names"), "[w]\n");
}

TEST(MoncTranslate, TheServersOwnState) {
  const Outcome both =
      translated(state + file("<include field=\"w\" time_manipulation=\"none\"/><include state=\"io\"/>"));
  EXPECT_EQ(both.at("output", "out.nc", "state"), "(none)");
  EXPECT_TRUE(holds(both.warnings, "the servers' own state is no part of this file"));
  const std::string alone = state + file("<include state=\"io\"/>");
  EXPECT_EQ(translated(alone).at("output", "out.nc"), "(none)");
  Problems problems;
  const Options beside{.values = nullptr, .legacy = false, .beside = {"checkpoint", "servers"}};
  EXPECT_TRUE(translate({{"a.xml", alone}}, beside, problems).warnings.empty());
}

TEST(MoncTranslate, LeavesOutWhatTellsOfOneProcess) {
  const Outcome outcome = translated(
      definition("name=\"d\" frequency=\"4\"",
                 field("w") + "<field name=\"local_grid_size\" type=\"array\" data_type=\"integer\"/>\n") +
      "<group name=\"g\"><member name=\"w\"/><member name=\"local_grid_size\"/></group>\n" +
      file("<include group=\"g\" time_manipulation=\"none\"/>"));
  EXPECT_EQ(outcome.problems, "");
  EXPECT_EQ(outcome.at("groups", "g"), "[w]\n");
  EXPECT_TRUE(holds(outcome.warnings, "local_grid_size is left out: it is another on each process"));
}

TEST(MoncTranslate, PlacesPointIntoTheXml) {
  const Outcome outcome =
      translated(fmt::format("\n{}", definition("name=\"d\" frequency=\"4\"", field("a"))));
  const Node& group = outcome.tree.find("fields")->value.find("d")->value;
  EXPECT_EQ(group.location.text(), "a.xml:2:24");
  EXPECT_EQ(group.find("names")->value.items[0].location.text(), "a.xml:2:54");
  EXPECT_EQ(group.find("every")->value.location.text(), "a.xml:2:38");
}

TEST(MoncTranslate, UnknownWordsAreWarnings) {
  const Outcome outcome = translated(
      "<io-configuration><dat-handling/>" +
      definition("name=\"d\" frequency=\"4\" frequenzy=3", field("a", "units=\"K\" colective=no")) +
      "</io-configuration></group>");
  EXPECT_EQ(outcome.problems, "");
  EXPECT_TRUE(
      holds(outcome.warnings, "<dat-handling> is unknown and ignored. Did you mean <data-handling>?"));
  EXPECT_TRUE(holds(outcome.warnings,
                    "the attribute \"frequenzy\" of <data-definition> is unknown and ignored. Did you mean "
                    "\"frequency\"?"));
  EXPECT_TRUE(holds(outcome.warnings, "the attribute \"colective\""));
  EXPECT_TRUE(holds(outcome.warnings, "the model sets the units of a field"));
  EXPECT_TRUE(holds(outcome.warnings, "</group> closes nothing"));
  EXPECT_TRUE(holds(translated(definition("name=\"d\" frequency=\"4\"", field("a", "optional=yes"))).warnings,
                    "\"yes\" for optional counts as false"));
}

TEST(MoncTranslate, MistakesNameThePlaceAndTheRemedy) {
  const auto problems = [](const std::string& xml) { return translated(xml).problems; };
  EXPECT_EQ(problems("<data-definition name=\"d\"></data-definition>"),
            "a.xml:1:1  <data-definition> needs the attribute \"frequency\"");
  EXPECT_TRUE(holds(problems(definition("name=\"d\" frequency=\"often\"", "")),
                    "expected a whole number of at least 0"));
  EXPECT_TRUE(holds(problems("<data-definition name=\"d\" frequency=4>"),
                    "a.xml:1:1  <data-definition> is never closed"));
  EXPECT_TRUE(holds(problems(definition("name=\"d\" frequency=4",
                                        "<field name=\"a\" type=\"aray\" data_type=\"double\"/>")),
                    "the type \"aray\" is unknown. Did you mean \"array\"?"));
  EXPECT_TRUE(
      holds(problems(definition("name=\"d\" frequency=4",
                                "<field name=\"a\" type=\"array\" size=\"zz,y\" data_type=\"double\"/>")),
            "the dimension \"zz\" is unknown"));
  EXPECT_TRUE(holds(
      problems(definition("name=\"d\" frequency=4",
                          "<field name=\"a\" type=\"array\" size=\"z,z,z,z,z\" data_type=\"double\"/>")),
      "at most 4 are expected"));
  EXPECT_TRUE(holds(problems(definition("name=\"d\" frequency=4", field("a") + field("a"))),
                    "the field \"a\" is given twice"));
  EXPECT_TRUE(holds(problems(state + state),
                    "the data definition \"state\" is given twice; the first is at a.xml:1:"));
  EXPECT_TRUE(holds(problems("<field name=\"a\" type=\"scalar\" data_type=\"double\"/>"),
                    "<field> must be in a <data-definition>"));
  EXPECT_TRUE(holds(problems("<operator name=\"a\"/>"), "<operator> must be in a <diagnostic>"));
  EXPECT_TRUE(holds(problems("<group name=\"g\"><membr name=\"a\"/></group>"),
                    "<membr> is not allowed in a <group>"));
  EXPECT_TRUE(holds(problems(state + "<group name=\"g\"><member name=\"ww\"/></group>"),
                    "\"ww\" is neither a diagnostic nor a field. Did you mean \"w\"?"));
  EXPECT_TRUE(
      holds(problems(state + "<data-handling><diagnostic field=\"w\" type=\"scalar\" data_type=\"double\">"
                             "</diagnostic></data-handling>"),
            "the diagnostic \"w\" has the name of a field"));
  EXPECT_TRUE(holds(
      problems("<data-handling><diagnostic field=\"d\" type=\"array\" data_type=\"double\"></diagnostic>"
               "</data-handling>"),
      "needs the attribute \"size\""));
}

TEST(MoncTranslate, MistakesOfFiles) {
  const auto problems = [](const std::string& includes,
                           const std::string& more = "write_time_frequency=\"100.0\"") {
    return translated(state + file(includes, more)).problems;
  };
  EXPECT_TRUE(holds(problems("", ""),
                    "<file> needs write_time_frequency (seconds) or write_timestep_frequency (steps)"));
  EXPECT_TRUE(holds(problems("", "write_time_frequency=\"0.0\""), "expected a number of at least"));
  EXPECT_TRUE(holds(problems("<include/>"), "exactly one of the attributes group, field and state"));
  EXPECT_TRUE(holds(problems("<include field=\"w\" group=\"g\"/>"), "exactly one of the attributes"));
  EXPECT_TRUE(holds(problems("<include state=\"oi\"/>"), "expected state=\"io\""));
  EXPECT_TRUE(
      holds(problems("<include field=\"w\"/>"), "<include> needs the attribute \"time_manipulation\""));
  EXPECT_TRUE(
      holds(problems("<include field=\"w\" time_manipulation=\"average\"/>"), "Did you mean \"averaged\"?"));
  EXPECT_TRUE(holds(problems("<include field=\"w\" time_manipulation=\"averaged\"/>"),
                    "needs the attribute \"output_frequency\""));
  EXPECT_TRUE(
      holds(problems("<include group=\"g\" time_manipulation=\"none\"/>"), "the group \"g\" is unknown"));
  EXPECT_TRUE(holds(problems("<include field=\"th\" time_manipulation=\"none\"/>"),
                    "\"th\" is neither a diagnostic nor a field"));
}

TEST(MoncTranslate, YamlReadsBackAsTheSameTree) {
  const Outcome outcome =
      translated(definition("name=\"3d: fields\" frequency=\"{3d_often}\" namespace=\"true\"",
                            field("on") + field("12") + field("a b")) +
                 "<group name=\"g\" namespace=\"true\"><member name=\"12\"/></group>" +
                 file("<include group=\"g\" time_manipulation=\"none\"/>",
                      "write_time_frequency=\"100.0\" title=\"12 'a' # b \\ \t\""));
  EXPECT_EQ(outcome.problems, "");
  Problems problems;
  const Node back = config::parse_yaml("back.yaml", outcome.yaml, problems);
  EXPECT_EQ(problems.text(), "");
  EXPECT_EQ(to_yaml(back), outcome.yaml);
  EXPECT_EQ(back.find("output")->value.entries[0].value.find("attributes")->value.find("title")->value.text,
            "12 'a' # b \\ \t");
  EXPECT_EQ(back.find("fields")->value.entries[0].key, "3d: fields");
}

}  // namespace
}  // namespace tailrace::dialects::monc::testing
