#include "transport/options.hpp"

#include "config/read.hpp"
#include "transport/registry.hpp"

namespace tailrace::transport {

using namespace config;

std::vector<Option> options() {
  return {
      {.name = "buffer",
       .type = size(),
       .description =
           "The bound on the data in transit from one client to its server. Where it is not given, a client "
           "takes what it puts in 16 steps, from 1 MiB to 256 MiB.",
       .example = "64 MiB",
       .unit = "bytes per client"},
      {.name = "when_full",
       .type = choice({"wait", "spill", "fail"}),
       .description =
           "The action of a client when its buffer is full: wait for the server (the stall is reported), "
           "spill to a local disk, or fail.",
       .example = "spill",
       .default_value = "wait"},
      {.name = "spill_directory",
       .type = text(),
       .description = "The directory for `when_full: spill`, preferably on a local disk of the node.",
       .example = "/local/scratch",
       .default_value = "/tmp"},
      {.name = "transport",
       .type = choice(transport_choices()),
       .description =
           "How blocks are transported: through shared memory (`shm`), by MPI messages (`mpi`), or as "
           "suits each client (`auto`).",
       .example = "mpi",
       .default_value = "auto"},
  };
}

BufferOptions buffer_of(const Value& section, Problems& problems) {
  BufferOptions buffer;
  buffer.bytes =
      size_of(section, "buffer", buffer.bytes, {.bytes = std::size_t{64} << 10, .words = "64 KiB"}, problems);
  const Value* given = section.find("buffer");
  buffer.at_most = given == nullptr;
  buffer.when_full = config::choice_of<WhenFull>(
      section, "when_full", {{"wait", WhenFull::wait}, {"spill", WhenFull::spill}, {"fail", WhenFull::fail}});
  buffer.spill_directory = text_of(section, "spill_directory", buffer.spill_directory);
  return buffer;
}

}  // namespace tailrace::transport
