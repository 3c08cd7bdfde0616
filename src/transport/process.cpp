#include "transport/process.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

namespace tailrace::transport {
namespace {

struct Status {
  char state = '?';
  std::int32_t parent = 0;
  std::uint64_t start = 0;
};

// /proc/<pid>/stat: number (name) state parent and 17 more fields before the start time; the name may contain
// any characters.
Status status_of(std::int32_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text.substr(name_end + 1));
  Status status;
  rest >> status.state >> status.parent;
  std::string skipped;
  for (int field = 5; field < 22; ++field) rest >> skipped;
  if (!(rest >> status.start)) status.start = 0;
  return status;
}

// Whether the environment of the process has the rank of a launcher.
bool has_rank(std::int32_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/environ");
  for (std::string entry; std::getline(file, entry, '\0');)
    if (entry.starts_with("PMI_RANK=")) return true;
  return false;
}

std::uint64_t own_pid_space() {
  struct stat info {};
  return stat("/proc/self/ns/pid", &info) == 0 ? static_cast<std::uint64_t>(info.st_ino) : 0;
}

}  // namespace

ProcessId this_process() {
  const auto number = static_cast<std::int32_t>(getpid());
  return {.number = number, .start = status_of(number).start, .pid_space = own_pid_space()};
}

ProcessId launcher_process() {
  auto number = static_cast<std::int32_t>(getpid());
  do number = status_of(number).parent;
  while (number > 1 && has_rank(number));
  return {.number = number, .start = status_of(number).start, .pid_space = own_pid_space()};
}

bool gone(const ProcessId& process) {
  if (process.number == 0 || process.number == static_cast<std::int32_t>(getpid())) return false;
  if (process.pid_space != own_pid_space()) return false;
  if (kill(process.number, 0) != 0 && errno == ESRCH) return true;
  const Status now = status_of(process.number);
  if (now.state == 'Z' || now.state == 'X') return true;
  return process.start != 0 && now.start != 0 && now.start != process.start;
}

bool stopped(const ProcessId& process) {
  if (process.number == 0 || process.pid_space != own_pid_space()) return false;
  const char state = status_of(process.number).state;
  return state == 'T' || state == 't';
}

}  // namespace tailrace::transport
