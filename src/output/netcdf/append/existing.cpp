#include "output/netcdf/append/existing.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/error.hpp"
#include "output/netcdf/attributes.hpp"
#include "output/netcdf/header.hpp"

namespace tailrace::output::netcdf {
namespace {

std::vector<double> numbers(hid_t dataset) {
  const Id space(H5Dget_space(dataset), &H5Sclose, "cannot read a shape");
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (!values.empty())
    check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          "cannot read times");
  return values;
}

struct Visit {
  hid_t file;
  std::map<std::string, ExistingAxis> axes;
  std::map<int, std::vector<std::string>> texts = {};  // of each record, by the number of the dim
  std::map<std::string, int> bare = {};                // the number of each axis that is no variable
};

// Texts, one for each record: (record, character), in netCDF's characters.
void take_texts(Visit& visit, hid_t dataset, hsize_t records, hsize_t width) {
  const Id type(H5Dget_type(dataset), &H5Tclose, "cannot read a type");
  if (H5Tget_class(type) != H5T_STRING || H5Tget_size(type) != 1 ||
      H5Aexists(dataset, "_Netcdf4Coordinates") <= 0)
    return;
  std::string all(records * width, '\0');
  if (!all.empty())
    check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "cannot read times");
  int dims[2] = {};
  const Id attribute(H5Aopen(dataset, "_Netcdf4Coordinates", H5P_DEFAULT), &H5Aclose,
                     "cannot open an attribute");
  check(H5Aread(attribute, H5T_NATIVE_INT, dims), "cannot read an attribute");
  std::vector<std::string>& texts = visit.texts[dims[0]];
  for (hsize_t record = 0; record < records; ++record) texts.push_back(all.substr(record * width, width));
}

// A coordinate variable along an unlimited dimension is a time axis.
void take_axis(Visit& visit, const char* name) {
  const Id dataset(H5Dopen2(visit.file, name, H5P_DEFAULT), &H5Dclose, "cannot open a variable");
  const Id space(H5Dget_space(dataset), &H5Sclose, "cannot read a shape");
  hsize_t size[H5S_MAX_RANK] = {}, most[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, size, most);
  if (rank == 2 && most[0] == H5S_UNLIMITED) return take_texts(visit, dataset, size[0], size[1]);
  if (rank != 1 || most[0] != H5S_UNLIMITED || H5Aexists(dataset, "_Netcdf4Dimid") <= 0) return;
  if (read_text_attribute(dataset, "NAME").starts_with(bare_dimension)) {
    visit.bare[name] = static_cast<int>(read_number_attribute(dataset, "_Netcdf4Dimid").value_or(-1.0));
    return;
  }
  ExistingAxis axis;
  axis.units = read_text_attribute(dataset, "units");
  axis.calendar = read_text_attribute(dataset, "calendar");
  axis.times = numbers(dataset);
  if (const std::string bounds = read_text_attribute(dataset, "bounds"); !bounds.empty())
    axis.bounds = numbers(
        Id(H5Dopen2(visit.file, bounds.c_str(), H5P_DEFAULT), &H5Dclose, "cannot open the bounds of times"));
  visit.axes.emplace(name, std::move(axis));
}

extern "C" herr_t tailrace_visit_axis(hid_t, const char* name, const H5L_info_t*, void* into) {
  try {
    take_axis(*static_cast<Visit*>(into), name);
    return 0;
  } catch (...) {
    return -1;
  }
}

struct FillVisit {
  hid_t file;
  std::map<std::string, model::FillValue> fills;
};

void take_fill(FillVisit& visit, const char* name) {
  const Id dataset(H5Dopen2(visit.file, name, H5P_DEFAULT), &H5Dclose, "cannot open a variable");
  if (H5Aexists(dataset, "_FillValue") <= 0) return;
  const Id attribute(H5Aopen(dataset, "_FillValue", H5P_DEFAULT), &H5Aclose, "cannot open an attribute");
  const Id space(H5Aget_space(attribute), &H5Sclose, "cannot read an attribute");
  const Id type(H5Aget_type(attribute), &H5Tclose, "cannot read an attribute");
  if (H5Sget_simple_extent_npoints(space) != 1) return;
  if (H5Tget_class(type) == H5T_INTEGER) {
    std::int64_t whole = 0;
    check(H5Aread(attribute, H5T_NATIVE_INT64, &whole), "cannot read an attribute");
    visit.fills[name] = model::FillValue::of_whole(whole);
  } else if (H5Tget_class(type) == H5T_FLOAT) {
    double number = 0.0;
    check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &number), "cannot read an attribute");
    visit.fills[name] = number;
  }
}

extern "C" herr_t tailrace_visit_fill(hid_t, const char* name, const H5L_info_t*, void* into) {
  try {
    take_fill(*static_cast<FillVisit*>(into), name);
    return 0;
  } catch (...) {
    return -1;
  }
}

struct BoundVisit {
  hid_t file;
  std::map<std::string, codecs::lossy::ExistingBound> bounds;
};

void take_bound(BoundVisit& visit, const char* name) {
  const Id dataset(H5Dopen2(visit.file, name, H5P_DEFAULT), &H5Dclose, "cannot open a variable");
  const std::string words = read_text_attribute(dataset, codecs::lossy::bound_attribute);
  if (words.empty()) return;
  const auto number = [&dataset](const char* attribute) {
    return read_number_attribute(dataset, attribute).value_or(0.0);
  };
  visit.bounds[name] = {words,
                        {number(codecs::lossy::absolute_attribute), number(codecs::lossy::relative_attribute),
                         static_cast<std::int64_t>(number("quantization_nsb"))}};
}

extern "C" herr_t tailrace_visit_bound(hid_t, const char* name, const H5L_info_t*, void* into) {
  try {
    take_bound(*static_cast<BoundVisit*>(into), name);
    return 0;
  } catch (...) {
    return -1;
  }
}

Id open_to_read(const std::string& path) TAILRACE_REQUIRES(hdf5_mutex) {
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "cannot make access properties");
  check(H5Pset_file_locking(access, false, true), "cannot switch locking off");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), &H5Fclose, "is damaged"};
}

}  // namespace

std::map<std::string, model::FillValue> read_fills(const std::string& path) {
  const Hdf5Lock lock;
  const Id file = open_to_read(path);
  FillVisit visit{file, {}};
  check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, &tailrace_visit_fill, &visit), "is damaged");
  return std::move(visit.fills);
}

std::map<std::string, codecs::lossy::ExistingBound> read_bounds(const std::string& path) {
  const Hdf5Lock lock;
  const Id file = open_to_read(path);
  BoundVisit visit{file, {}};
  check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, &tailrace_visit_bound, &visit), "is damaged");
  return std::move(visit.bounds);
}

std::map<std::string, ExistingAxis> read_axes(const std::string& path) {
  const Hdf5Lock lock;
  const Id file = open_to_read(path);
  if (read_text_attribute(file, "_NCProperties").find("tailrace=") == std::string::npos)
    throw Error(ErrorCode::resource, "was not written by Tailrace, which appends only to its own files");
  Visit visit{file, {}};
  check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, &tailrace_visit_axis, &visit), "is damaged");
  for (const auto& [name, dim] : visit.bare)
    if (const auto texts = visit.texts.find(dim); texts != visit.texts.end())
      visit.axes[name].dates = texts->second;
  return std::move(visit.axes);
}

}  // namespace tailrace::output::netcdf
