#include "output/in_situ/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "config/read.hpp"
#include "env/programs.hpp"
#include "time/options.hpp"

namespace tailrace::output::in_situ {
namespace {

using namespace config;

Type type() {
  return section({
      {.name = "python",
       .type = text(),
       .description =
           "The Python file, relative to the configuration, or `file.py:function`. The function gets an "
           "xarray.Dataset with one record, or, if its decorator is `tailrace.sink`, an iterator over all; "
           "without a name it is the one called as the action.",
       .example = "plot.py:draw",
       .required = true},
      {.name = "interpreter",
       .type = text(),
       .description =
           "The Python that runs it: a path, relative to the configuration, or a name on the PATH. By "
           "default that "
           "of `VIRTUAL_ENV`, or else `python3`.",
       .example = "plotting/bin/python"},
      {.name = "timeout",
       .type = time::duration_type(),
       .description =
           "How long a call may last. Then the process is killed and a new one started for the next step.",
       .example = "10 s",
       .default_value = "60 s"},
      {.name = "start_within",
       .type = time::duration_type(),
       .description = "How long a new process may take to load the script, with its imports. Then it is "
                      "killed and a new one "
                      "started; after three in a row the action is given up. By default 60 s, or `timeout` "
                      "if that is longer. "
                      "With `when_full: wait` there is no limit unless one is given: the run waits, and the "
                      "log says so every "
                      "minute.",
       .example = "5 min"},
      {.name = "memory",
       .type = size(),
       .description =
           "How much memory of its own the process may hold, with those that it starts. When it holds "
           "more it is killed, and a new one is started.",
       .example = "500 MiB",
       .default_value = "2 GiB"},
      {.name = "queue",
       .type = integer(1, 256),
       .description = "How many steps may wait for the function, in memory.",
       .example = "16",
       .default_value = "4"},
      {.name = "when_full",
       .type = choice({"discard", "wait"}),
       .description =
           "The treatment of a step that finds the queue full: it is discarded and counted, or the server "
           "waits for the function, and in the end the model for the server.",
       .example = "wait",
       .default_value = "discard"},
  });
}

std::string path_beside(const Location& location, const std::string& path) {
  return (std::filesystem::path(location.file).parent_path() / path).string();
}

Action read(const std::string& entry, const Value& value, Problems& problems) {
  Action action;
  action.name = entry;
  action.function = entry;
  if (const Value* python = value.find("python")) {
    const std::string text = python->text();
    const std::size_t colon = text.find(':');
    action.script = path_beside(python->location(), text.substr(0, colon));
    if (colon != std::string::npos) action.function = text.substr(colon + 1);
    if (colon == 0 || action.function.empty())
      problems.add(python->location(), python->path(),
                   fmt::format("expected `file.py` or `file.py:function`, but got \"{}\"", text));
  }
  action.interpreter = env::default_interpreter();
  if (const Value* interpreter = value.find("interpreter")) {
    action.interpreter = interpreter->text();
    if (action.interpreter.find('/') != std::string::npos)
      action.interpreter = path_beside(interpreter->location(), action.interpreter);
  }
  action.timeout_seconds = time::seconds_of(value, "timeout", action.timeout_seconds);
  action.memory =
      size_of(value, "memory", action.memory, {.bytes = std::size_t{64} << 20, .words = "64 MiB"}, problems);
  action.queue = static_cast<int>(integer_of(value, "queue", action.queue));
  action.waits = text_of(value, "when_full", "discard") == "wait";
  action.start_within_seconds =
      time::seconds_of(value, "start_within",
                       action.waits ? std::numeric_limits<double>::infinity()
                                    : std::max(action.start_within_seconds, action.timeout_seconds));
  return action;
}

}  // namespace

FormatSection action_section() {
  return {
      .option = {.name = "in_situ",
                 .type = map("action", type()),
                 .description =
                     "Python functions that get each record while the model runs, in a process of their own "
                     "beside the servers.",
                 .example = "{slice: {python: plot.py:draw, variables: [{field: theta, every: 60 s}]}}"},
      .read = [](const std::string& entry, const Value& value, Problems& problems) {
        return wrap_options(read(entry, value, problems));
      }};
}

}  // namespace tailrace::output::in_situ
