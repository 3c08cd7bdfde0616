#include "input/prepared.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using testing::ElementsAre;

calendar::Calendar noleap() { return calendar::Calendar("noleap", {2001, 3, 4, 5, 6, 7.25}); }

// No member has its default, and no two of a type are equal.
PreparedField elaborate() {
  Timeline timeline(noleap());
  timeline.add(1, {{0.5, 1.5}, {0, 1, 1, 2}, false, "days since 2001-03-05", "noleap"});
  timeline.add(0, {{57.5, 59.5}, {57, 58, 59, 60}, false, "days since 2004-01-01", "standard"});
  timeline.finish();
  FieldRequest request;
  request.name = "ozone";
  request.location = {"run.yml", 14, 9};
  request.variable = "group/O3";
  request.time = {
      TimeRule::mean_preserving, {CycleKind::period, 86400.5}, Outside::hold, Outside::extrapolate};
  request.time_offset = -1800.25;
  request.vertical = VerticalRequest{"p_full", {VerticalRule::logarithmic, Beyond::linear}};
  request.units = "ppmv";
  request.scale = 0.10197;
  request.offset = 273.15;
  request.missing = {MissingRequest::Kind::value, -99.5};
  request.select = {{"member", 3}, {"scenario", 1}};
  request.may_lose_bits = true;
  request.grid = "atmosphere";
  PreparedField field{.entry = {}, .request = {}, .timeline = timeline, .files = {}, .vertical = {}};
  field.field = 17;
  field.entry = "forcing";
  field.request = request;
  field.on_trouble = OnTrouble::hold;
  field.files = {"a.nc", "b \xC3\xA9.nc"};
  field.travels_as = model::DataType::int32;
  field.vertical = FileLevels{{1000.5, 850, 0.1}, true, 7};
  field.stays = true;
  field.may_grow = true;
  return field;
}

PreparedField plain() {
  Timeline timeline(noleap());
  timeline.add(0, {{5}, {}, false, "days since 2001-03-05", "noleap"});
  timeline.finish();
  PreparedField field{.entry = {}, .request = {}, .timeline = timeline, .files = {}, .vertical = {}};
  field.files = {"c.nc"};
  return field;
}

void expect_equal(const PreparedField& got, const PreparedField& sent) {
  EXPECT_EQ(got.field, sent.field);
  EXPECT_EQ(got.entry, sent.entry);
  EXPECT_EQ(got.request.name, sent.request.name);
  EXPECT_EQ(got.request.location.text(), sent.request.location.text());
  EXPECT_EQ(got.request.variable, sent.request.variable);
  EXPECT_EQ(got.request.time.rule, sent.request.time.rule);
  EXPECT_EQ(got.request.time.cycle.kind, sent.request.time.cycle.kind);
  EXPECT_EQ(got.request.time.cycle.seconds, sent.request.time.cycle.seconds);
  EXPECT_EQ(got.request.time.before, sent.request.time.before);
  EXPECT_EQ(got.request.time.after, sent.request.time.after);
  EXPECT_EQ(got.request.time_offset, sent.request.time_offset);
  ASSERT_EQ(got.request.vertical.has_value(), sent.request.vertical.has_value());
  if (sent.request.vertical) {
    EXPECT_EQ(got.request.vertical->to, sent.request.vertical->to);
    EXPECT_EQ(got.request.vertical->options.rule, sent.request.vertical->options.rule);
    EXPECT_EQ(got.request.vertical->options.beyond, sent.request.vertical->options.beyond);
  }
  EXPECT_EQ(got.request.units, sent.request.units);
  EXPECT_EQ(got.request.scale, sent.request.scale);
  EXPECT_EQ(got.request.offset, sent.request.offset);
  EXPECT_EQ(got.request.missing.kind, sent.request.missing.kind);
  EXPECT_EQ(got.request.missing.value, sent.request.missing.value);
  EXPECT_EQ(got.request.select, sent.request.select);
  EXPECT_EQ(got.request.may_lose_bits, sent.request.may_lose_bits);
  EXPECT_EQ(got.request.grid, sent.request.grid);
  EXPECT_EQ(got.on_trouble, sent.on_trouble);
  EXPECT_EQ(got.timeline.records(), sent.timeline.records());
  EXPECT_EQ(got.timeline.has_bounds(), sent.timeline.has_bounds());
  EXPECT_EQ(got.timeline.is_climatology(), sent.timeline.is_climatology());
  EXPECT_EQ(got.timeline.left_out(), sent.timeline.left_out());
  EXPECT_EQ(got.files, sent.files);
  EXPECT_EQ(got.travels_as, sent.travels_as);
  ASSERT_EQ(got.vertical.has_value(), sent.vertical.has_value());
  if (sent.vertical) {
    EXPECT_EQ(got.vertical->levels, sent.vertical->levels);
    EXPECT_EQ(got.vertical->come_with_records, sent.vertical->come_with_records);
    EXPECT_EQ(got.vertical->count, sent.vertical->count);
  }
  EXPECT_EQ(got.stays, sent.stays);
  EXPECT_EQ(got.may_grow, sent.may_grow);
}

TEST(Prepared, survives_the_journey) {
  const std::vector<PreparedField> sent{elaborate(), plain()};
  ASSERT_EQ(sent[0].timeline.left_out(), 1) << "the day to 1 March 2004";
  ASSERT_EQ(sent[0].timeline.records().size(), 3u);
  base::ByteWriter writer;
  writer.put_text("before");
  put_prepared(writer, sent);
  put_prepared(writer, {});
  writer.put_text("after");
  base::ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.get_text(), "before");
  const auto got = get_prepared(reader, noleap());
  ASSERT_EQ(got.size(), 2u);
  expect_equal(got[0], sent[0]);
  expect_equal(got[1], sent[1]);
  EXPECT_TRUE(get_prepared(reader, noleap()).empty());
  EXPECT_EQ(reader.get_text(), "after");
}

TEST(Prepared, further_records_survive_the_journey) {
  base::ByteWriter writer;
  put_further(writer, {{"d.nc"}, {{2, 3, 4.5, 4, 5}, {2, 4, 5.5, 5, 6}}});
  base::ByteReader reader(writer.bytes());
  const FurtherRecords got = get_further(reader);
  EXPECT_THAT(got.files, ElementsAre("d.nc"));
  EXPECT_THAT(got.records, ElementsAre(Record{2, 3, 4.5, 4, 5}, Record{2, 4, 5.5, 5, 6}));
  EXPECT_TRUE(reader.rest().empty());
}

TEST(Prepared, a_damaged_message_is_noticed) {
  base::ByteWriter writer;
  put_prepared(writer, std::vector<PreparedField>{elaborate()});
  const std::vector<std::byte> bytes = writer.take();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    base::ByteReader reader(std::span<const std::byte>(bytes).first(size));
    EXPECT_THROW(get_prepared(reader, noleap()), Error) << size;
  }
  base::ByteWriter unknown_file;
  PreparedField field = plain();
  field.files.clear();
  put_prepared(unknown_file, std::vector<PreparedField>{field});
  base::ByteReader reader(unknown_file.bytes());
  EXPECT_THROW(get_prepared(reader, noleap()), Error);
}

}  // namespace
}  // namespace tailrace::input
