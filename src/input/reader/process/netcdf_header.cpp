#include "input/reader/process/netcdf_header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "input/reader/process/wire.hpp"

namespace tailrace::input::process {

using nlohmann::json;

void check(int status, const char* what) {
  if (status != NC_NOERR) throw Refusal(std::string(what) + ": " + nc_strerror(status));
}

std::string name_of_type(nc_type type) {
  switch (type) {
    case NC_BYTE: return "byte";
    case NC_UBYTE: return "ubyte";
    case NC_SHORT: return "short";
    case NC_USHORT: return "ushort";
    case NC_INT: return "int";
    case NC_UINT: return "uint";
    case NC_INT64: return "int64";
    case NC_UINT64: return "uint64";
    case NC_FLOAT: return "float";
    case NC_DOUBLE: return "double";
    case NC_CHAR: return "char";
    case NC_STRING: return "string";
    default: return "type of its own";
  }
}

namespace {

json value_of_attribute(int group, int variable, const char* name, nc_type type, std::size_t length) {
  if (type == NC_CHAR) {
    std::string text(length, '\0');
    check(nc_get_att_text(group, variable, name, text.data()), name);
    text.resize(std::min(text.size(), text.find('\0') == std::string::npos ? text.size() : text.find('\0')));
    return text;
  }
  if (type == NC_STRING) {
    std::vector<char*> texts(length);
    check(nc_get_att_string(group, variable, name, texts.data()), name);
    std::string joined;
    for (const char* one : texts) {
      if (!joined.empty()) joined += ' ';
      if (one != nullptr) joined += one;
    }
    nc_free_string(length, texts.data());
    return joined;
  }
  if (name_of_type(type) == "type of its own") return json::array();
  std::vector<double> numbers(length);
  check(nc_get_att_double(group, variable, name, numbers.data()), name);
  return numbers;
}

json attributes_of(int group, int variable, int count) {
  json attributes = json::object();
  for (int a = 0; a < count; ++a) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = NC_NAT;
    std::size_t length = 0;
    check(nc_inq_attname(group, variable, a, name.data()), "an attribute");
    check(nc_inq_att(group, variable, name.data(), &type, &length), name.data());
    json value = value_of_attribute(group, variable, name.data(), type, length);
    // JSON has no NaN: it is a text that the reader of the header turns back.
    if (value.is_array())
      for (json& one : value)
        if (!std::isfinite(one.get<double>())) one = std::to_string(one.get<double>());
    attributes[name.data()] = std::move(value);
  }
  return attributes;
}

json chunk_of(int group, int variable, std::size_t dims) {
  int storage = NC_CONTIGUOUS;
  std::vector<std::size_t> chunk(dims);
  // A file of the classic model has no chunks, and the library says so by an error.
  if (nc_inq_var_chunking(group, variable, &storage, chunk.data()) != NC_NOERR || storage != NC_CHUNKED)
    return json::array();
  return chunk;
}

json variable_of(int group, const std::string& path, int variable) {
  std::array<char, NC_MAX_NAME + 1> name{};
  std::array<int, NC_MAX_VAR_DIMS> dims{};
  nc_type type = NC_NAT;
  int count = 0, attributes = 0;
  check(nc_inq_var(group, variable, name.data(), &type, &count, dims.data(), &attributes), "a variable");
  json names = json::array(), shape = json::array();
  for (int d = 0; d < count; ++d) {
    std::array<char, NC_MAX_NAME + 1> dim{};
    std::size_t length = 0;
    check(nc_inq_dim(group, dims[static_cast<std::size_t>(d)], dim.data(), &length), name.data());
    names.push_back(dim.data());
    if (length > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()))
      throw Refusal(path + name.data() + ": the dim " + dim.data() + " has an absurd length");
    shape.push_back(length);
  }
  return {{"name", path + name.data()},
          {"dims", names},
          {"shape", shape},
          {"chunk", chunk_of(group, variable, static_cast<std::size_t>(count))},
          {"type", name_of_type(type)},
          {"attributes", attributes_of(group, variable, attributes)}};
}

void add_group(int group, const std::string& path, json& variables) {
  int count = 0;
  check(nc_inq_nvars(group, &count), "the variables");
  for (int v = 0; v < count; ++v) variables.push_back(variable_of(group, path, v));
  if (nc_inq_grps(group, &count, nullptr) != NC_NOERR || count == 0) return;
  std::vector<int> groups(static_cast<std::size_t>(count));
  check(nc_inq_grps(group, &count, groups.data()), "the groups");
  for (const int inner : groups) {
    std::array<char, NC_MAX_NAME + 1> name{};
    check(nc_inq_grpname(inner, name.data()), "a group");
    add_group(inner, path + name.data() + "/", variables);
  }
}

}  // namespace

json header_of(int file) {
  json variables = json::array();
  add_group(file, "", variables);
  return {{"variables", variables}};
}

}  // namespace tailrace::input::process
