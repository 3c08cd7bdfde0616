// The contract of a format that can append to files of earlier runs; check_format calls it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/error.hpp"
#include "output/testing/sample_dataset.hpp"

namespace tailrace::output::testing {

// The commit of a run that does not have the values of the records before `kept`.
inline Commit commit_of_later_run(const DatasetSpec& spec, std::int64_t record, std::int64_t kept) {
  Commit commit = sample_commit(spec, record);
  for (EncodedChunk& chunk : commit.chunks) {
    if (chunk.variable != flux || chunk.offset[0] >= kept) continue;
    const VariableSpec& described = spec.variables[flux];
    const auto codec = codecs::make_codec(described.codec);
    const std::size_t size = flux_records * x_chunk * sizeof(double);
    Bytes raw = chunk.filtered ? codec->decode(chunk.bytes, size, sizeof(double)) : chunk.bytes.copy();
    const auto unknown = std::min(kept - chunk.offset[0], flux_records);
    std::fill_n(raw.begin(), unknown * x_chunk * static_cast<std::int64_t>(sizeof(double)), std::byte{0x5a});
    chunk.bytes = chunk.filtered ? codec->encode(raw, describe_chunk(described)) : raw;
    if (record == kept) chunk.committed_records = 0;
  }
  return commit;
}

using CheckRecords = std::function<void(const DatasetSpec& spec, std::int64_t records)>;

// `written`: the records of the first run; `kept`: those that the second run keeps.
inline void check_append(const Format& format, const std::string& path, const CheckRecords& check,
                         std::int64_t written, std::int64_t kept) {
  SCOPED_TRACE(std::to_string(kept) + " of " + std::to_string(written) + " records stay");
  DatasetSpec spec = sample_spec(path);
  {
    const auto first = format.create(spec);
    for (std::int64_t record = 0; record < written; ++record) first->commit(sample_commit(spec, record));
    first->close();
  }
  const auto axes = format.existing_axes(path);
  ASSERT_TRUE(axes.contains("time"));
  EXPECT_EQ(axes.at("time").times.size(), static_cast<std::size_t>(written));
  EXPECT_EQ(axes.at("time").bounds.size(), static_cast<std::size_t>(2 * written));
  EXPECT_EQ(axes.at("time").units, "seconds since 2000-01-01");
  spec.if_exists = IfExists::append;
  spec.kept = {{time_dim, kept}, {snap_dim, kept}};
  const auto dataset = format.create(spec);
  check(spec, kept);
  for (std::int64_t record = kept; record < written + 4; ++record) {
    dataset->commit(commit_of_later_run(spec, record, kept));
    check(spec, record + 1);
  }
  dataset->close();
  check(spec, written + 4);
}

// `has_chunks`: the format stores chunks, so it can append only with the same chunk shapes and codecs.
inline void check_what_does_not_fit(const Format& format, const std::string& path, bool has_chunks) {
  const auto message = [&](auto change) -> std::string {
    DatasetSpec spec = sample_spec(path);
    spec.if_exists = IfExists::append;
    spec.kept = {{time_dim, 2}, {snap_dim, 2}};
    change(spec);
    try {
      format.create(spec);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::resource);
      return error.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.variables[theta].name = "other"; }),
              HasSubstr(path + ": cannot be continued: it has no variable \"other\""));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.variables[count].type = model::DataType::int16; }),
              HasSubstr("its variable \"count\" is not of the type int16"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.dims[x_dim].size = 6; }), HasSubstr("this run writes"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.variables.pop_back(); }),
              HasSubstr("its variable \"shorts\" is not among those of this run"));
  if (!has_chunks) return;
  EXPECT_THAT(
      message([](DatasetSpec& spec) { spec.variables[theta].chunk[2] = 3; }),
      HasSubstr("its variable \"theta\" has chunks of 1 x 5 x 4, and this run writes chunks of 1 x 5 x 3"));
  EXPECT_THAT(message([](DatasetSpec& spec) {
                spec.variables[theta].codec = {"zstd", 1, true};
              }),
              HasSubstr("its variable \"theta\" has another compression than in this run, zstd"));
}

inline void check_appending(const Format& format, const std::string& directory, const CheckRecords& check,
                            bool has_chunks) {
  if (!format.can_append()) {
    EXPECT_THROW(format.existing_axes(directory + "/any.nc"), Error);
    return;
  }
  for (const std::int64_t kept : {0, 1, 4, 5, 6})
    check_append(format, directory + "/on_" + std::to_string(kept) + ".nc", check, 6, kept);
  const std::string path = directory + "/on_6.nc";
  check_what_does_not_fit(format, path, has_chunks);
  check(sample_spec(path), 10);
  EXPECT_THROW(format.existing_axes(directory + "/none.nc"), Error);
}

}  // namespace tailrace::output::testing
