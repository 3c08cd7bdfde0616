#include "input/reader/process/file_identity.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <optional>
#include <sstream>

#include "input/reader/process/wire.hpp"

namespace tailrace::input::process {
namespace {

struct Identity {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, changed_ns = 0;
};

// None: errno tells why.
std::optional<Identity> look(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return Identity{found.st_dev, found.st_ino, found.st_size,
                  std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

std::string moment(std::int64_t nanoseconds) {
  const std::time_t seconds = nanoseconds / 1'000'000'000;
  std::tm parts{};
  char text[32] = "";
  if (::gmtime_r(&seconds, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[16] = "";
  std::snprintf(fraction, sizeof fraction, ".%09lldZ", static_cast<long long>(nanoseconds % 1'000'000'000));
  return std::string(text) + fraction;
}

std::string bytes(std::int64_t count) { return std::to_string(count) + " bytes"; }

}  // namespace

std::string identity_of(const std::string& path) {
  const auto found = look(path);
  if (!found) throw Refusal(std::strerror(errno), errno == ENOENT || errno == ENOTDIR ? "absent" : "");
  std::ostringstream text;
  text << found->device << ' ' << found->inode << ' ' << found->size << ' ' << found->changed_ns;
  return text.str();
}

void check_identity(const std::string& path, const std::string& expected) {
  Identity old;
  std::istringstream(expected) >> old.device >> old.inode >> old.size >> old.changed_ns;
  const std::string was = "; expected the file of " + bytes(old.size) + " of " + moment(old.changed_ns);
  const auto now = look(path);
  if (!now)
    throw Refusal(std::string("was removed since it was opened: ") + std::strerror(errno) + was, "changed");
  const std::string is = ": it has " + bytes(now->size) + " of " + moment(now->changed_ns) + was;
  if (now->device != old.device || now->inode != old.inode)
    throw Refusal("was replaced since it was opened" + is, "changed");
  if (now->size < old.size) throw Refusal("was truncated since it was opened" + is, "changed");
  if (now->size != old.size || now->changed_ns != old.changed_ns)
    throw Refusal("was changed since it was opened" + is, "changed");
}

}  // namespace tailrace::input::process
