// What the system says about this process and its threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tailrace::env {

// Shown by top -H, gdb and the trace; the system keeps the first 15 characters.
void name_this_thread(const std::string& name);
int this_thread_number();  // 0, 1, 2, ... in the order in which threads of this process first asked

// The cores the calling thread may run on (its binding), ascending; at least one.
std::vector<int> allowed_cpus();
// The cores any thread of this process may run on: a library may have bound each to one of many.
std::vector<int> cpus_of_all_threads();
// Binds the calling thread, and threads that it will start, to these cores. False if the system refuses.
bool pin_this_thread(std::span<const int> cpus);

std::uint64_t resident_bytes();             // now; 0 where the system does not tell
std::uint64_t resident_high_water_bytes();  // the most since the process started
// For a process that is a server and nothing else: blocks of a megabyte and more go back to the system when
// they are freed. Kept in the heap, they leave holes that do not fit the next one, and a server that is
// behind grows to half as much again. What the environment says (MALLOC_MMAP_THRESHOLD_) goes before.
void return_large_blocks();
std::string host_name();
// Two processes have the same exactly where they can share memory: host, boot, and the mount of /dev/shm.
// TAILRACE_NODES=<name for rank 0>,<for rank 1>,... makes them believe otherwise, for tests on one machine.
std::string node_name();
// As the launcher tells it: the same for the whole process, and known before MPI is; "0" without a launcher.
const char* rank_of_launcher();
int process_id();

}  // namespace tailrace::env
