// Information from the system about this process and its threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tailrace::env {

// Shown by top -H, gdb and the trace; the system keeps the first 15 characters.
void name_this_thread(const std::string& name);
int this_thread_number();  // 0, 1, 2, ... in the order in which threads of this process first asked

// The cores where the calling thread may run (its binding), ascending; at least one.
std::vector<int> allowed_cpus();
// The cores where any thread of this process may run: a library may have bound each thread to one of many.
std::vector<int> cpus_of_all_threads();
// Binds the calling thread, and the threads that it starts later, to these cores. False if the system
// refuses.
bool pin_this_thread(std::span<const int> cpus);

std::uint64_t resident_bytes();             // now; 0 if unknown
std::uint64_t resident_high_water_bytes();  // the most since the process started
// For a dedicated server process: blocks of a megabyte and more are returned to the system when they are
// freed. In the heap they would leave holes that do not fit the next block, and the memory of a server that
// is behind would grow by half. The variable MALLOC_MMAP_THRESHOLD_ takes precedence.
void return_large_blocks();
std::string host_name();
// Two processes have the same name exactly if they can share memory: it consists of the host, the boot, and
// the mount of /dev/shm. TAILRACE_NODES=<name for rank 0>,<for rank 1>,... overrides it, for tests on one
// machine.
std::string node_name();
// The rank from the launcher's environment, which is known before MPI is initialised; "0" without a launcher.
const char* rank_of_launcher();
int process_id();

}  // namespace tailrace::env
