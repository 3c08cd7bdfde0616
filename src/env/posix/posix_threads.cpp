#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

#include "env/threads.hpp"

namespace tailrace::env {
namespace {

// The affinity calls need a set as large as the kernel's, which on large machines exceeds cpu_set_t.
constexpr std::size_t most_cpus = 8192;

class CpuSet {
 public:
  CpuSet() : set_(CPU_ALLOC(most_cpus)) { CPU_ZERO_S(bytes(), set_); }
  ~CpuSet() { CPU_FREE(set_); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;
  static std::size_t bytes() { return CPU_ALLOC_SIZE(most_cpus); }
  cpu_set_t* get() { return set_; }

 private:
  cpu_set_t* set_;
};

// The CPUs where a thread may run; none if it has ended. 0: the calling thread.
std::vector<int> cpus_of_thread(pid_t thread) {
  CpuSet set;
  std::vector<int> cpus;
  if (sched_getaffinity(thread, CpuSet::bytes(), set.get()) != 0) return cpus;
  for (std::size_t cpu = 0; cpu < most_cpus; ++cpu)
    if (CPU_ISSET_S(cpu, CpuSet::bytes(), set.get())) cpus.push_back(static_cast<int>(cpu));
  return cpus;
}

}  // namespace

void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

int this_thread_number() {
  static std::atomic<int> next{0};
  thread_local const int number = next.fetch_add(1);
  return number;
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus = cpus_of_thread(0);
  if (cpus.empty()) {
    const unsigned count = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned cpu = 0; cpu < count; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

std::vector<int> cpus_of_all_threads() {
  const std::vector<int> own = allowed_cpus();
  std::set<int> cpus(own.begin(), own.end());
  std::error_code failure;
  std::filesystem::directory_iterator task("/proc/self/task", failure);
  for (; !failure && task != std::filesystem::directory_iterator(); task.increment(failure))
    for (const int cpu : cpus_of_thread(std::atoi(task->path().filename().c_str()))) cpus.insert(cpu);
  return {cpus.begin(), cpus.end()};
}

bool pin_this_thread(std::span<const int> cpus) {
  CpuSet set;
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= static_cast<int>(most_cpus)) return false;
    CPU_SET_S(static_cast<std::size_t>(cpu), CpuSet::bytes(), set.get());
  }
  return pthread_setaffinity_np(pthread_self(), CpuSet::bytes(), set.get()) == 0;
}

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t resident_high_water_bytes() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void return_large_blocks() {
#if defined(__GLIBC__)
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") == nullptr) mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

const char* rank_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* const text = std::getenv(name)) return text;
  return "0";
}

std::string node_name() {
  if (const char* const made_up = std::getenv("TAILRACE_NODES")) {
    std::istringstream names(made_up);
    std::string name;
    for (int rank = std::atoi(rank_of_launcher()); rank >= 0; --rank)
      if (!std::getline(names, name, ',')) break;
    return name;
  }
  std::string boot;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::getline(file, boot);
  struct stat memory {};
  if (stat("/dev/shm", &memory) != 0) memory = {};
  return host_name() + " " + boot + " " + std::to_string(memory.st_dev) + ":" + std::to_string(memory.st_ino);
}

int process_id() { return static_cast<int>(::getpid()); }

}  // namespace tailrace::env
