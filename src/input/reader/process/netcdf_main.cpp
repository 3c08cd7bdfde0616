// tailrace_read_netcdf SOCKET: reads NetCDF files of all kinds (classic, 64-bit offset, CDF-5, NetCDF-4) with
// the netCDF-C library, and answers the requests that reader_process.hpp describes. Started by a server.
#include <netcdf.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "input/reader/process/classic_length.hpp"
#include "input/reader/process/file_identity.hpp"
#include "input/reader/process/netcdf_header.hpp"
#include "input/reader/process/netcdf_values.hpp"
#include "input/reader/process/wire.hpp"

namespace tailrace::input::process {
namespace {

using nlohmann::json;

struct OpenFile {
  std::string path, identity;
};

class Reader {
 public:
  explicit Reader(int socket) : wire_(socket) {}

  void answer_next() {
    try {
      const json request = wire_.receive();
      const std::string task = request.at("do");
      if (task == "open")
        open(request);
      else if (task == "read")
        read(request);
      else if (task == "close")
        close(request);
      else
        throw Refusal("there is no request '" + task + "'");
    } catch (const Refusal& refusal) {
      wire_.answer({{"error", refusal.what()}, {"trouble", refusal.trouble()}});
    } catch (const std::exception& error) {
      wire_.answer({{"error", error.what()}});
    }
  }

 private:
  void open(const json& request) {
    const std::string path = request.at("file");
    if (const auto expected = request.find("expected"); expected != request.end())
      check_identity(path, *expected);
    const std::string identity = identity_of(path);
    check_length(path);
    int file = -1;
    check(nc_open(path.c_str(), NC_NOWRITE, &file), "cannot open it");
    try {
      const std::string header = header_of(file).dump(-1, ' ', false, json::error_handler_t::replace);
      check_identity(path, identity);
      const Pages pages(header.size());
      std::memcpy(pages.data(), header.data(), header.size());
      files_[file] = {path, identity};
      wire_.answer({{"file", file}, {"identity", identity}}, &pages);
    } catch (...) {
      nc_close(file);
      throw;
    }
  }

  // A file that changes below the library may give it anything, errors and values: what it said counts only
  // if the file is the same before and afterwards.
  void read(const json& request) {
    const auto& [number, file] = find(request);
    check_identity(file.path, file.identity);
    try {
      read_values(wire_, number, request, [&] { check_identity(file.path, file.identity); });
    } catch (const std::exception&) {
      check_identity(file.path, file.identity);
      throw;
    }
  }

  void close(const json& request) {
    const int number = find(request).first;
    files_.erase(number);
    check(nc_close(number), "cannot close it");
    wire_.answer(json::object());
  }

  const std::pair<const int, OpenFile>& find(const json& request) const {
    const auto found = files_.find(request.at("file").get<int>());
    if (found == files_.end()) throw Refusal("no file of this number is open");
    return *found;
  }

  Wire wire_;
  std::map<int, OpenFile> files_;
};

// A damaged file may make a library ask for any amount of memory, and end it: it gets no more than the
// machine has, and leaves no core file.
void set_limits() {
  const rlim_t memory =
      static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  for (const auto& [what, most] : {std::pair{RLIMIT_AS, memory}, std::pair{RLIMIT_CORE, rlim_t{0}}}) {
    rlimit limit{};
    if (::getrlimit(what, &limit) != 0 || limit.rlim_cur <= most) continue;
    limit.rlim_cur = most;
    ::setrlimit(what, &limit);
  }
}

}  // namespace
}  // namespace tailrace::input::process

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tailrace::input::process::set_limits();
  tailrace::input::process::Reader reader(std::atoi(argv[1]));
  for (;;) reader.answer_next();
}
