#include "settings/servers/servers.hpp"

#include <fmt/format.h>

#include <csignal>

#include "config/read.hpp"
#include "time/options.hpp"

namespace tailrace::settings {
namespace {

using config::choice;
using config::flag;
using config::Value;

std::vector<config::Option> where_they_run() {
  return {
      {.name = "mode",
       .type = choice({"dedicated", "attached", "inline", "off"}),
       .description =
           "Where the servers run: on separate ranks (`dedicated`), in a thread inside each model rank "
           "(`attached`), or within the model's own calls (`inline`); `off` writes nothing.",
       .example = "attached",
       .default_value = "dedicated"},
      {.name = "count",
       .type = config::integer(1, 1 << 20),
       .description =
           "The number of server ranks, taken from the end of the communicator (`dedicated` only).",
       .example = "2",
       .default_value = "1",
       .unit = "ranks"},
      {.name = "per_node",
       .type = config::integer(1, 1 << 12),
       .description =
           "The number of server ranks on each node, in place of `count`: the last ranks of the node, of its "
           "NUMA domains in turn.",
       .example = "1",
       .unit = "ranks"},
      {.name = "per_domain",
       .type = config::integer(1, 1 << 12),
       .description =
           "The number of server ranks on each NUMA domain, in place of `count`. Ranks that the launcher "
           "did not bind to one domain count as a domain of their node.",
       .example = "1",
       .unit = "ranks"},
      {.name = "pin",
       .type = choice({"auto", "none"}),
       .description =
           "Whether the threads of a dedicated server keep to the cores that the launcher gave it and no "
           "other rank of the node (`auto`), or run wherever it may.",
       .example = "none",
       .default_value = "auto"},
      {.name = "threads",
       .type = config::integer_or({"auto"}, 1, 1 << 12),
       .description =
           "The number of threads of a server that compute and compress; `auto` uses the cores assigned "
           "to the server.",
       .example = "4",
       .default_value = "auto",
       .unit = "threads"},
      {.name = "model_uses_hdf5",
       .type = flag(),
       .description =
           "Whether the model itself calls HDF5, as netCDF-4 does, other than between `hdf5_lock` and "
           "`hdf5_unlock`. With an HDF5 library that is not thread-safe, `mode: attached` is possible only "
           "if it does not.",
       .example = "false",
       .default_value = "true"},
  };
}

std::vector<config::Option> how_they_end() {
  return {
      {.name = "signals",
       .type = choice({"servers", "all", "none"}),
       .description =
           "The processes that take SIGTERM and SIGINT: those in which servers run, the model's ranks too "
           "(`all`: they continue and query `stop_requested`), or `none`.",
       .example = "all",
       .default_value = "servers"},
      {.name = "stop_signal",
       .type = choice({"none", "SIGTERM", "SIGINT", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2"}),
       .description =
           "A signal with the meaning of SIGTERM that all ranks take, the model's too unless they have a "
           "handler: for launchers and batch scripts that can send the ranks this signal and leave them "
           "time. "
           "SIGUSR1 then requests no checkpoint of its own. `tailrace run` chooses one itself.",
       .example = "SIGUSR2",
       .default_value = "none"},
      {.name = "grace",
       .type = time::duration_type(),
       .description =
           "The time from SIGTERM or SIGINT to the end of the servers: the model may finish, complete "
           "records are committed, the report is written.",
       .example = "60 s",
       .default_value = "20 s"},
      {.name = "on_server_loss",
       .type = choice({"stop", "continue"}),
       .description =
           "When a server dies or ends with an error: the model's next call fails (`stop`), or the model "
           "goes on without output, after one warning (`continue`; from `ready` on). Either way the files "
           "keep what was committed.",
       .example = "continue",
       .default_value = "stop"},
  };
}

std::vector<config::Option> what_they_may_use_and_tell() {
  return {
      {.name = "memory",
       .type = config::size(),
       .description =
           "The bound on the data that a server holds, from their arrival to the disk. A plan that must "
           "hold more at a time is refused in `ready`, with the figures. Where it is not given, it is "
           "1 GiB, and what a plan must hold comes on top, with a warning, as far as the node has it.",
       .example = "4 GiB",
       .unit = "bytes per server"},
      {.name = "watchdog",
       .type = time::duration_or_off_type(),
       .description = "The time without progress after which a server logs which ranks wait for which.",
       .example = "5 min",
       .default_value = "60 s"},
      {.name = "report",
       .type = flag(),
       .description = "Whether the run ends with a report of its cost for the model and of its output.",
       .example = "false",
       .default_value = "true"},
      {.name = "report_directory",
       .type = config::text(),
       .description = "The directory of the report and the status of the run.",
       .example = "logs/tailrace",
       .default_value = "tailrace_report"},
      {.name = "trace",
       .type = flag(),
       .description =
           "Whether each server writes a trace of its work, for ui.perfetto.dev, into the report directory.",
       .example = "true",
       .default_value = "false"},
  };
}

// (A default has no line.)
void refuse_several_counts(const Value& value, config::Problems& problems) {
  const char* given = nullptr;
  for (const char* name : {"count", "per_node", "per_domain"}) {
    const Value* number = value.find(name);
    if (!number || number->location().line == 0) continue;
    if (given)
      problems.add(number->location(), number->path(),
                   fmt::format("`{}` is given too; expected only one of them", given));
    given = name;
  }
}

ServersOptions read(const Value& value, config::Problems& problems) {
  ServersOptions options;
  options.mode = config::choice_of<Mode>(value, "mode",
                                         {{"dedicated", Mode::dedicated},
                                          {"attached", Mode::attached},
                                          {"inline", Mode::inline_},
                                          {"off", Mode::off}});
  refuse_several_counts(value, problems);
  options.count = config::integer_of(value, "count", options.count);
  options.per_node = config::integer_of(value, "per_node", options.per_node);
  options.per_domain = config::integer_of(value, "per_domain", options.per_domain);
  options.pin = config::choice_of<bool>(value, "pin", {{"auto", true}, {"none", false}});
  options.threads = config::integer_of(value, "threads", options.threads);
  options.buffer = transport::buffer_of(value, problems);
  options.transport = config::text_of(value, "transport", options.transport);
  options.memory = config::size_of(value, "memory", options.memory,
                                   {.bytes = std::size_t{1} << 20, .words = "1 MiB"}, problems);
  options.memory_given = value.find("memory") != nullptr;
  options.watchdog_seconds = time::seconds_of(value, "watchdog", options.watchdog_seconds);
  options.model_uses_hdf5 = config::flag_of(value, "model_uses_hdf5", options.model_uses_hdf5);
  options.signals = config::choice_of<Signals>(
      value, "signals", {{"servers", Signals::servers}, {"all", Signals::all}, {"none", Signals::none}});
  options.stop_signal = config::choice_of<int>(value, "stop_signal",
                                               {{"none", 0},
                                                {"SIGTERM", SIGTERM},
                                                {"SIGINT", SIGINT},
                                                {"SIGHUP", SIGHUP},
                                                {"SIGALRM", SIGALRM},
                                                {"SIGUSR1", SIGUSR1},
                                                {"SIGUSR2", SIGUSR2}});
  if (const Value* signal = value.find("stop_signal");
      signal != nullptr && options.stop_signal != 0 && options.signals == Signals::none)
    problems.add(signal->location(), signal->path(),
                 "`signals: none` leaves all signals alone; expected `signals: servers` or `all` with it");
  options.grace_seconds = time::seconds_of(value, "grace", options.grace_seconds);
  options.on_server_loss = config::choice_of<OnServerLoss>(
      value, "on_server_loss", {{"stop", OnServerLoss::stop}, {"continue", OnServerLoss::go_on}});
  options.report = config::flag_of(value, "report", options.report);
  options.report_directory = config::text_of(value, "report_directory", options.report_directory);
  options.trace = config::flag_of(value, "trace", options.trace);
  return options;
}

const config::SectionRegistration registration{servers_section};

}  // namespace

config::Section<ServersOptions> servers_section() {
  return {.option = {.name = "servers",
                     .type = config::joined_section({where_they_run(), transport::options(), how_they_end(),
                                                     what_they_may_use_and_tell()}),
                     .description = "Where the servers run, and the resources that they may use.",
                     .example = "{mode: dedicated, count: 2}"},
          .read = read};
}

}  // namespace tailrace::settings
