// The part of a configuration that `tailrace serve --yac` and `--pism` need. These commands are written in
// Python, and ask for it as JSON, so that the notation, its defaults and the places in the text are read in
// one way.
#pragma once

#include <string>

namespace tailrace::settings {

// Reads and checks the configuration, beside a text as a model may give it. Returns the JSON object
//   {"place", "component", "wait_seconds", "watchdog_seconds",
//    "grids": {NAME: {"place", "target"}}, with a target as python/tailrace/weights/requests.py reads it,
//    "fields": {NAME: {"place", "levels", "fill_value"}},
//    "levels": {DIM: {"place", "file", "variable"}},
//    "given": {KEY: {"place", "value"}} of servers.mode, model_time.calendar and model_time.start, those that
//        the text has,
//    "asked": [{"name", "place", "every", "every_place", "optional", "seconds" or "steps" or "months"}]
//        of `fields`, without fixed ones,
//    "variables": [{"field", "place", "every", "seconds" or "steps" or "months"}] of `output`,
//    "files": [{"name", "place", "has_if_exists"}] of `output`, "inputs": [{"name", "place"}],
//    "checkpoints": whether any are made}.
// A place is file:line:column, or the file; that of the object, which is the section `yac`, is empty if there
// is no such section. Blocks. Throws the errors of parse_configuration.
std::string coupling_request(const std::string& path, const std::string& model_text = {});

}  // namespace tailrace::settings
