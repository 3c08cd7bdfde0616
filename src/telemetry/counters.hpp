// The counters of a client and of a server: plain structs, which the code that does the work updates in
// place. Times are in nanoseconds of the monotonic clock, sizes in bytes, model times in seconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "telemetry/counter.hpp"
#include "telemetry/memory_account.hpp"
#include "telemetry/series.hpp"

namespace tailrace::telemetry {

// One field of one client. Only the model's thread writes.
struct FieldCounters {
  std::string name;
  Counter unwanted;  // calls that returned at once because the field is not needed at this step
  Counter bytes;     // passed to the server
  Timings put;       // each needed put, stalls included; with acquire/publish the time inside the two calls
  Timings stall;     // the waits for room in the buffer among those
  // The next three count for input fields.
  Timings get = {};        // each get, waits included
  Timings wait = {};       // the waits for records that were late, among those
  Counter got_bytes = {};  // of the values that the model got
};

struct ClientCounters {
  std::string component;
  int rank = 0;  // in the component
  std::string host;
  std::vector<FieldCounters> fields;  // by index of the declarations
  Timings step;                       // time inside the step call
  Timings checkpoint;                 // time inside the call that ends one
  Counter ready_nanoseconds;          // time inside ready
  Counter finish_nanoseconds;         // from the call of finish to the servers' goodbye; the servers set it
  Counter run_nanoseconds;            // from the end of ready to the start of finish
  Counter buffer_capacity_bytes, buffer_high_water_bytes;
  Counter spilled_packets, spilled_bytes;
  Counter resident_high_water_bytes;
  double model_seconds = 0.0;  // model time from the start to the last step; set at the end

  std::vector<std::byte> to_bytes() const;
  static ClientCounters from_bytes(std::span<const std::byte> bytes);
};

// How a server spends its time. The sum over several threads can exceed the wall time. `idle`: the
// communication thread sleeps.
enum class Phase : int { receive, analyse, accumulate, regrid, assemble, encode, write, message, idle };
inline constexpr std::size_t phase_count = 9;
const char* phase_name(Phase phase);

// A variable whose values are rounded within a bound, or whose level of compression is chosen, on the server
// that writes its file.
struct KeptCounters {
  std::string variable, bound;     // the bound in words; empty: values are exact
  std::uint64_t chunks = 0;        // that were encoded
  std::uint64_t exact_chunks = 0;  // of these, stored without rounding, since they did not pass the check
  double absolute = 0.0, relative = 0.0;    // the largest errors
  int fewest_bits = 0;                      // that were kept of a mantissa, where they were chosen; else 0
  std::array<std::uint64_t, 4> at_level{};  // chunks, by chosen_levels; 0 where none is chosen
};
inline constexpr std::array<int, 4> chosen_levels{1, 3, 6, 9};

// One file on one server. Only the thread that writes the file updates them; the report adds the counters of
// several servers for the same path.
struct DatasetCounters {
  std::string path;
  Counter raw_bytes;      // before encoding
  Counter encoded_bytes;  // after it
  Counter disk_bytes;     // the size of the file
  Counter records;
  Counter commits;
  Timings write;                 // each commit, or the chunks of it that a server of several writes
  double last_model_time = 0.0;  // of the newest committed record; read it while the writer is idle
  std::string skipped;           // why the file was abandoned (on_error: skip); empty: it was not
  std::vector<KeptCounters> kept;
  // For a stream to readers.
  Counter handed_over_steps, unread_steps, discarded_steps, lost_steps, restarts;
};

// Values of one variable on one server that its type in the file cannot represent, or that equal its fill
// value. Not safe from several threads.
struct OutOfRange {
  std::string path, variable, type;
  std::uint64_t values = 0;
  double first_time = 0.0;  // of the earliest record with such a value

  void add(std::uint64_t more, double time);
};

// An input field on one server, which reads it or gives it to clients. Only the communication thread writes;
// the report adds the counters of several servers.
struct InputCounters {
  std::string component, field;
  Timings reads;       // each record that was read, or tried in vain
  Counter bytes_read;  // input::RecordValues::bytes_read
  Counter failures;    // records that could not be read
  Timings late;        // each record that a client needed before it had arrived at its server: for how long
  Counter last_late_nanoseconds;
};

// Checkpoints that are written through burst buffers; on the server that commits them.
struct BurstBufferCounters {
  Timings seconds;           // of each, from the model's call until all its shards were on the nodes
  Counter bytes;             // written there
  Counter high_water_bytes;  // the most that waited there
  Counter overflowed;        // shards that were written directly to the directory
};

struct ServerCounters {
  int rank = 0;  // among the servers
  std::string host;
  int threads = 0;
  std::array<SharedTimings, phase_count> phases;
  SharedCounter bytes_in;  // payload from clients
  SharedCounter packets_in;
  SharedCounter raw_bytes_out, encoded_bytes_out;
  SharedCounter messages_sent, message_bytes_sent;
  MemoryAccount held;
  Counter commits;
  Counter checkpoints, checkpoint_bytes;  // complete ones; on the server that commits them
  Timings checkpoint_seconds;             // of each, from the model's call until it is on disk
  BurstBufferCounters burst_buffer;
  Timings lag;  // of each commit: from the arrival of the put that completes it until it is on disk
  Counter last_lag_nanoseconds;
  Series lag_series;        // (seconds since the start of the run, lag in seconds)
  Counter run_nanoseconds;  // from ready to the end
  Counter resident_high_water_bytes;
  // By index of the plan's files; only those that this server owns are filled. Pointers stay valid while it
  // grows.
  std::deque<DatasetCounters> files;
  std::deque<InputCounters> inputs;     // pointers stay valid
  std::deque<OutOfRange> out_of_range;  // of variables whose type may be too small; pointers stay valid

  SharedTimings& phase(Phase phase) { return phases[base::index(phase)]; }
  const SharedTimings& phase(Phase phase) const { return phases[base::index(phase)]; }
  DatasetCounters& add_file(const std::string& path);
  InputCounters& add_input(const std::string& component, const std::string& field);
  // Call it after each commit, from one thread. `at` is in seconds since the start of the run.
  void committed(double at, double lag_seconds);

  std::vector<std::byte> to_bytes() const;
  static ServerCounters from_bytes(std::span<const std::byte> bytes);
};

}  // namespace tailrace::telemetry
