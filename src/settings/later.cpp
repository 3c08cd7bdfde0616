// What the schema knows and documents already, but refuses until a room is there that reads it.
#include "config/section.hpp"
#include "time/options.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

Type input_type() {
  return section({
      {.name = "files",
       .type = list(text(), 1),
       .says = "The files to read from.",
       .example = "[forcing.nc]",
       .required = true},
      {.name = "fields",
       .type = list(text(), 1),
       .says = "The fields to read.",
       .example = "[precip]",
       .required = true},
  });
}

Option input() {
  return {.name = "input",
          .type = map("name", input_type()),
          .says = "Fields that the servers read ahead for the model.",
          .example = "{forcing: {files: [forcing.nc], fields: [precip]}}",
          .available = false};
}

Type checkpoint_type() {
  return section({
      {.name = "directory",
       .type = text(),
       .says = "Where the checkpoints are kept.",
       .example = "restart",
       .fallback = "restart"},
      {.name = "every",
       .type = time::period_type(),
       .says = "How often a checkpoint is written.",
       .example = "600 s",
       .required = true},
      {.name = "keep",
       .type = integer(1, 1000),
       .says = "How many checkpoints are kept.",
       .example = "2",
       .fallback = "2"},
  });
}

Option checkpoint() {
  return {.name = "checkpoint",
          .type = checkpoint_type(),
          .says = "When and where the run's state is saved.",
          .example = "{directory: restart, every: 600 s, keep: 2}",
          .available = false};
}

const SectionRegistration input_registration{input};
const SectionRegistration checkpoint_registration{checkpoint};

}  // namespace
}  // namespace tailrace::settings
