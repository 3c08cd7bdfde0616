// Sections that are documented but not available yet: no room reads them.
#include "config/section.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

Type input_type() {
  return section({
      {.name = "files",
       .type = list(text(), 1),
       .description = "The files to read from.",
       .example = "[forcing.nc]",
       .required = true},
      {.name = "fields",
       .type = list(text(), 1),
       .description = "The fields to read.",
       .example = "[precip]",
       .required = true},
  });
}

Option input() {
  return {.name = "input",
          .type = map("name", input_type()),
          .description = "Fields that the servers read ahead for the model.",
          .example = "{forcing: {files: [forcing.nc], fields: [precip]}}",
          .available = false};
}

const SectionRegistration input_registration{input};

}  // namespace
}  // namespace tailrace::settings
