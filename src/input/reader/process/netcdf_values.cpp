#include "input/reader/process/netcdf_values.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "input/reader/process/netcdf_header.hpp"
#include "input/reader/process/read_count.hpp"
#include "input/reader/process/wire.hpp"

namespace tailrace::input::process {
namespace {

using nlohmann::json;

constexpr std::size_t most_cells = std::numeric_limits<std::int64_t>::max() / 8;

// The group and the number of a variable with the path of its groups.
std::pair<int, int> find(int file, const std::string& name) {
  int group = file, variable = -1;
  const auto slash = name.rfind('/');
  if (slash != std::string::npos)
    check(nc_inq_grp_full_ncid(file, name.substr(0, slash).c_str(), &group), name.c_str());
  check(nc_inq_varid(group, name.c_str() + (slash == std::string::npos ? 0 : slash + 1), &variable),
        name.c_str());
  return {group, variable};
}

struct Region {
  std::vector<std::size_t> start, count;
};

// Throws Refusal where it is not within the variable. Returns the number of its cells.
std::size_t cells_of(const Region& region, int group, int variable, const std::string& name) {
  int dims = 0;
  std::array<int, NC_MAX_VAR_DIMS> ids{};
  check(nc_inq_varndims(group, variable, &dims), name.c_str());
  check(nc_inq_vardimid(group, variable, ids.data()), name.c_str());
  const auto count = static_cast<std::size_t>(dims);
  if (region.start.size() != count || region.count.size() != count)
    throw Refusal(name + ": it has " + std::to_string(count) + " dims; the request is for " +
                  std::to_string(region.count.size()));
  std::size_t cells = 1;
  for (std::size_t d = 0; d < count; ++d) {
    std::array<char, NC_MAX_NAME + 1> dim{};
    std::size_t length = 0;
    check(nc_inq_dim(group, ids[d], dim.data(), &length), name.c_str());
    if (region.count[d] < 1 || region.count[d] > length || region.start[d] > length - region.count[d])
      throw Refusal(name + ": " + std::to_string(region.count[d]) + " cells from " +
                    std::to_string(region.start[d]) + " along " + dim.data() + " are outside: it has " +
                    std::to_string(length));
    if (region.count[d] > most_cells / cells)
      throw Refusal(name + ": the request is for more values than can be read at once");
    cells *= region.count[d];
  }
  return cells;
}

}  // namespace

// Values are delivered in a type that holds them: the library converts, and checks the range.
void read_values(Wire& wire, int file, const json& request, const std::function<void()>& before_answer) {
  const std::string name = request.at("variable");
  const auto [group, variable] = find(file, name);
  const Region region{request.at("start").get<std::vector<std::size_t>>(),
                      request.at("count").get<std::vector<std::size_t>>()};
  const std::size_t cells = cells_of(region, group, variable, name);
  nc_type type = NC_NAT;
  check(nc_inq_vartype(group, variable, &type), name.c_str());
  const auto deliver = [&](std::size_t size, const auto& get) {
    const Pages pages(cells * size);
    const ReadCount count;
    check(get(pages.data()), name.c_str());
    const auto read = count.bytes();
    before_answer();
    json answer{{"bytes", cells * size}};
    if (read) answer["read"] = *read;
    wire.answer(answer, &pages);
  };
  // One function of the library for each type in which values are delivered.
  const auto get = [&](auto function, auto* to) {
    return function(group, variable, region.start.data(), region.count.data(), to);
  };
  switch (type) {
    case NC_BYTE:
      return deliver(1, [&](void* to) { return get(nc_get_vara_schar, static_cast<signed char*>(to)); });
    case NC_CHAR: return deliver(1, [&](void* to) { return get(nc_get_vara_text, static_cast<char*>(to)); });
    case NC_UBYTE:
      return deliver(1, [&](void* to) { return get(nc_get_vara_uchar, static_cast<unsigned char*>(to)); });
    case NC_SHORT:
      return deliver(2, [&](void* to) { return get(nc_get_vara_short, static_cast<short*>(to)); });
    case NC_USHORT:
    case NC_INT: return deliver(4, [&](void* to) { return get(nc_get_vara_int, static_cast<int*>(to)); });
    case NC_UINT:
    case NC_INT64:
      return deliver(8, [&](void* to) { return get(nc_get_vara_longlong, static_cast<long long*>(to)); });
    case NC_FLOAT:
      return deliver(4, [&](void* to) { return get(nc_get_vara_float, static_cast<float*>(to)); });
    case NC_UINT64:
    case NC_DOUBLE:
      return deliver(8, [&](void* to) { return get(nc_get_vara_double, static_cast<double*>(to)); });
    default: throw Refusal(name + " has the type " + name_of_type(type) + ", which cannot be read");
  }
}

}  // namespace tailrace::input::process
