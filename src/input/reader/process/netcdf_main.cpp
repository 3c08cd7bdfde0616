// tailrace_read_netcdf SOCKET: reads NetCDF files of all kinds (classic, 64-bit offset, CDF-5, NetCDF-4) with
// the netCDF-C library, and answers the requests that reader_process.hpp describes. Started by a server.
#include <fcntl.h>
#include <netcdf.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;

constexpr std::size_t most_bytes = 64 * 1024;  // of a message

void check(int status, const char* what) {
  if (status != NC_NOERR) throw std::runtime_error(std::string(what) + ": " + nc_strerror(status));
}

// Memory that the server maps. The file in memory has no name.
class Pages {
 public:
  explicit Pages(std::size_t size) : size_(size), descriptor_(::memfd_create("tailrace input", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || (size > 0 && ::posix_fallocate(descriptor_, 0, static_cast<off_t>(size)) != 0))
      throw std::runtime_error("cannot get " + std::to_string(size) + " bytes of shared memory");
    if (size == 0) return;
    mapped_ = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (mapped_ == MAP_FAILED) throw std::runtime_error("cannot map shared memory");
  }
  ~Pages() {
    if (size_ > 0 && mapped_ != MAP_FAILED) ::munmap(mapped_, size_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void* data() const { return mapped_; }
  int descriptor() const { return descriptor_; }

 private:
  std::size_t size_;
  int descriptor_;
  void* mapped_ = MAP_FAILED;
};

void answer(int socket, const json& message, const Pages* pages = nullptr) {
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, most_bytes);
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (pages != nullptr) {
    header.msg_control = room.data();
    header.msg_controllen = room.size();
    cmsghdr* const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    const int descriptor = pages->descriptor();
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  }
  ssize_t sent = -1;
  do sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) std::exit(1);  // the server is gone
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
    for (const char* one : texts) joined += (joined.empty() ? "" : " ") + std::string(one ? one : "");
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

void open_file(int socket, const json& request) {
  int file = -1;
  check(nc_open(request.at("file").get<std::string>().c_str(), NC_NOWRITE, &file), "cannot open it");
  try {
    json variables = json::array();
    add_group(file, "", variables);
    const std::string header =
        json{{"variables", variables}}.dump(-1, ' ', false, json::error_handler_t::replace);
    const Pages pages(header.size());
    std::memcpy(pages.data(), header.data(), header.size());
    answer(socket, {{"file", file}}, &pages);
  } catch (...) {
    nc_close(file);
    throw;
  }
}

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

// Values are delivered in a type that holds them: the library converts, and checks the range.
void read_values(int socket, const json& request) {
  const std::string name = request.at("variable");
  const auto [group, variable] = find(request.at("file"), name);
  const auto start = request.at("start").get<std::vector<std::size_t>>();
  const auto count = request.at("count").get<std::vector<std::size_t>>();
  nc_type type = NC_NAT;
  check(nc_inq_vartype(group, variable, &type), name.c_str());
  const std::size_t cells = std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>());
  const auto deliver = [&](std::size_t size, const auto& get) {
    const Pages pages(cells * size);
    check(get(pages.data()), name.c_str());
    answer(socket, {{"bytes", cells * size}}, &pages);
  };
  // One function of the library for each type in which values are delivered.
  const auto get = [&](auto function, auto* to) {
    return function(group, variable, start.data(), count.data(), to);
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
    default:
      throw std::runtime_error(name + " has the type " + name_of_type(type) + ", which cannot be read");
  }
}

void handle(int socket, const json& request) {
  const std::string task = request.at("do");
  if (task == "open") {
    open_file(socket, request);
  } else if (task == "read") {
    read_values(socket, request);
  } else {
    check(nc_close(request.at("file")), "cannot close it");
    answer(socket, json::object());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int socket = std::atoi(argv[1]);
  std::string message(most_bytes, '\0');
  for (;;) {
    const ssize_t size = ::recv(socket, message.data(), message.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return 0;  // the server has closed its end
    try {
      handle(socket, json::parse(message.begin(), message.begin() + size));
    } catch (const std::exception& error) {
      answer(socket, {{"error", error.what()}});
    }
  }
}
