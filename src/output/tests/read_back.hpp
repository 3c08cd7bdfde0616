// Reads files of the netcdf format with HDF5's default driver, like stock readers.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "output/netcdf/hdf5.hpp"
#include "output/testing/sample_dataset.hpp"

namespace tailrace::output::testing {

inline Bytes read_with_hdf5(const std::string& path, const std::string& variable) {
  const netcdf::Hdf5Lock lock;
  const netcdf::Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose, "open " + path);
  const netcdf::Id dataset(H5Dopen2(file, variable.c_str(), H5P_DEFAULT), &H5Dclose, "open " + variable);
  const netcdf::Id type(H5Dget_type(dataset), &H5Tclose, "type");
  const netcdf::Id space(H5Dget_space(dataset), &H5Sclose, "space");
  const auto cells = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  Bytes bytes(cells * H5Tget_size(type));
  if (cells > 0)
    netcdf::check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "read " + variable);
  return bytes;
}

inline std::optional<double> attribute_with_hdf5(const std::string& path, const std::string& variable,
                                                 const std::string& name) {
  const netcdf::Hdf5Lock lock;
  const netcdf::Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose, "open " + path);
  const std::string object = variable.empty() ? "/" : variable;
  if (H5Aexists_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
  const netcdf::Id attribute(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                             &H5Aclose, "open " + name);
  double value = 0.0;
  netcdf::check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), "read " + name);
  return value;
}

// A temporary directory for each test.
class NetcdfFormat : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tailrace-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  std::string directory_;
};

}  // namespace tailrace::output::testing
