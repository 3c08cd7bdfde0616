// The zarr format: the contract, the files on disk, existing paths, and rejected input.
#include <fmt/format.h>

#include "output/testing/dataset_conformance.hpp"
#include "output/tests/raw_files.hpp"
#include "output/tests/read_zarr.hpp"
#include "output/zarr/existing.hpp"

namespace tailrace::output {
namespace {

using ::testing::HasSubstr;
using testing::read_zarr;
using testing::sample_commit;
using testing::sample_spec;

class ZarrFormat : public testing::NetcdfFormat {};

const Format& format() { return *find_format("zarr"); }

TEST_F(ZarrFormat, keeps_the_contract) {
  testing::check_format(format(), directory_, &read_zarr, true, &testing::zarr_attribute);
}

TEST_F(ZarrFormat, every_codec_is_one_of_the_specification) {
  for (const codecs::CodecOptions& codec : {codecs::CodecOptions{"none", 1, true},
                                            {"zlib", 6, true},
                                            {"zlib", 1, false},
                                            {"zstd", 19, true},
                                            {"zstd", 3, false}}) {
    const auto spec = sample_spec(path(fmt::format("{}_{}.zarr", codec.codec, codec.shuffle)), codec);
    const auto dataset = format().create(spec);
    for (std::int64_t record = 0; record < 5; ++record) dataset->commit(sample_commit(spec, record));
    dataset->close();
    testing::check_records(spec, &read_zarr, 5);
    const auto codecs = testing::zarr_json(spec.path + "/theta").at("codecs");
    if (codec.codec == "none") {
      EXPECT_EQ(codecs.size(), 1u);
      continue;
    }
    EXPECT_EQ(codecs[1].at("name"), "blosc");
    EXPECT_EQ(codecs[1].at("configuration").at("cname"), codec.codec);
    EXPECT_EQ(codecs[1].at("configuration").at("shuffle"), codec.shuffle ? "shuffle" : "noshuffle");
    EXPECT_EQ(codecs[1].at("configuration").at("typesize"), 4);
    EXPECT_LE(codecs[1].at("configuration").at("clevel"), 9);
  }
}

TEST_F(ZarrFormat, an_incompressible_chunk_is_stored_uncompressed) {
  DatasetSpec spec;
  spec.path = path("noise.zarr");
  spec.dims = {{"x", 4096, false}};
  spec.variables = {{"noise", model::DataType::uint8, {0}, {4096}, {"zstd", 1, true}, {}, {}}};
  const auto noise = testing::pattern(4096, 3);
  const auto dataset = format().create(spec);
  dataset->commit({{}, {testing::encoded(spec, 0, {0}, noise, true)}, {}});
  EXPECT_EQ(read_zarr(spec.path, "noise"), noise);
  EXPECT_EQ(std::filesystem::file_size(spec.path + "/noise/c/0"), 4096u + 16u);
}

TEST_F(ZarrFormat, metadata_agree_with_netcdf) {
  const auto spec = sample_spec(path("said.zarr"));
  format().create(spec)->close();
  const auto group = testing::zarr_json(spec.path);
  const auto& attributes = group.at("attributes");
  EXPECT_EQ(attributes.at("title"), "Sämple");
  EXPECT_EQ(attributes.at("seed"), std::int64_t{1} << 40);
  EXPECT_EQ(attributes.at("range"), (std::vector<double>{-1.0, 1.0}));
  EXPECT_EQ(attributes.at("_nc_unlimited_dimensions"), (std::vector<std::string>{"time", "time_snap"}));
  EXPECT_EQ(attributes.at("_nc_attribute_types").at("shorts").at("scale_factor"), "float32");
  const auto theta = testing::zarr_json(spec.path + "/theta");
  EXPECT_EQ(theta.at("dimension_names"), (std::vector<std::string>{"time", "z", "x"}));
  EXPECT_EQ(theta.at("attributes").at("_FillValue"),
            "AAAAgL+7+8Y=");  // the form in which xarray writes -9e33 of float32
  EXPECT_EQ(theta.at("fill_value").get<double>(), static_cast<double>(-9e33F));
  EXPECT_FALSE(testing::zarr_json(spec.path + "/flux").at("attributes").contains("_FillValue"));
}

TEST_F(ZarrFormat, records_are_added_in_place_and_a_full_chunk_replaces_it) {
  const auto spec = sample_spec(path("joins.zarr"));
  const auto dataset = format().create(spec);
  dataset->commit(sample_commit(spec, 0));
  const std::string chunk = spec.path + "/flux/c/0/0";
  const auto raw = testing::open(chunk, env::Access::read);
  EXPECT_EQ(std::filesystem::file_size(chunk), 16u + 96u);
  dataset->commit(sample_commit(spec, 1));
  EXPECT_TRUE(raw->is_file_at(chunk));
  dataset->commit(sample_commit(spec, 2));
  EXPECT_FALSE(raw->is_file_at(chunk));
  EXPECT_LT(std::filesystem::file_size(chunk), 16u + 96u);
  testing::check_records(spec, &read_zarr, 3);
}

std::string message_of(const DatasetSpec& spec) {
  try {
    format().create(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(ZarrFormat, existing_path_is_replaced_only_if_it_is_a_store) {
  auto spec = sample_spec(path("there.zarr"));
  testing::put_contents(spec.path, testing::pattern(10, 1));
  EXPECT_THAT(message_of(spec), HasSubstr("there.zarr: exists, and is a file; a Zarr store is a directory"));
  std::filesystem::remove(spec.path);
  std::filesystem::create_directories(spec.path + "/precious");
  EXPECT_THAT(message_of(spec), HasSubstr("exists, and is not replaced, as it is not a Zarr store"));
  std::filesystem::remove_all(spec.path);
  const auto first = format().create(spec);
  first->commit(sample_commit(spec, 0));
  EXPECT_THAT(message_of(spec), HasSubstr("is being written by another session"));
  first->close();
  spec.if_exists = IfExists::fail;
  EXPECT_THAT(message_of(spec), HasSubstr("exists, and is not replaced; expected another path"));
  testing::check_records(spec, &read_zarr, 1);
  spec.if_exists = IfExists::replace;
  format().create(spec)->close();
  testing::check_records(spec, &read_zarr, 0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1)
      << "temporary files are left";
}

TEST_F(ZarrFormat, a_link_is_replaced_and_not_its_target) {
  const auto old = sample_spec(path("old.zarr"));
  format().create(old)->close();
  const auto spec = sample_spec(path("link.zarr"));
  std::filesystem::create_directory_symlink(old.path, spec.path);
  format().create(spec)->close();
  EXPECT_FALSE(std::filesystem::is_symlink(spec.path));
  testing::check_records(old, &read_zarr, 0);
}

TEST_F(ZarrFormat, removed_store_is_an_error) {
  const auto spec = sample_spec(path("gone.zarr"));
  const auto dataset = format().create(spec);
  dataset->commit(sample_commit(spec, 0));
  std::filesystem::rename(spec.path, path("elsewhere.zarr"));
  try {
    dataset->commit(sample_commit(spec, 1));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("was removed, or replaced by another program"));
  }
  auto moved = spec;
  moved.path = path("elsewhere.zarr");
  testing::check_records(moved, &read_zarr, 1);
}

TEST_F(ZarrFormat, rejects_what_json_and_zarr_cannot_represent) {
  const auto message = [&](auto change) {
    auto spec = sample_spec(path("refused.zarr"));
    change(spec);
    return message_of(spec);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(
      message([&](DatasetSpec& spec) { spec.variables[testing::theta].attributes.emplace_back("odd", nan); }),
      HasSubstr("variable \"theta\": attribute \"odd\": nan cannot be a Zarr attribute"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.attributes.emplace_back("odd", std::string("\xff")); }),
              HasSubstr("attribute \"odd\": the text \"\\xff\" is not UTF-8"));
  EXPECT_THAT(message([](DatasetSpec& spec) { spec.variables[testing::theta].name = "__x"; }),
              HasSubstr("variable \"__x\": the name is reserved by Zarr"));
  EXPECT_THAT(message([](DatasetSpec& spec) {
                spec.dims[testing::x_dim].size = 1 << 28;
                spec.variables[testing::theta].chunk = {1, 1, 1 << 28};
              }),
              HasSubstr("a chunk of 1073741824 bytes is compressed; Zarr's blosc takes at most 512 MiB"));
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(ZarrFormat, a_store_of_another_program_is_not_continued) {
  const std::string other = path("other.zarr");
  std::filesystem::create_directory(other);
  const auto message = [&] {
    try {
      format().existing_axes(other);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(), HasSubstr("other.zarr: is not a Zarr v3 store: it has no zarr.json"));
  const auto put = [&](std::string_view text) {
    testing::put_contents(other + "/zarr.json", std::as_bytes(std::span(text)));
  };
  put(R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
  EXPECT_THAT(message(), HasSubstr("was not written by Tailrace"));
  put("{\"zarr_format\": 3, ");
  EXPECT_THAT(message(), HasSubstr("is damaged: its zarr.json is not JSON"));
}

// A zarr.json with any single damaged byte causes an error or stays readable.
TEST_F(ZarrFormat, damaged_metadata_are_an_error) {
  const auto spec = sample_spec(path("damaged.zarr"));
  const auto dataset = format().create(spec);
  dataset->commit(sample_commit(spec, 0));
  dataset->close();
  const auto whole = testing::contents(spec.path + "/zarr.json");
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    auto damaged = whole;
    damaged[at] ^= std::byte{0x11};
    testing::put_contents(spec.path + "/zarr.json", damaged);
    try {
      format().existing_axes(spec.path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::resource);
    }
  }
}

}  // namespace
}  // namespace tailrace::output
