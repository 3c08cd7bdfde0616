#include "input/preview/preview.hpp"

#include <gmock/gmock.h>

namespace tailrace::input {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double day = 86400.0;

calendar::Calendar model() { return calendar::Calendar("noleap", {.year = 2026}); }

// Days since the start of the run, with two bounds for each or none.
Coverage coverage(std::vector<double> days, std::vector<double> bounds = {}) {
  Timeline made(model());
  made.add(0, TimeAxis{std::move(days), std::move(bounds), false, "days since 2026-01-01", "noleap"});
  made.finish();
  return coverage_of(made);
}

TEST(Coverage, IsOfAllRecords) {
  const Coverage found = coverage({0.5, 1.5, 2.5});
  EXPECT_EQ(found.records, 3);
  EXPECT_EQ(found.first, 0.5 * day);
  EXPECT_EQ(found.last, 2.5 * day);
  EXPECT_EQ(found.step, day);
  EXPECT_TRUE(found.is_regular);
  EXPECT_THAT(found.gaps, IsEmpty());
  EXPECT_EQ(words_of(found, model()),
            "3 records from 2026-01-01T12:00:00 to 2026-01-03T12:00:00, one in 1 d");
}

TEST(Coverage, IsOfOneRecordToo) {
  EXPECT_EQ(words_of(coverage({1.0}), model()), "1 record, of 2026-01-02T00:00:00");
  EXPECT_EQ(words_of(coverage({0.5}, {0.0, 1.0}), model()),
            "1 record from 2026-01-01T00:00:00 to 2026-01-02T00:00:00");
  EXPECT_EQ(words_of(Coverage{}, model()), "no records");
}

// 31, 28 and 31 days are no gaps; without a month they are.
TEST(Coverage, TellsMonthsFromGaps) {
  const Coverage whole = coverage({0, 31, 59, 90, 120});
  EXPECT_THAT(whole.gaps, IsEmpty());
  EXPECT_FALSE(whole.is_regular);
  EXPECT_EQ(words_of(whole, model()),
            "5 records from 2026-01-01T00:00:00 to 2026-05-01T00:00:00, one in about 31 d");
  const Coverage broken = coverage({0, 31, 90, 120});
  EXPECT_THAT(broken.gaps, ElementsAre(Gap{31 * day, 90 * day}));
  EXPECT_EQ(words_of(broken.gaps[0], model()), "no records from 2026-02-01T00:00:00 to 2026-04-01T00:00:00");
}

TEST(Coverage, SeesGapsBetweenIntervals) {
  const Coverage found = coverage({0.5, 1.5, 3.0}, {0, 1, 1, 2, 2.5, 3.5});
  EXPECT_EQ(found.first, 0.0);
  EXPECT_EQ(found.last, 3.5 * day);
  EXPECT_THAT(found.gaps, ElementsAre(Gap{2 * day, 2.5 * day}));
}

TEST(Coverage, CountsInSecondsWithoutDates) {
  Coverage found;
  found.records = 2;
  found.step = found.last = 90.0;
  EXPECT_EQ(words_of(found, calendar::Calendar()), "2 records from 0 s to 90 s, one in 90 s");
  EXPECT_EQ(length_words(6 * 3600.0), "6 h");
}

FieldPreview sst() {
  FieldPreview field{.name = "sst", .variable = "tos(time, lat, lon) of float"};
  field.coverage = coverage({0, 0.5, 1, 2, 2.5, 3, 3.5});
  field.record_bytes = 1024.0;
  field.held_records = 6.0;
  field.warnings = {"run.yaml:3:7: late"};
  return field;
}

FieldPreview orog() {
  FieldPreview field{.name = "orog", .variable = "z"};
  field.coverage = coverage({0});
  field.record_bytes = 512.0;
  field.held_records = 1.0;
  field.is_read_once = true;
  return field;
}

TEST(Preview, IsDescribedWithTimesVolumeAndMemory) {
  Entry forcing, fixed, stream;
  forcing.name = "forcing";
  forcing.lead_seconds = 2 * day;
  fixed.name = "fixed";
  fixed.lead_records = 2;
  fixed.on_trouble = OnTrouble::hold;
  stream.name = "stream";
  stream.source = Adios2Source{.is_stream = true};
  stream.lead_records = 1;
  const std::vector<EntryPreview> entries{
      {.entry = &forcing, .files = {"a.nc", "b.nc", "c.nc"}, .fields = {sst()}},
      {.entry = &fixed, .files = {"d.nc"}, .fields = {orog()}},
      {.entry = &stream},
      {.entry = &fixed}};
  EXPECT_EQ(describe(entries, model(), 1024.0),
            "input of 2 fields: 2 KiB a day of model time, 512 B once; the servers hold up to 6.5 KiB\n"
            "warning: that is more than `servers.memory` of all servers, 1 KiB; they read less far ahead\n"
            "├─ forcing: 3 files, a.nc to c.nc, read 2 d ahead, on trouble: stop\n"
            "│  └─ sst: tos(time, lat, lon) of float, 7 records from 2026-01-01T00:00:00 to "
            "2026-01-04T12:00:00, one in 12 h, 1 KiB each; 2 KiB a day of model time\n"
            "│     ├─ warning: run.yaml:3:7: late\n"
            "│     └─ no records from 2026-01-02T00:00:00 to 2026-01-03T00:00:00\n"
            "├─ fixed: d.nc, read 2 records ahead, on trouble: hold\n"
            "│  └─ orog: z, 1 record, of 2026-01-01T00:00:00, 512 B each; 512 B once\n"
            "├─ stream: a stream, which opens with the job, read 1 record ahead, on trouble: stop\n"
            "└─ fixed: files whose names the model's options complete, read 2 records ahead, on trouble: "
            "hold\n");
  EXPECT_EQ(describe({}, model(), 0.0), "");
}

}  // namespace
}  // namespace tailrace::input
