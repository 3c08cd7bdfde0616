#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/checks.hpp"
#include "output/netcdf/append/existing.hpp"
#include "output/netcdf/attributes.hpp"
#include "output/netcdf/header.hpp"

namespace tailrace::output::netcdf {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::resource,
              fmt::format("cannot be continued: {}; expected a file of the same configuration, another path, "
                          "or `if_exists: replace`",
                          why));
}

std::string in_words(const std::vector<std::int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

void check_type(hid_t dataset, const VariableSpec& variable) {
  const Id type(H5Dget_type(dataset), &H5Tclose, "cannot read a type");
  if (H5Tequal(type, memory_type(variable)) <= 0)
    refuse(fmt::format("its variable \"{}\" is not of the type {}", variable.name,
                       variable.is_text ? "text" : model::name_of(variable.type)));
}

void check_shape(hid_t dataset, const DatasetSpec& spec, const VariableSpec& variable) {
  const Id space(H5Dget_space(dataset), &H5Sclose, "cannot read a shape");
  hsize_t size[H5S_MAX_RANK] = {}, most[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, size, most);
  const std::vector<std::int64_t> wanted = shape_of(variable, first_lengths(spec));
  const std::size_t first = grows(spec, variable) ? 1 : 0;
  std::vector<std::int64_t> found(size, size + std::max(rank, 0));
  bool same = found.size() == wanted.size() && (first == 0 || most[0] == H5S_UNLIMITED);
  for (std::size_t d = first; same && d < wanted.size(); ++d) same = found[d] == wanted[d];
  if (!same)
    refuse(fmt::format("its variable \"{}\" has the shape {}, and this run writes {}{}", variable.name,
                       in_words(found), first == 1 ? "records of " : "",
                       in_words({wanted.begin() + static_cast<std::ptrdiff_t>(first), wanted.end()})));
}

// Empty: the variable is stored in one piece.
std::vector<std::int64_t> chunk_of(hid_t properties) {
  hsize_t size[H5S_MAX_RANK] = {};
  if (H5Pget_layout(properties) != H5D_CHUNKED) return {};
  const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, size);
  return {size, size + std::max(rank, 0)};
}

// A short series has a chunk of its length once its file has ended (repack.hpp).
bool is_cut_short(hid_t dataset, std::vector<std::int64_t> found, const std::vector<std::int64_t>& wanted) {
  if (found.empty() || wanted.empty() || found[0] >= wanted[0]) return false;
  const Id space(H5Dget_space(dataset), &H5Sclose, "cannot read a shape");
  hsize_t size[H5S_MAX_RANK] = {}, most[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space, size, most) < 1 || most[0] != H5S_UNLIMITED) return false;
  const bool has_one_chunk = static_cast<std::int64_t>(size[0]) <= found[0];
  found[0] = wanted[0];
  return has_one_chunk && found == wanted;
}

void check_chunks(hid_t dataset, hid_t properties, const VariableSpec& variable) {
  const std::vector<std::int64_t> found = chunk_of(properties);
  if (found != variable.chunk && !is_cut_short(dataset, found, variable.chunk))
    refuse(fmt::format("its variable \"{}\" has chunks of {}, and this run writes chunks of {}",
                       variable.name, found.empty() ? "the whole" : in_words(found),
                       variable.chunk.empty() ? "the whole" : in_words(variable.chunk)));
}

void check_filters(hid_t properties, const VariableSpec& variable) {
  if (variable.chunk.empty()) return;
  const auto wanted = codecs::make_codec(variable.codec)->filters(model::size_of(variable.type));
  const int count = H5Pget_nfilters(properties);
  bool same = count == static_cast<int>(wanted.size());
  for (int i = 0; same && i < count; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t parameters = 0;
    const H5Z_filter_t id = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &parameters, nullptr,
                                           0, nullptr, &config);
    same = id == wanted[base::index(i)].hdf5_id;
  }
  if (!same)
    refuse(fmt::format("its variable \"{}\" has another compression than in this run, {}", variable.name,
                       variable.codec.codec));
}

void check_variable(hid_t file, const DatasetSpec& spec, std::size_t index) TAILRACE_REQUIRES(hdf5_mutex) {
  const VariableSpec& variable = spec.variables[index];
  const std::string link = variable_link(spec, index);
  if (H5Lexists(file, link.c_str(), H5P_DEFAULT) <= 0)
    refuse(fmt::format("it has no variable \"{}\"", variable.name));
  const Id dataset(H5Dopen2(file, link.c_str(), H5P_DEFAULT), &H5Dclose, "cannot open a variable");
  const Id properties(H5Dget_create_plist(dataset), &H5Pclose, "cannot read how a variable is stored");
  check_type(dataset, variable);
  check_shape(dataset, spec, variable);
  check_chunks(dataset, properties, variable);
  check_filters(properties, variable);
  if (const auto why = other_regridding(variable, read_text_attribute(dataset, regridding_attribute));
      !why.empty())
    refuse(why);
}

struct Links {
  const DatasetSpec& spec;
  std::string stranger;  // a variable along an unlimited dim that the spec lacks
};

extern "C" herr_t tailrace_visit_link(hid_t file, const char* name, const H5L_info_t*, void* into) {
  auto& links = *static_cast<Links*>(into);
  for (const VariableSpec& variable : links.spec.variables)
    if (name == variable.name || name == "_nc4_non_coord_" + variable.name) return 0;
  for (const DimensionSpec& dim : links.spec.dims)
    if (name == dim.name) return 0;
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  if (dataset < 0) return -1;
  const hid_t space = H5Dget_space(dataset);
  hsize_t size[H5S_MAX_RANK] = {}, most[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space, size, most) > 0 && most[0] == H5S_UNLIMITED) links.stranger = name;
  H5Sclose(space);
  H5Dclose(dataset);
  return 0;
}

}  // namespace

void check_fits(hid_t file, const DatasetSpec& spec) {
  for (std::size_t i = 0; i < spec.variables.size(); ++i) check_variable(file, spec, i);
  Links links{spec, {}};
  check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, &tailrace_visit_link, &links), "is damaged");
  if (!links.stranger.empty())
    refuse(fmt::format("its variable \"{}\" is not among those of this run", links.stranger));
}

bool can_grow_in_place(hid_t file, const DatasetSpec& spec) {
  for (const auto& [dim, records] : spec.kept) {
    const std::string& name = spec.dims[base::index(dim)].name;
    const Id dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), &H5Dclose, "cannot open a variable");
    const Id space(H5Dget_space(dataset), &H5Sclose, "cannot read a shape");
    if (H5Sget_simple_extent_npoints(space) != records) return false;
  }
  for (std::size_t i = 0; i < spec.variables.size(); ++i) {
    const Id dataset(H5Dopen2(file, variable_link(spec, i).c_str(), H5P_DEFAULT), &H5Dclose,
                     "cannot open a variable");
    const Id properties(H5Dget_create_plist(dataset), &H5Pclose, "cannot read how a variable is stored");
    if (chunk_of(properties) != spec.variables[i].chunk) return false;
  }
  return true;
}

}  // namespace tailrace::output::netcdf
