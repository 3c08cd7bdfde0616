#include "session/options.hpp"

namespace tailrace::session {

using namespace config;

namespace {

Type result_schema() {
  return section({
      {.name = "dims",
       .type = either({choice({"same"}), list(either({text(), map("dimension", integer(1))}))}),
       .says = "The dimensions of the result: `same` as the first argument, or a list of names of the "
               "arguments' "
               "dimensions and of new ones with their extent.",
       .example = "[y, x, {bin: 10}]",
       .fallback = "same"},
      {.name = "units",
       .type = text(),
       .says =
           "The units of the result; `same` for those of the first argument. By default they are unknown.",
       .example = "m s-1"},
  });
}

}  // namespace

Type operators_schema() {
  return section({
      {.name = "library",
       .type = text(),
       .says = "The shared library with the function, relative to the configuration; either this or `python` "
               "is given.",
       .example = "./libwind.so"},
      {.name = "symbol",
       .type = text(),
       .says = "The name of the function in the library; by default that of the operator.",
       .example = "wind_speed_v2"},
      {.name = "python",
       .type = text(),
       .says = "The Python file with the function, relative to the configuration, and behind a colon the "
               "function's name where it is not that of the operator.",
       .example = "mine.py:wind_speed"},
      {.name = "arguments",
       .type = either({integer(1, 16), list(either({choice({"any"}), list(text())}), 1)}),
       .says = "The arguments: how many, or a list with the dimensions of each, `any` where all will do.",
       .example = "[[z, y, x], any]",
       .fallback = "1"},
      {.name = "needs_whole",
       .type = either({choice({"all"}), list(text())}),
       .says = "The dimensions along which a call must see all cells; those that the result does not have "
               "are always whole.",
       .example = "[z]"},
      {.name = "result",
       .type = result_schema(),
       .says = "What the function gives.",
       .example = "{dims: same, units: m s-1}"},
      {.name = "thread_safe",
       .type = flag(),
       .says = "Whether several threads of a server may call the function at once.",
       .example = "true",
       .fallback = "false"},
  });
}

}  // namespace tailrace::session
