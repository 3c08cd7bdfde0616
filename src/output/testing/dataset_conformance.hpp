// The contract of every format; the test of a new format is one call to check_format.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/testing/appending_conformance.hpp"
#include "output/testing/sample_dataset.hpp"

namespace tailrace::output::testing {

// Reads all values of a variable with an independent reader, in C order and the variable's type; called
// between commits. An empty function: the format cannot be read.
using ReadBack = std::function<Bytes(const std::string& path, const std::string& variable)>;

// An attribute that is a float64, of a variable or ("") of the dataset; nothing where there is none.
using ReadAttribute = std::function<std::optional<double>(
    const std::string& path, const std::string& variable, const std::string& name)>;

inline void check_records(const DatasetSpec& spec, const ReadBack& read, std::int64_t records) {
  if (!read) return;
  SCOPED_TRACE(std::to_string(records) + " records of " + spec.path);
  for (std::size_t i = 0; i < spec.variables.size(); ++i) {
    const VariableSpec& variable = spec.variables[i];
    const bool grows = !variable.dims.empty() && spec.dims[base::index(variable.dims[0])].unlimited;
    if (!grows && records == 0) continue;  // not written yet
    EXPECT_EQ(read(spec.path, variable.name), expected(spec, static_cast<int>(i), grows ? records : 1))
        << variable.name;
  }
  EXPECT_EQ(read(spec.path, "options"), sample_text());
}

inline void check_growth(const Format& format, const std::string& path, const ReadBack& read) {
  const DatasetSpec spec = sample_spec(path);
  const auto dataset = format.create(spec);
  check_records(spec, read, 0);
  std::uint64_t bytes = dataset->bytes_on_disk();
  for (std::int64_t record = 0; record < 7; ++record) {
    const Commit commit = sample_commit(spec, record);
    dataset->commit(commit);
    check_records(spec, read, record + 1);
    EXPECT_GE(dataset->bytes_on_disk(), bytes);
    bytes = dataset->bytes_on_disk();
    dataset->commit(commit);  // a retry of a commit that had succeeded changes nothing
    check_records(spec, read, record + 1);
  }
  dataset->commit({});
  check_records(spec, read, 7);
  dataset->close();
  dataset->close();
  check_records(spec, read, 7);
  EXPECT_EQ(dataset->bytes_on_disk() > 0, format.makes_files() || bytes > 0);
  EXPECT_THROW(dataset->commit({}), Error);
}

// Unwritten cells have the fill value, and axes may grow independently.
inline void check_gaps(const Format& format, const std::string& path, const ReadBack& read) {
  const DatasetSpec spec = sample_spec(path);
  const auto dataset = format.create(spec);
  Commit commit;
  commit.lengths = {{time_dim, 2}};
  dataset->commit(commit);
  if (read) {
    EXPECT_EQ(read(path, "theta"),
              as_bytes(model::DataType::float32, 2 * z_size * x_size, [](auto) { return -9e33; }));
    EXPECT_EQ(read(path, "flux"), Bytes{});
  }
  dataset->close();
}

// A chunk may be full before all its records are committed. It is then written once, and later commits make
// its other records visible by the lengths alone.
inline void check_ahead(const Format& format, const std::string& path, const ReadBack& read) {
  const DatasetSpec spec = sample_spec(path);
  const auto dataset = format.create(spec);
  Commit ahead;
  ahead.lengths = {{snap_dim, 1}};
  add_flux(spec, flux_records - 1, ahead);
  dataset->commit(ahead);
  for (std::int64_t records = 1; records <= flux_records; ++records) {
    if (read) {
      EXPECT_EQ(read(path, "flux"), expected(spec, flux, records)) << records << " records";
    }
    Commit more;
    more.lengths = {{snap_dim, std::min(records + 1, flux_records)}};
    dataset->commit(more);
  }
  dataset->close();
}

// Attributes that a commit brings, new ones and others, with records and without; those that are there stay.
inline void check_late_attributes(const Format& format, const std::string& path, const ReadBack& read,
                                  const ReadAttribute& attribute) {
  const DatasetSpec spec = sample_spec(path);
  const auto dataset = format.create(spec);
  Commit first = sample_commit(spec, 0);
  first.attributes = {{theta, "bound", 0.5}, {-1, "checked", 1.0}};
  dataset->commit(first);
  check_records(spec, read, 1);
  for (std::int64_t record = 1; record < 4; ++record) dataset->commit(sample_commit(spec, record));
  Commit last;
  last.attributes = {{theta, "bound", 0.25}, {-1, "factor", 2.0}, {flux, "bound", 0.125}};
  dataset->commit(last);
  dataset->commit(last);  // as after a failure that came too late
  check_records(spec, read, 4);
  last.attributes = {{static_cast<int>(spec.variables.size()), "bound", 1.0}};
  EXPECT_THROW(dataset->commit(last), Error);
  dataset->close();
  check_records(spec, read, 4);
  if (!attribute) return;
  EXPECT_EQ(attribute(path, "theta", "bound"), 0.25);
  EXPECT_EQ(attribute(path, "flux", "bound"), 0.125);
  EXPECT_EQ(attribute(path, "", "checked"), 1.0);
  EXPECT_EQ(attribute(path, "", "factor"), 2.0);
  EXPECT_EQ(attribute(path, "", "bound"), std::nullopt);
}

// A commit that does not fit the spec is a bug of the caller: it throws Error(internal) and changes nothing.
inline void check_misuse(const Format& format, const std::string& path, const ReadBack& read) {
  const DatasetSpec spec = sample_spec(path);
  const auto dataset = format.create(spec);
  dataset->commit(sample_commit(spec, 0));
  const auto refuses = [&](const Commit& commit) {
    try {
      dataset->commit(commit);
      ADD_FAILURE() << "accepted a commit that does not fit the spec";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::internal);
    }
    check_records(spec, read, 1);
  };
  refuses({{{time_dim, 0}}, {}, {}});                                      // shrinks
  refuses({{{z_dim, z_size + 1}}, {}, {}});                                // is not unlimited
  refuses({{}, {{theta, {1, 0, 0}, Bytes(80), true}}, {}});                // past the end
  refuses({{{time_dim, 2}}, {{theta, {1, 0, 1}, Bytes(80), true}}, {}});   // not aligned
  refuses({{{time_dim, 2}}, {{theta, {1, 0, 0}, Bytes(79), false}}, {}});  // not a chunk
  refuses({{{time_dim, 2}}, {}, {plain(spec, time_var, 2)}});              // records past the end
  refuses({{}, {}, {{z_var, 0, Bytes(8)}}});                               // not all values
  dataset->close();
}

inline void check_refusals(const Format& format, const std::string& path) {
  const auto message = [&](auto change) -> std::string {
    DatasetSpec spec = sample_spec(path);
    change(spec);
    try {
      format.create(spec);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration);
      return error.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.variables[theta].name = "a/b"; }),
              HasSubstr("variable \"a/b\": the name has a \"/\""));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.dims[z_dim].name = std::string(300, 'n'); }),
              HasSubstr("nnn...\": the name has 300 bytes; at most 256 are possible"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.attributes.emplace_back("_NCProperties", "mine"); }),
              HasSubstr(": attribute \"_NCProperties\" is reserved: netCDF or HDF5 uses it internally"));
  EXPECT_THAT(message([](DatasetSpec& spec) {
                spec.variables[theta].attributes.emplace_back("DIMENSION_LIST", "mine");
              }),
              HasSubstr("variable \"theta\": attribute \"DIMENSION_LIST\" is reserved"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.texts[0].attributes.emplace_back("_FillValue", 1.0); }),
              HasSubstr("attribute \"_FillValue\" is written automatically"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.variables[theta].name = "flux"; }),
              HasSubstr("two variables are called \"flux\""));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.dims[z_dim].name = "x"; }),
              HasSubstr("two dimensions are called \"x\""));
  EXPECT_THAT(message([](DatasetSpec& spec) {
                spec.variables[theta].dims = {z_dim, time_dim, x_dim};
              }),
              HasSubstr("variable \"theta\": the unlimited dimension \"time\" must be the first"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.texts[0].name = "flux"; }),
              HasSubstr("two variables are called \"flux\""));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.texts[0].name = "x"; }),
              HasSubstr("text \"x\" has the name of a dimension"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.variables[theta].chunk = {}; }),
              HasSubstr("needs a chunk shape"));
  EXPECT_THAT(message([](DatasetSpec& spec) {
                spec.variables[theta].chunk = {1, 1};
              }),
              HasSubstr("the chunk shape has 2 dimensions, the variable 3"));
}

// `directory` is empty; a format without files leaves it empty.
inline void check_format(const Format& format, const std::string& directory, const ReadBack& read,
                         bool has_chunks = true, const ReadAttribute& attribute = {}) {
  check_growth(format, directory + "/growth.nc", read);
  check_gaps(format, directory + "/gaps.nc", read);
  check_ahead(format, directory + "/ahead.nc", read);
  check_late_attributes(format, directory + "/late.nc", read, attribute);
  check_misuse(format, directory + "/misuse.nc", read);
  check_refusals(format, directory + "/refusals.nc");
  check_appending(
      format, directory,
      [&read](const DatasetSpec& spec, std::int64_t records) { check_records(spec, read, records); },
      has_chunks);
}

}  // namespace tailrace::output::testing
