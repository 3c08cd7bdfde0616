#include "transport/shm/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

#include "base/error.hpp"
#include "transport/process.hpp"

namespace tailrace::transport::shm {
namespace {

struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

constexpr const char* folder = "/dev/shm";

std::string fresh_name() {
  std::random_device random;
  const ProcessId mine = this_process();
  return fmt::format("/tailrace-{}-{}-{}-{:08x}{:08x}", mine.pid_space, mine.number, mine.start, random(),
                     random());
}

bool is_left_by_the_dead(const std::string& name) {
  ProcessId maker;
  int end = 0;
  const int found = std::sscanf(name.c_str(), "tailrace-%" SCNu64 "-%" SCNd32 "-%" SCNu64 "-%n",
                                &maker.pid_space, &maker.number, &maker.start, &end);
  return found == 3 && end > 0 && maker.start != 0 && gone(maker);
}

// An empty file uses no memory. It records that a process has reached `start`, and the other ranks need it to
// detect the death of that process (handshake/failure_detection/startup_monitor), also while another job
// starts.
bool may_be_looked_for(const std::filesystem::directory_entry& entry) {
  constexpr std::chrono::minutes while_ranks_meet{10};
  std::error_code failed;
  if (entry.file_size(failed) != 0 || failed) return false;
  const auto age = std::filesystem::file_time_type::clock::now() - entry.last_write_time(failed);
  return !failed && age < while_ranks_meet;
}

}  // namespace

Segment Segment::create(std::size_t bytes, const std::string& purpose) {
  const std::string name = fresh_name();
  const File file{shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600)};
  int error = file.descriptor < 0 ? errno : 0;
  // If the shared memory is too small, the allocation of the pages here is an error; later it would be a
  // SIGBUS.
  while (error == 0) {
    error = posix_fallocate(file.descriptor, 0, static_cast<off_t>(bytes));
    if (error == 0) {
      try {
        return {Mapping::shared(file.descriptor, bytes, name.c_str(), Mapping::Pages::in_place), name,
                Name::ours};
      } catch (...) {
        forget(name);
        throw;
      }
    }
    if (error == EINTR) error = 0;
  }
  if (file.descriptor >= 0) forget(name);
  throw Error(ErrorCode::resource,
              fmt::format("cannot take {} bytes for {} from the shared memory of this node (/dev/shm): {}; "
                          "use a smaller servers.buffer, fewer ranks per node, or a larger /dev/shm",
                          bytes, purpose, std::strerror(error)));
}

Segment Segment::attach(const std::string& name) {
  const File file{shm_open(name.c_str(), O_RDWR, 0)};
  struct stat info {};
  if (file.descriptor < 0 || fstat(file.descriptor, &info) != 0) {
    throw Error(ErrorCode::resource,
                fmt::format("cannot open the shared memory {} of another process of this node: {}", name,
                            std::strerror(errno)));
  }
  const auto bytes = static_cast<std::size_t>(info.st_size);
  return {Mapping::shared(file.descriptor, bytes, name.c_str(), Mapping::Pages::when_used), name,
          Name::theirs};
}

Segment::~Segment() {
  if (owner_ && mapping_.data() != nullptr) forget(name_);
}

void remove_leftovers() {
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (is_left_by_the_dead(name) && !may_be_looked_for(entry))
      forget("/" + name);  // the system refuses to remove that of another user
  }
}

void forget(const std::string& name) { shm_unlink(name.c_str()); }

}  // namespace tailrace::transport::shm
