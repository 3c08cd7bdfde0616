#include "settings/checkpoint.hpp"

#include <set>
#include <string>
#include <string_view>

#include "config/placeholders.hpp"
#include "config/read.hpp"
#include "settings/fields.hpp"
#include "settings/given_options.hpp"
#include "time/options.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

Type checkpoint_type() {
  return section({
      {.name = "directory",
       .type = text(),
       .description = "Where the checkpoints are kept, one directory below it each.",
       .example = "restart",
       .default_value = "restart"},
      {.name = "burst_buffer",
       .type = text(),
       .description =
           "A directory on a fast disk of each node, where servers write a checkpoint first. From there "
           "it is drained into `directory` while the run continues, and counts only then. A "
           "restart looks on the nodes for shards that a killed job had not drained.",
       .example = "/local/scratch/me"},
      {.name = "every",
       .type = time::period_or_never_type(),
       .description = "How often a checkpoint is due: at the first step at or past each multiple, but not "
                      "where the run begins.",
       .example = "600 s",
       .required = true},
      {.name = "keep",
       .type = integer(1, 1000),
       .description = "How many complete checkpoints are kept; older ones go when a new one is durable.",
       .example = "2",
       .default_value = "2"},
      {.name = "fields",
       .type = list(text()),
       .description =
           "The model's fields that belong to a checkpoint, by name or by pattern (`*`, `?`). They are "
           "wanted at each step where one is due, whether or not a file needs them.",
       .example = "[u, v, w, \"tracer_*\"]"},
      {.name = "restart",
       .type = choice({"auto", "never", "require", "at_initial_step"}),
       .description =
           "Whether a run begins where the latest complete checkpoint in `directory` ends: if there is "
           "one (`auto`), not at all (`never`), or else with an error (`require`). `at_initial_step` is "
           "for models with restart files of their own: at the checkpoint of the step that the "
           "model gives with `initial_step`, or else with an error; afresh at step 0. Where checkpoints "
           "exist, only `never` begins afresh: it removes them, and replaces the files.",
       .example = "require",
       .default_value = "auto"},
      {.name = "on_signal",
       .type = flag(),
       .description =
           "Whether SIGTERM, SIGINT, `servers.stop_signal` and SIGUSR1 make a checkpoint due at the model's "
           "next `checkpoint_due`. Then that call is collective. SIGUSR1 has no other effect: the run "
           "continues.",
       .example = "false",
       .default_value = "true"},
      {.name = "also_at_end",
       .type = flag(),
       .description =
           "Whether `finish` makes a checkpoint of the last step, where the model made none. Only without "
           "`fields`, which the model does not put then.",
       .example = "true",
       .default_value = "false"},
      {.name = "before_time_limit",
       .type = time::duration_type(),
       .description =
           "How long before the limit of the job a checkpoint is due, once; then `stop_requested` is true "
           "too. The limit is `time_limit`, or the one that Slurm reports (SLURM_JOB_END_TIME). "
           "`checkpoint_due` is "
           "collective then.",
       .example = "10 min"},
      {.name = "time_limit",
       .type = time::duration_type(),
       .description =
           "How long the job may run, in wall-clock time from the call of `start`, for `before_time_limit`.",
       .example = "6 h"},
      {.name = "on_error",
       .type = choice({"stop", "skip"}),
       .description = "The action if a checkpoint cannot be written: the model gets an error (`stop`), or a "
                      "warning is logged and the run continues (`skip`). Earlier checkpoints are kept in "
                      "both cases.",
       .example = "skip",
       .default_value = "stop"},
  });
}

// A restart begins before the model gives its options, but knows the component.
void check_is_known(const Value& section, const char* key, Problems& problems) {
  const Value* value = section.find(key);
  if (value == nullptr) return;
  std::set<std::string> names = config::placeholders_in(std::string_view(value->text()));
  names.erase(component_option);
  if (!names.empty())
    problems.add(value->location(), value->path(),
                 "this path may not contain `{name}`: a restart reads it before the model gives its options; "
                 "only `{component}` is known by then");
}

CheckpointOptions read(const Value& value, Problems& problems) {
  CheckpointOptions options;
  options.is_asked_for = true;
  options.location = value.location();
  options.directory = text_of(value, "directory", options.directory);
  check_is_known(value, "directory", problems);
  if (const Value* buffer = value.find("burst_buffer")) {
    options.burst_buffer = buffer->text();
    options.burst_buffer_location = buffer->location();
    check_is_known(value, "burst_buffer", problems);
    if (!options.burst_buffer.starts_with('/'))
      problems.add(buffer->location(), buffer->path(),
                   "expected a path from the root, such as `/local/scratch/me`, of a directory on a disk of "
                   "each node");
  }
  options.every = time::period_of(value, "every").period;
  options.keep = integer_of(value, "keep", options.keep);
  if (const Value* fields = value.find("fields"))
    for (const Value& field : fields->items()) options.fields.push_back({field.text(), field.location()});
  if (const Value* restart = value.find("restart")) options.restart_location = restart->location();
  options.restart = choice_of<Restart>(value, "restart",
                                       {{"auto", Restart::auto_},
                                        {"never", Restart::never},
                                        {"require", Restart::require},
                                        {"at_initial_step", Restart::at_initial_step}});
  options.on_signal = flag_of(value, "on_signal", options.on_signal);
  options.also_at_end = flag_of(value, "also_at_end", options.also_at_end);
  if (const Value* at_end = value.find("also_at_end"); options.also_at_end && !options.fields.empty())
    problems.add(at_end->location(), at_end->path(),
                 "expected `false`, since the checkpoint has `fields`: at its end the model does not put "
                 "them; or `fields` left out, where the model has restart files of its own");
  options.before_time_limit = time::seconds_of(value, "before_time_limit", options.before_time_limit);
  options.time_limit = time::seconds_of(value, "time_limit", options.time_limit);
  if (const Value* limit = value.find("time_limit"); limit != nullptr && options.before_time_limit <= 0.0)
    problems.add(limit->location(), limit->path(),
                 "the limit of the job is used by `before_time_limit` alone; expected that key too, such as "
                 "`before_time_limit: 10 min`");
  else if (limit != nullptr && options.time_limit <= options.before_time_limit)
    problems.add(limit->location(), limit->path(),
                 "the checkpoint would be due before the job begins; expected more than `before_time_limit`");
  options.on_error = choice_of<OnCheckpointError>(
      value, "on_error", {{"stop", OnCheckpointError::stop}, {"skip", OnCheckpointError::skip}});
  return options;
}

// Months need a calendar.
void check(const CheckpointOptions& own, const Sections& all, Problems& problems) {
  if (own.is_asked_for) check_months(own.every, own.location, "checkpoint.every", all, problems);
}

const SectionRegistration registration{checkpoint_section};

}  // namespace

bool CheckpointOptions::operator==(const CheckpointOptions& other) const {
  const auto names = [](const CheckpointOptions& options) {
    std::vector<std::string> all;
    for (const ListedName& field : options.fields) all.push_back(field.name);
    return all;
  };
  return is_asked_for == other.is_asked_for && directory == other.directory &&
         burst_buffer == other.burst_buffer && every.name() == other.every.name() && keep == other.keep &&
         names(*this) == names(other) && restart == other.restart && on_signal == other.on_signal &&
         also_at_end == other.also_at_end && before_time_limit == other.before_time_limit &&
         time_limit == other.time_limit && on_error == other.on_error;
}

config::Section<CheckpointOptions> checkpoint_section() {
  return {.option = {.name = "checkpoint",
                     .type = checkpoint_type(),
                     .description =
                         "When the state of the run is saved, and where: the model's fields, and what the "
                         "servers hold of windows that are open. A stopped run continues from it.",
                     .example = "{directory: restart, every: 600 s, keep: 2, fields: [u, v, w]}"},
          .read = read,
          .check = check};
}

}  // namespace tailrace::settings
