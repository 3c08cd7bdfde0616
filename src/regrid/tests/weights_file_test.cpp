#include "regrid/weights_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::regrid {
namespace {

using output::netcdf::Hdf5Lock;
using output::netcdf::Id;
using testing::ElementsAre;
using testing::HasSubstr;

// The parts that a test changes in a file of four target cells and six source cells.
struct Content {
  std::vector<std::int32_t> source{1, 2, 3, 4, 5, 6}, target{1, 1, 2, 4, 4, 4};
  std::vector<double> weight{0.25, 0.75, 1.0, 0.5, 0.25, 0.25};
  std::vector<std::int64_t> start{0, 2, 3, 3, 6};
  std::map<std::string, std::string> texts{
      {"tailrace_digest", "abc"}, {"tailrace_method", "conservative"}, {"tailrace_made_by", "a test"}};
  std::vector<std::int32_t> source_dims{3, 2}, target_dims{4};
  std::optional<std::string> without = {};
  hsize_t chunk = 0;  // 0: contiguous
  hsize_t weights_a_link = 1;
};

class WeightsFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("tailrace_weights_" + std::to_string(::getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "weights.nc"; }

  template <class T>
  void write(hid_t file, const Content& content, const std::string& name, const std::vector<T>& values,
             std::vector<hsize_t> shape) {
    if (content.without == name) return;
    const hid_t type = std::is_same_v<T, double>         ? H5T_NATIVE_DOUBLE
                       : std::is_same_v<T, std::int32_t> ? H5T_NATIVE_INT32
                                                         : H5T_NATIVE_INT64;
    const Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), &H5Sclose, name);
    const Id creation(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, name);
    if (content.chunk > 0) {
      std::vector<hsize_t> chunk = shape;
      chunk[0] = std::min(chunk[0], content.chunk);
      output::netcdf::check(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), name);
      output::netcdf::check(H5Pset_deflate(creation, 1), name);
    }
    const Id dataset(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                     &H5Dclose, name);
    output::netcdf::check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
  }

  void write_text(hid_t file, const std::string& name, const std::string& value, bool as_pointer) {
    const Id type(H5Tcopy(H5T_C_S1), &H5Tclose, name);
    H5Tset_size(type, as_pointer ? H5T_VARIABLE : value.size());
    const Id space(H5Screate(H5S_SCALAR), &H5Sclose, name);
    const Id attribute(H5Acreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose,
                       name);
    const char* const pointer = value.c_str();
    output::netcdf::check(
        H5Awrite(attribute, type, as_pointer ? static_cast<const void*>(&pointer) : pointer), name);
  }

  void make(const Content& content) {
    const Hdf5Lock lock;
    const Id file(H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose, "create");
    const hsize_t links = content.source.size();
    write(file, content, "src_address", content.source, {links});
    write(file, content, "dst_address", content.target, {content.target.size()});
    std::vector<double> weights;
    for (const double one : content.weight) weights.insert(weights.end(), content.weights_a_link, one);
    write(file, content, "remap_matrix", weights, {links, content.weights_a_link});
    write(file, content, "row_start", content.start, {content.start.size()});
    write(file, content, "src_grid_dims", content.source_dims, {content.source_dims.size()});
    write(file, content, "dst_grid_dims", content.target_dims, {content.target_dims.size()});
    write(file, content, "dst_grid_center_lat", std::vector{-45.0, -15.0, 15.0, 45.0}, {4});
    write(file, content, "dst_grid_center_lon", std::vector{0.0, 90.0, 180.0, 270.0}, {4});
    const std::vector<double> lat{-60, -60, -30, -30, 0, 0, 30, 30, 60, 60, 70, 70};
    write(file, content, "dst_grid_corner_lat", lat, {4, 3});
    write(file, content, "dst_grid_corner_lon", lat, {4, 3});
    bool as_pointer = false;
    for (const auto& [name, value] : content.texts) write_text(file, name, value, as_pointer = !as_pointer);
  }

  std::string message(const std::function<void()>& what) {
    try {
      what();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path()));
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  std::string refusal_of_rows() {
    return message([&] { read_rows(path(), 0, 4); });
  }

  std::filesystem::path folder_;
};

TEST_F(WeightsFile, HasAHeader) {
  make({});
  const WeightsHeader header = read_weights_header(path());
  EXPECT_EQ(header.digest, "abc");
  EXPECT_EQ(header.method, "conservative");
  EXPECT_EQ(header.made_by, "a test");
  EXPECT_EQ(header.source_cells, 6);
  EXPECT_EQ(header.target_cells, 4);
  EXPECT_EQ(header.links, 6);
  EXPECT_EQ(header.target_corners, 3);
}

TEST_F(WeightsFile, GivesSlicesOfItsRows) {
  for (const hsize_t chunk : {hsize_t{0}, hsize_t{2}}) {
    Content content;
    content.chunk = chunk;
    make(content);
    const Rows all = read_rows(path(), 0, 4);
    EXPECT_THAT(all.start, ElementsAre(0, 2, 3, 3, 6));
    EXPECT_THAT(all.source, ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(all.weight, ElementsAre(0.25, 0.75, 1.0, 0.5, 0.25, 0.25));
    const Rows some = read_rows(path(), 1, 3);
    EXPECT_EQ(some.first, 1);
    EXPECT_EQ(some.rows(), 3);
    EXPECT_THAT(some.start, ElementsAre(0, 1, 1, 4));
    EXPECT_THAT(some.source, ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(read_rows(path(), 2, 1).start, ElementsAre(0, 0));
    EXPECT_THAT(read_rows(path(), 2, 0).start, ElementsAre(0));
  }
}

TEST_F(WeightsFile, GivesPlacesOfTargetCells) {
  make({});
  const TargetCells cells = read_target_cells(path(), 1, 2);
  EXPECT_THAT(cells.lat, ElementsAre(-15.0, 15.0));
  EXPECT_THAT(cells.lon, ElementsAre(90.0, 180.0));
  EXPECT_EQ(cells.corners, 3);
  EXPECT_THAT(cells.lat_corners, ElementsAre(-30, 0, 0, 30, 30, 60));
  Content content;
  content.without = "dst_grid_corner_lat";
  make(content);
  EXPECT_EQ(read_target_cells(path(), 0, 4).corners, 0);
  EXPECT_EQ(read_weights_header(path()).target_corners, 0);
}

TEST_F(WeightsFile, IsRefusedWithTheCell) {
  Content content;
  content.source[3] = 7;
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("target cell 3 (from 0) has src_address 7; expected 1 ... 6"));
  content.source[3] = 0;
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("target cell 3 (from 0) has src_address 0"));
  content.source[3] = 5;
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("target cell 3 (from 0) do not ascend: source cell 4 is after 4"));
  content = {};
  content.target[2] = 3;
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("target cell 1 (from 0) has dst_address 3; expected 2"));
  content = {};
  content.weight[5] = std::numeric_limits<double>::quiet_NaN();
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("the weight of source cell 5 for target cell 3 (from 0) is nan"));
  content = {};
  content.start[2] = 1;
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("row_start falls from 2 to 1 behind target cell 1"));
  content = {};
  content.start.back() = 9;
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("is outside 0 ... 6"));
}

TEST_F(WeightsFile, IsRefusedIfItIsNotInThisLayout) {
  Content content;
  content.without = "row_start";  // SCRIP's own
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("it has no variable row_start"));
  EXPECT_THAT(refusal_of_rows(), HasSubstr("tailrace weights make"));
  content = {};
  content.texts.erase("tailrace_digest");
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("it has no attribute tailrace_digest"));
  content = {};
  content.target_dims = {5};
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("row_start has 5 entries; expected 6"));
  content = {};
  content.target.pop_back();
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("have different lengths"));
  content = {};
  content.weights_a_link = 3;  // second order
  make(content);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("links have 3 weights; expected 1"));
}

TEST_F(WeightsFile, IsRefusedIfItIsNotThereOrDamaged) {
  EXPECT_THAT(refusal_of_rows(), HasSubstr("cannot open the weights of"));
  make({});
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) / 2);
  EXPECT_THAT(refusal_of_rows(), HasSubstr("cannot open the weights of"));
  std::ofstream(path()) << "text";
  EXPECT_THAT(message([&] { read_weights_header(path()); }), HasSubstr("cannot open the weights of"));
}

TEST_F(WeightsFile, IsNotReadBehindItsEnd) {
  make({});
  EXPECT_THAT(message([&] { read_rows(path(), 3, 2); }), HasSubstr("row_start has 5 entries"));
}

}  // namespace
}  // namespace tailrace::regrid
