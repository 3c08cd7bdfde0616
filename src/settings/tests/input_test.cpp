#include "settings/input/input.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "config/testing/section_conformance.hpp"
#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

input::Options read(const std::string& yaml) {
  config::testing::Attempt attempt;
  input::Options options = config::testing::read(input_section(), yaml, attempt);
  EXPECT_EQ(attempt.problems.text(), "") << yaml;
  return options;
}

input::FieldRequest field(const std::string& options) {
  const input::Options all = read("input: {a: {files: a.nc, fields: {sst: {" + options + "}}}}");
  const input::FieldRequest* found = all.find("sst");
  return found == nullptr ? input::FieldRequest() : *found;
}

TEST(InputSection, IsASection) { config::testing::check_section(input_section()); }

TEST(InputSection, ReadsWhatTheGuideShows) {
  const input::Options options = read(R"(input:
  forcing:
    files: forcing/era5_{time:%Y%m}.nc
    lead: 2 d
    fields:
      sst:   {variable: tos, time: linear, units: K}
      sic:   {variable: siconc, time: linear, missing: 0}
      ozone: {variable: O3, time: {cycle: year, interpolate: linear}, vertical: {to: p_full, interpolate: log}}
      orog:  {variable: z, time: none, scale: 0.10197}
)");
  ASSERT_EQ(options.entries.size(), 1U);
  const input::Entry& entry = options.entries[0];
  EXPECT_EQ(entry.name, "forcing");
  EXPECT_EQ(entry.location.text(), "run.yaml:2:3");
  EXPECT_THAT(entry.files, ElementsAre("forcing/era5_{time:%Y%m}.nc"));
  EXPECT_EQ(entry.files_location_text, "run.yaml:3:12");
  EXPECT_TRUE(std::holds_alternative<input::NetcdfSource>(entry.source));
  EXPECT_EQ(entry.lead_seconds, 172800.0);
  EXPECT_FALSE(entry.lead_records);
  EXPECT_EQ(entry.wait_for, 0.0);
  EXPECT_EQ(entry.on_trouble, input::OnTrouble::stop);
  ASSERT_EQ(entry.fields.size(), 4U);
  EXPECT_EQ(entry.fields[0].variable, "tos");
  EXPECT_EQ(entry.fields[0].units, "K");
  EXPECT_EQ(entry.fields[0].location.text(), "run.yaml:6:7");
  EXPECT_EQ(entry.fields[1].missing.kind, input::MissingRequest::Kind::value);
  EXPECT_EQ(entry.fields[1].missing.value, 0.0);
  EXPECT_EQ(entry.fields[2].time.cycle.kind, input::CycleKind::year);
  EXPECT_EQ(entry.fields[2].time.rule, input::TimeRule::linear);
  ASSERT_TRUE(entry.fields[2].vertical);
  EXPECT_EQ(entry.fields[2].vertical->to, "p_full");
  EXPECT_EQ(entry.fields[2].vertical->options.rule, input::VerticalRule::logarithmic);
  EXPECT_EQ(entry.fields[3].time.rule, input::TimeRule::none);
  EXPECT_EQ(entry.fields[3].scale, 0.10197);
  EXPECT_EQ(options.find("orog"), &entry.fields[3]);
  EXPECT_EQ(options.find("forcing"), nullptr);
}

TEST(InputSection, HasDefaults) {
  const input::FieldRequest plain = field("");
  EXPECT_EQ(plain.variable, "sst");
  EXPECT_EQ(plain.time.rule, input::TimeRule::linear);
  EXPECT_EQ(plain.time.cycle.kind, input::CycleKind::none);
  EXPECT_EQ(plain.time.before, input::Outside::refuse);
  EXPECT_EQ(plain.time.after, input::Outside::refuse);
  EXPECT_EQ(plain.missing.kind, input::MissingRequest::Kind::refuse);
  EXPECT_EQ(plain.scale, 1.0);
  EXPECT_EQ(plain.offset, 0.0);
  EXPECT_FALSE(plain.vertical || plain.may_lose_bits);
  const input::Options options = read("input: {a: {files: a.nc, fields: {sst: {}}}}");
  EXPECT_EQ(options.entries[0].lead_records, 2);
}

TEST(InputSection, ReadsTheOptionsOfAField) {
  const input::FieldRequest all = field(
      "variable: ocean/tos, time: {rule: nearest, offset: -12 h, before: hold, after: hold}, scale: -2, "
      "offset: "
      "273.15, missing: nearest, select: {member: 3, depth: 0}, narrow: true, grid: ocean, vertical: {to: z, "
      "extrapolate: linear}");
  EXPECT_EQ(all.variable, "ocean/tos");
  EXPECT_EQ(all.time.rule, input::TimeRule::nearest);
  EXPECT_EQ(all.time_offset, -43200.0);
  EXPECT_EQ(all.time.before, input::Outside::hold);
  EXPECT_EQ(all.time.after, input::Outside::hold);
  EXPECT_EQ(all.scale, -2.0);
  EXPECT_EQ(all.offset, 273.15);
  EXPECT_EQ(all.missing.kind, input::MissingRequest::Kind::nearest);
  EXPECT_EQ(all.select, (input::Selected{{"depth", 0}, {"member", 3}}));
  EXPECT_TRUE(all.may_lose_bits);
  EXPECT_EQ(all.grid, "ocean");
  EXPECT_EQ(all.vertical->options.rule, input::VerticalRule::linear);
  EXPECT_EQ(all.vertical->options.beyond, input::Beyond::linear);
  EXPECT_EQ(field("missing: keep").missing.kind, input::MissingRequest::Kind::keep);
}

TEST(InputSection, ReadsEveryRuleOfTime) {
  const std::vector<std::pair<std::string, input::TimeRule>> rules{
      {"exact", input::TimeRule::exact},   {"previous", input::TimeRule::previous},
      {"next", input::TimeRule::next},     {"nearest", input::TimeRule::nearest},
      {"linear", input::TimeRule::linear}, {"mean_preserving", input::TimeRule::mean_preserving},
      {"none", input::TimeRule::none}};
  for (const auto& [word, rule] : rules) EXPECT_EQ(field("time: " + word).time.rule, rule) << word;
  const auto day = field("time: {cycle: day}").time.cycle;
  EXPECT_EQ(day.kind, input::CycleKind::period);
  EXPECT_EQ(day.seconds, 86400.0);
  EXPECT_EQ(field("time: {cycle: 36 h, rule: previous}").time.cycle.seconds, 129600.0);
  EXPECT_EQ(field("time: {offset: +1 d}").time_offset, 86400.0);
}

TEST(InputSection, ReadsWhereRecordsComeFrom) {
  const input::Options options = read(
      "input:\n"
      "  a: {files: [b.nc, 'c_*.nc', /d/e.nc, 'https://f/g.nc'], lead: 4 records, wait_for: 10 min,\n"
      "      on_trouble: hold, fields: {u: {}}}\n"
      "  b: {files: b.zarr, source: xarray, fields: {v: {}}}\n"
      "  c: {source: {python: 'read.py:open', interpreter: env/bin/python}, fields: {w: {}}}\n"
      "  d: {files: d.bp, source: {adios2: stream}, fields: {t: {}}}\n"
      "  e: {files: e.grib, source: {python: 'my.package:open'}, fields: {q: {}}}\n");
  ASSERT_EQ(options.entries.size(), 5U);
  EXPECT_THAT(options.entries[0].files, ElementsAre("b.nc", "c_*.nc", "/d/e.nc", "https://f/g.nc"));
  EXPECT_EQ(options.entries[0].lead_records, 4);
  EXPECT_EQ(options.entries[0].wait_for, 600.0);
  EXPECT_EQ(options.entries[0].on_trouble, input::OnTrouble::hold);
  EXPECT_EQ(std::get<input::PythonSource>(options.entries[1].source).function, "");
  EXPECT_TRUE(options.entries[2].files.empty());
  EXPECT_EQ(std::get<input::PythonSource>(options.entries[2].source).function, "read.py:open");
  EXPECT_EQ(std::get<input::PythonSource>(options.entries[2].source).interpreter, "env/bin/python");
  EXPECT_TRUE(std::get<input::Adios2Source>(options.entries[3].source).is_stream);
  EXPECT_EQ(std::get<input::PythonSource>(options.entries[4].source).function, "my.package:open");
}

TEST(InputSection, NamesAreRelativeToTheConfiguration) {
  const std::map<std::string, std::string> given{{"case", "x"}};
  const Configuration configuration = parse_configuration(
      {{"jobs/run.yaml",
        "tailrace: 1\ninput: {a: {files: \"{case}/f.nc\", source: {python: 'r.py:f'}, fields: {u: {}}}}\n"}},
      &given);
  const input::Entry& entry = configuration.sections.get<input::Options>().entries[0];
  EXPECT_THAT(entry.files, ElementsAre("jobs/x/f.nc"));
  EXPECT_EQ(std::get<input::PythonSource>(entry.source).function, "jobs/r.py:f");
}

TEST(InputSection, TellsWhatIsWrong) {
  const std::string sst = "fields: {sst: {}}";
  const auto entry = [](const std::string& options) { return "input: {a: {" + options + "}}"; };
  const auto of_field = [&](const std::string& options) {
    return entry("files: a.nc, fields: {sst: {" + options + "}}");
  };
  config::testing::check_mistakes(
      input_section(),
      {{.yaml = entry("files: a.nc"),
        .told = "run.yaml:1:12  input.a: \"fields\" is missing (a map of named entries)"},
       {.yaml = entry("files: a.nc, fields: {}"),
        .told = "run.yaml:1:34  input.a.fields: expected at least one field"},
       {.yaml = entry(sst), .told = "run.yaml:1:12  input.a: \"files\" is missing (a text, or a list)"},
       {.yaml = entry("source: xarray, " + sst),
        .told = "run.yaml:1:12  input.a: \"files\" is missing; only a Python function of `source` can do "
                "without"},
       {.yaml = entry("files: 'a_{tine:%Y}.nc', " + sst),
        .told = "run.yaml:1:20  input.a.files: only `{time:...}` can have a form, but \"tine\" has one. Did "
                "you mean "
                "\"time\"? (known: time)"},
       {.yaml = entry("files: a.nc, lead: soon, " + sst),
        .told = "run.yaml:1:32  input.a.lead: expected a length of time such as `2 d`, or a number of "
                "records such "
                "as `4`, but got \"soon\""},
       {.yaml = entry("files: a.nc, source: {interpreter: python3}, " + sst),
        .told = "run.yaml:1:34  input.a.source: expected either `python` or `adios2`\n"
                "run.yaml:1:48  input.a.source.interpreter: is for `python`; expected both"},
       {.yaml = entry("files: a.nc, source: {python: read.py}, " + sst),
        .told = "run.yaml:1:43  input.a.source.python: expected `module:function`, `file.py:function` or "
                "`xarray`, but "
                "got \"read.py\""},
       {.yaml = entry("files: [a.bp, b.bp], source: {adios2: stream}, " + sst),
        .told = "run.yaml:1:20  input.a.files: expected a single name, since the source is a stream"},
       {.yaml = of_field("time: linaer"),
        .told = "run.yaml:1:47  input.a.fields.sst.time: \"linaer\" is unknown. Did you mean \"linear\"? "
                "(known: exact, "
                "linear, mean_preserving, nearest, next, none, previous)"},
       {.yaml = of_field("time: {cycle: yaer}"),
        .told = "run.yaml:1:55  input.a.fields.sst.time.cycle: \"yaer\" is unknown. Did you mean \"year\"? "
                "(known: day, "
                "year); expected `year`, `day`, or a length of time such as `10 d`"},
       {.yaml = of_field("time: {cycle: 3 months}"),
        .told = "run.yaml:1:55  input.a.fields.sst.time.cycle: expected `year`, `day`, or a length of time "
                "such as "
                "`10 d`, but got \"3 months\""},
       {.yaml = of_field("time: {cycle: year, rule: none}"),
        .told = "run.yaml:1:55  input.a.fields.sst.time.cycle: `none` takes the only record at any time; "
                "expected "
                "another rule with this"},
       {.yaml = of_field("time: {cycle: year, before: hold}"),
        .told = "run.yaml:1:69  input.a.fields.sst.time.before: a `cycle` has no first and no last record; "
                "expected "
                "only one of them"},
       {.yaml = of_field("time: {rule: exact, after: hold}"),
        .told = "run.yaml:1:68  input.a.fields.sst.time.after: `exact` expects a record for each time; "
                "expected another "
                "rule with this"},
       {.yaml = of_field("time: {rule: next, after: extrapolate}"),
        .told = "run.yaml:1:67  input.a.fields.sst.time.after: this rule takes records as they are; expected "
                "`hold`, or "
                "`rule: linear` with this"},
       {.yaml = of_field("vertical: {to: z, extrapolate: missing}"),
        .told = "run.yaml:1:72  input.a.fields.sst.vertical.extrapolate: missing levels are an error where "
                "`missing` of "
                "the field gives them no value; expected a number or `keep` there, or `hold` or `linear` "
                "here"},
       {.yaml = of_field("missing: nearst"),
        .told = "run.yaml:1:50  input.a.fields.sst.missing: expected a number, `refuse`, `nearest` or "
                "`keep`, but got "
                "\"nearst\". Did you mean \"nearest\"? (known: keep, nearest, refuse)"},
       {.yaml = of_field("units: kelvinn"),
        .told = "run.yaml:1:48  input.a.fields.sst.units: expected units that UDUNITS knows, such as `K` or "
                "`kg m-2 "
                "s-1`, but got \"kelvinn\""},
       {.yaml =
            "input:\n  a: {files: a.nc, fields: {sst: {}}}\n  b: {files: b.nc, fields: {u: {}, sst: {}}}\n",
        .told = "run.yaml:3:36  input.b.fields.sst: \"a\" gives a field of this name too, at run.yaml:2:29; "
                "expected a "
                "name of its own for each"}});
}

TEST(InputSection, NeedsACalendarForDates) {
  const std::string input =
      "input:\n  a: {files: 'a_{time:%Y}.nc', fields: {sst: {time: {cycle: year}}}}\n"
      "  b: {files: b.bp, source: {adios2: stream}, fields: {u: {time: {cycle: day}}}}\n";
  EXPECT_EQ(testing::complaint("tailrace: 1\n" + input),
            "run.yaml:3:3  input.a.files: \"a_{time:%Y}.nc\" has dates, and `model_time.calendar` is none; "
            "expected a calendar, or a pattern with `*`\n"
            "run.yaml:3:41  input.a.fields.sst.time.cycle: `year` needs dates, and `model_time.calendar` is "
            "none; expected a calendar, or a length of time\n"
            "run.yaml:4:55  input.b.fields.u.time.cycle: the records of a stream do not come again; expected "
            "a field without `cycle`");
  EXPECT_EQ(testing::complaint("tailrace: 1\nmodel_time: {calendar: noleap, start: 2026-01-01}\ninput:\n  a: "
                               "{files: 'a_{time:%Y}.nc', fields: {sst: {time: {cycle: year}}}}\n"),
            "none");
}

}  // namespace
}  // namespace tailrace::settings
