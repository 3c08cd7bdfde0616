// What the schema knows and documents already, but refuses until it is there.
#include "session/options.hpp"

namespace tailrace::session {

using namespace config;

Type input_schema() {
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

Type checkpoint_schema() {
  return section({
      {.name = "directory",
       .type = text(),
       .says = "Where the checkpoints are kept.",
       .example = "restart",
       .fallback = "restart"},
      {.name = "every",
       .type = period_type(),
       .says = "How often one is made.",
       .example = "600 s",
       .required = true},
      {.name = "keep",
       .type = integer(1, 1000),
       .says = "How many are kept.",
       .example = "2",
       .fallback = "2"},
  });
}

}  // namespace tailrace::session
