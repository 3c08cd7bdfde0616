#include "output/adios2/section.hpp"

#include "config/read.hpp"

namespace tailrace::output::adios2 {
namespace {

using namespace config;

Type type() {
  return section({
      {.name = "engine",
       .type = choice({"bp5", "bp4", "sst"}),
       .says =
           "The engine of ADIOS2: a dataset on the disk, or, with `sst`, a stream to readers that come and "
           "go.",
       .example = "sst",
       .fallback = "bp5"},
      {.name = "queue",
       .type = integer(1, 1000),
       .says = "How many steps a stream keeps for its readers.",
       .example = "10",
       .fallback = "4"},
      {.name = "when_full",
       .type = choice({"discard", "block"}),
       .says =
           "What becomes of a step when a stream's queue is full: it is discarded, or the server waits for "
           "the reader.",
       .example = "block",
       .fallback = "discard"},
      {.name = "listen",
       .type = choice({"loopback", "all"}),
       .says = "Where readers of a stream may be: on the server's node, or on any that reaches it.",
       .example = "all",
       .fallback = "loopback"},
  });
}

Options read(const Value& value, Problems&) {
  Options options;
  if (value.find("engine") != nullptr)
    options.engine = choice_of<Engine>(value, "engine",
                                       {{"bp5", Engine::bp5}, {"bp4", Engine::bp4}, {"sst", Engine::sst}});
  options.queue = integer_of(value, "queue", options.queue);
  if (value.find("when_full") != nullptr)
    options.when_full =
        choice_of<WhenFull>(value, "when_full", {{"discard", WhenFull::discard}, {"block", WhenFull::block}});
  if (value.find("listen") != nullptr)
    options.listen =
        choice_of<Listen>(value, "listen", {{"loopback", Listen::loopback}, {"all", Listen::all}});
  return options;
}

}  // namespace

Section<Options> options_section() {
  return {.option = {.name = "adios2",
                     .type = type(),
                     .says = "How `format: adios2` writes.",
                     .example = "{engine: sst, queue: 10}"},
          .read = read};
}

}  // namespace tailrace::output::adios2
