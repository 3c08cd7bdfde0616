#include "session/options.hpp"

namespace tailrace::session {

using namespace config;

Type diagnostics_schema() {
  return section({
      {.name = "is",
       .type = text(),
       .says = "The expression that computes it from fields, coordinates and other diagnostics.",
       .example = "\"mean(theta, y, x)\"",
       .required = true},
      {.name = "units",
       .type = text(),
       .says = "The units of the result; values are converted to them. By default those that the expression "
               "gives.",
       .example = "K"},
      {.name = "long_name",
       .type = text(),
       .says = "What it is, in words.",
       .example = "horizontal mean potential temperature"},
      {.name = "standard_name",
       .type = text(),
       .says = "Its CF standard name.",
       .example = "air_potential_temperature"},
      {.name = "optional",
       .type = flag(),
       .says = "Whether it is left out, with the variables made from it, where a field that it needs is not "
               "there, instead of being an error.",
       .example = "true",
       .fallback = "false"},
  });
}

}  // namespace tailrace::session
