#include "session/options.hpp"

namespace tailrace::session {

using namespace config;

Type servers_schema() {
  return section({
      {.name = "mode",
       .type = choice({"dedicated", "attached", "inline", "off"}),
       .says =
           "Where the servers run: on ranks of their own (`dedicated`), in a thread inside each model rank "
           "(`attached`), or within the model's own calls (`inline`); `off` writes nothing.",
       .example = "attached",
       .fallback = "dedicated"},
      {.name = "count",
       .type = integer(1, 1 << 20),
       .says = "How many server ranks, taken from the end of the communicator (`dedicated` only).",
       .example = "2",
       .fallback = "1",
       .unit = "ranks"},
      {.name = "per_node",
       .type = integer(1, 1 << 12),
       .says = "How many server ranks on each node, instead of `count`: the last ranks of the node.",
       .example = "1",
       .unit = "ranks"},
      {.name = "threads",
       .type = integer_or({"auto"}, 1, 1 << 12),
       .says = "How many threads of a server compute and compress; `auto` takes the cores that the server "
               "was given.",
       .example = "4",
       .fallback = "auto",
       .unit = "threads"},
      {.name = "buffer",
       .type = size(),
       .says = "What one client may have under way to its server: the bound on the memory between them.",
       .example = "64 MiB",
       .fallback = "256 MiB",
       .unit = "bytes per client"},
      {.name = "when_full",
       .type = choice({"wait", "spill", "fail"}),
       .says = "What a client does when its buffer is full: wait for the server (the stall is reported), "
               "spill to a "
               "local disk, or fail.",
       .example = "spill",
       .fallback = "wait"},
      {.name = "spill_directory",
       .type = text(),
       .says = "The directory for `when_full: spill`, best on a disk of the node.",
       .example = "/local/scratch",
       .fallback = "/tmp"},
      {.name = "transport",
       .type = choice({"auto", "shm", "mpi"}),
       .says = "How blocks travel: through shared memory (`shm`), by messages (`mpi`), or whichever fits "
               "each client.",
       .example = "mpi",
       .fallback = "auto"},
      {.name = "memory",
       .type = size(),
       .says = "The bound on what a server holds that waits for assembly or for the disk.",
       .example = "4 GiB",
       .fallback = "1 GiB",
       .unit = "bytes per server"},
      {.name = "watchdog",
       .type = duration_type(true),
       .says = "After how long without any progress a server prints who waits for whom.",
       .example = "5 min",
       .fallback = "60 s"},
      {.name = "report",
       .type = flag(),
       .says = "Whether the run ends with a report of what it cost the model and what was written.",
       .example = "false",
       .fallback = "true"},
      {.name = "report_directory",
       .type = text(),
       .says = "Where the report and the status of the run are written.",
       .example = "logs/tailrace",
       .fallback = "tailrace_report"},
      {.name = "trace",
       .type = flag(),
       .says =
           "Whether each server writes a trace of its work, for ui.perfetto.dev, into the report directory.",
       .example = "true",
       .fallback = "false"},
  });
}

}  // namespace tailrace::session
