#include "output/netcdf/header_only_driver/dimension_lists.hpp"

#include <fmt/format.h>

#include "base/index.hpp"

namespace tailrace::output::netcdf {
namespace {

struct Reference {  // one entry of a scale's REFERENCE_LIST, in HDF5's layout in memory
  hobj_ref_t variable;
  int dim;  // of the variable
};

void write(hid_t object, const char* name, const Id& type, const Id& space, const void* data) {
  const std::string doing = fmt::format("cannot write attribute \"{}\"", name);
  const Id attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose, doing);
  check(H5Awrite(attribute, type, data), doing);
}

Id list_space(std::size_t size) {
  const hsize_t count = size;
  return {H5Screate_simple(1, &count, nullptr), &H5Sclose, "cannot make a dataspace"};
}

Id type_of_reference() {
  Id type(H5Tcreate(H5T_COMPOUND, sizeof(Reference)), &H5Tclose, "cannot make a type of references");
  check(H5Tinsert(type, "dataset", HOFFSET(Reference, variable), H5T_STD_REF_OBJ), "cannot fill a type");
  check(H5Tinsert(type, "dimension", HOFFSET(Reference, dim), H5T_NATIVE_INT), "cannot fill a type");
  return type;
}

hobj_ref_t reference_to(hid_t object) {
  hobj_ref_t reference = 0;
  check(H5Rcreate(&reference, object, ".", H5R_OBJECT, -1), "cannot refer to a variable");
  return reference;
}

}  // namespace

void write_dimension_lists(const std::vector<Dimensioned>& variables, const std::vector<hid_t>& scales) {
  std::vector<hobj_ref_t> scale_references;
  for (const hid_t scale : scales) scale_references.push_back(reference_to(scale));
  std::vector<std::vector<Reference>> users(scales.size());
  const Id list_type(H5Tvlen_create(H5T_STD_REF_OBJ), &H5Tclose, "cannot make a type of lists");
  for (const auto& [variable, dims] : variables) {
    if (dims.empty()) continue;
    std::vector<hvl_t> lists;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const auto dim = base::index(dims[d]);
      lists.push_back({1, &scale_references[dim]});
      users[dim].push_back({reference_to(variable), static_cast<int>(d)});
    }
    write(variable, "DIMENSION_LIST", list_type, list_space(lists.size()), lists.data());
  }
  const Id reference_type = type_of_reference();
  for (std::size_t dim = 0; dim < scales.size(); ++dim)
    if (!users[dim].empty())
      write(scales[dim], "REFERENCE_LIST", reference_type, list_space(users[dim].size()), users[dim].data());
}

}  // namespace tailrace::output::netcdf
