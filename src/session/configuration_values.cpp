#include "session/configuration_values.hpp"

#include <limits>

#include "calendar/calendar.hpp"
#include "session/options.hpp"
#include "tailrace/error.hpp"

namespace tailrace::session {

using config::Kind;
using config::Value;

namespace {

std::string text_of(const Value& section, const char* name, const std::string& fallback = "") {
  const Value* value = section.find(name);
  return value != nullptr ? value->text() : fallback;
}

bool flag_of(const Value& section, const char* name, bool fallback) {
  const Value* value = section.find(name);
  return value != nullptr ? value->flag() : fallback;
}

// One of the constants of an enumeration, by the order of the names in the declaration.
template <class Enum>
Enum choice_of(const Value& section, const char* name,
               std::initializer_list<std::pair<const char*, Enum>> choices) {
  const std::string chosen = text_of(section, name, choices.begin()->first);
  for (const auto& [word, meaning] : choices)
    if (chosen == word) return meaning;
  return choices.begin()->second;
}

// The place is left without a line where there is no period to speak of.
std::pair<time::Period, config::Location> period_of(const Value& section, const char* name) {
  const Value* value = section.find(name);
  if (value == nullptr || value->open()) return {time::Period::of_steps(1), {}};
  if (is_never(value->text())) return {time::Period::never(), value->location()};
  return {time::Period::parse(value->text()), value->location()};
}

double seconds_of(const Value& section, const char* name, double fallback) {
  const Value* value = section.find(name);
  if (value == nullptr || value->open()) return fallback;
  return value->text() == "off" ? 0.0 : time::Period::parse(value->text()).seconds();
}

output::AttributeValue attribute_of(const Value& value) {
  if (value.kind() == Kind::list) {
    std::vector<double> numbers;
    for (const Value& item : value.items()) numbers.push_back(item.real());
    return numbers;
  }
  if (value.kind() == Kind::real) return value.real();
  if (value.kind() != Kind::integer) return value.text();
  const std::int64_t number = value.integer();
  const bool narrow = number >= std::numeric_limits<std::int32_t>::min() &&
                      number <= std::numeric_limits<std::int32_t>::max();
  if (narrow) return static_cast<std::int32_t>(number);
  return number;
}

output::Attributes attributes_of(const Value& section) {
  output::Attributes attributes;
  if (const Value* value = section.find("attributes"))
    for (const auto& entry : value->entries()) attributes.emplace_back(entry.key, attribute_of(entry.value));
  return attributes;
}

class Converter {
 public:
  explicit Converter(config::Problems& problems) : problems_(problems) {}

  Configuration convert(const Value& root) {
    Configuration configuration;
    configuration.as_monc = text_of(root, "legacy") == "monc";
    if (const Value* servers = root.find("servers")) configuration.servers = servers_of(*servers);
    if (const Value* time = root.find("time")) convert_time(*time, configuration);
    if (const Value* fields = root.find("fields"))
      for (const auto& entry : fields->entries()) configuration.field_groups.push_back(field_group_of(entry));
    if (const Value* diagnostics = root.find("diagnostics"))
      for (const auto& entry : diagnostics->entries())
        configuration.diagnostics.push_back(diagnostic_of(entry));
    if (const Value* operators = root.find("operators"))
      configuration.operators = operators_of(*operators, problems_);
    if (const Value* groups = root.find("groups"))
      for (const auto& entry : groups->entries())
        for (const Value& item : entry.value.items())
          configuration.groups[entry.key].emplace_back(item.text(), item.location());
    if (const Value* output = root.find("output"))
      for (const auto& entry : output->entries()) configuration.files.push_back(file_of(entry));
    return configuration;
  }

 private:
  ServersOptions servers_of(const Value& value) {
    ServersOptions servers;
    servers.mode = choice_of<Mode>(value, "mode",
                                   {{"dedicated", Mode::dedicated},
                                    {"attached", Mode::attached},
                                    {"inline", Mode::inline_},
                                    {"off", Mode::off}});
    set_count(value, servers);
    if (const Value* threads = value.find("threads"); threads && threads->is_integer())
      servers.threads = static_cast<int>(threads->integer());
    set_buffer(value, servers);
    servers.transport = choice_of<TransportChoice>(
        value, "transport",
        {{"auto", TransportChoice::automatic}, {"shm", TransportChoice::shm}, {"mpi", TransportChoice::mpi}});
    servers.watchdog_seconds = seconds_of(value, "watchdog", servers.watchdog_seconds);
    servers.report = flag_of(value, "report", servers.report);
    servers.trace = flag_of(value, "trace", servers.trace);
    servers.report_directory = text_of(value, "report_directory", servers.report_directory);
    return servers;
  }

  void set_count(const Value& value, ServersOptions& servers) {
    const Value* count = value.find("count");
    const Value* per_node = value.find("per_node");
    if (count) servers.count = static_cast<int>(count->integer());
    if (per_node) servers.per_node = static_cast<int>(per_node->integer());
    if (count && per_node && count->location().line > 0)
      problems_.add(per_node->location(), per_node->path(),
                    "`count` is given too; expected only one of the two");
  }

  void set_buffer(const Value& value, ServersOptions& servers) {
    servers.buffer.bytes = size_of(value, "buffer", servers.buffer.bytes, std::size_t{64} << 10, "64 KiB");
    servers.memory = size_of(value, "memory", servers.memory, std::size_t{1} << 20, "1 MiB");
    servers.buffer.when_full = choice_of<transport::WhenFull>(value, "when_full",
                                                              {{"wait", transport::WhenFull::wait},
                                                               {"spill", transport::WhenFull::spill},
                                                               {"fail", transport::WhenFull::fail}});
    servers.buffer.spill_directory = text_of(value, "spill_directory", servers.buffer.spill_directory);
  }

  std::size_t size_of(const Value& section, const char* name, std::size_t fallback, std::size_t least,
                      const char* least_words) {
    const Value* value = section.find(name);
    if (value == nullptr) return fallback;
    if (value->bytes() < least)
      problems_.add(value->location(), value->path(), std::string("expected ") + least_words + " or more");
    return value->bytes();
  }

  void convert_time(const Value& value, Configuration& configuration) {
    configuration.calendar_name = text_of(value, "calendar", "none");
    const Value* start = value.find("start");
    if (start != nullptr && !start->open()) configuration.start = calendar::parse_date(start->text());
    if (const Value* calendar = value.find("calendar"); calendar != nullptr && !calendar->open())
      check_start(*calendar, start, configuration);
  }

  void check_start(const Value& calendar, const Value* start, const Configuration& configuration) {
    const bool none = configuration.calendar_name == "none";
    if (start == nullptr && !none && !problems_.touch("time.start"))
      problems_.add(calendar.location(), calendar.path(),
                    "a calendar needs a `start`, the date at which model time is 0");
    if (start == nullptr || start->open()) return;
    if (none)
      problems_.add(start->location(), start->path(),
                    "a start date needs a calendar, and `time.calendar` is none");
    else
      report([&] { calendar::Calendar(configuration.calendar_name, configuration.start); }, *start);
  }

  FieldGroup field_group_of(const config::ValueEntry& entry) {
    FieldGroup group;
    group.name = entry.key;
    std::tie(group.every, group.every_location) = period_of(entry.value, "every");
    group.optional = flag_of(entry.value, "optional", false);
    group.also_at_end = flag_of(entry.value, "also_at_end", false);
    const std::string space = text_of(entry.value, "namespace");
    if (const Value* names = entry.value.find("names"))
      for (const Value& name : names->items())
        group.fields.emplace_back(space.empty() ? name.text() : space + "." + name.text(), name.location());
    return group;
  }

  static DiagnosticEntry diagnostic_of(const config::ValueEntry& entry) {
    const Value& is = entry.value.at("is");
    DiagnosticEntry diagnostic;
    diagnostic.name = entry.key;
    diagnostic.location = entry.location;
    diagnostic.is = is.text();
    diagnostic.is_location = is.location();
    if (is.quoted()) ++diagnostic.is_location.column;
    diagnostic.units = text_of(entry.value, "units");
    diagnostic.long_name = text_of(entry.value, "long_name");
    diagnostic.standard_name = text_of(entry.value, "standard_name");
    diagnostic.optional = flag_of(entry.value, "optional", false);
    return diagnostic;
  }

  FileEntry file_of(const config::ValueEntry& entry) {
    const Value& value = entry.value;
    FileEntry file;
    file.location = entry.location;
    file.path = entry.key;
    file.format = text_of(value, "format", "netcdf");
    std::tie(file.write_every, file.write_every_location) = period_of(value, "write_every");
    file.on_error = choice_of<OnError>(
        value, "on_error", {{"stop", OnError::stop}, {"skip", OnError::skip}, {"retry", OnError::retry}});
    file.retry_for_seconds = seconds_of(value, "retry_for", file.retry_for_seconds);
    file.codec = codec_of(value).value_or(codecs::CodecOptions());
    file.access = choice_of<Access>(
        value, "access", {{"auto", Access::automatic}, {"maps", Access::maps}, {"series", Access::series}});
    file.time_stamp =
        choice_of<TimeStamp>(value, "time_stamp", {{"end", TimeStamp::end}, {"middle", TimeStamp::middle}});
    file.series = flag_of(value, "series", false);
    file.overwrite = flag_of(value, "overwrite", true);
    file.sync = flag_of(value, "sync", false);
    file.attributes = attributes_of(value);
    if (const Value* tables = value.find("option_tables"))
      for (const auto& table : tables->entries()) file.option_tables.push_back(option_table_of(table));
    if (const Value* variables = value.find("variables"))
      for (const Value& variable : variables->items()) file.variables.push_back(variable_of(variable));
    return file;
  }

  OptionTable option_table_of(const config::ValueEntry& entry) {
    OptionTable table;
    table.name = entry.key;
    table.location = entry.location;
    table.config_path = entry.value.path();
    if (const auto complaint = variable_name_complaint(table.name))
      problems_.add(table.location, table.config_path, *complaint);
    table.prefix = text_of(entry.value, "prefix", table.name + ".");
    table.dimension = text_of(entry.value, "dimension", table.name + "_entry");
    table.optional = flag_of(entry.value, "optional", false);
    return table;
  }

  VariableEntry variable_of(const Value& value) {
    VariableEntry variable;
    variable.location = value.location();
    variable.config_path = value.path();
    set_target(value, variable);
    variable.name = text_of(value, "name");
    variable.suffix = text_of(value, "suffix");
    variable.reduction = time::find_reduction(text_of(value, "time")).value_or(time::ReductionKind::snapshot);
    std::tie(variable.every, variable.every_location) = period_of(value, "every");
    variable.axis = text_of(value, "axis");
    variable.split = text_of(value, "split");
    variable.whole_samples = text_of(value, "edges", "exact") == "samples";
    if (value.find("type") != nullptr) variable.type = type_of(text_of(value, "type"));
    variable.codec = codec_of(value);
    if (const Value* chunk = value.find("chunk")) {
      variable.chunk_location = chunk->location();
      for (const Value& extent : chunk->items()) variable.chunk.push_back(extent.integer());
    }
    variable.attributes = attributes_of(value);
    return variable;
  }

  void set_target(const Value& value, VariableEntry& variable) {
    const Value* field = value.find("field");
    const Value* group = value.find("group");
    if ((field == nullptr) == (group == nullptr)) {
      problems_.add(value.location(), value.path(), "expected either `field` or `group`");
    } else if (group != nullptr && value.find("name") != nullptr) {
      const Value& name = value.at("name");
      problems_.add(
          name.location(), name.path(),
          "a `group` has many variables, which cannot share one name; `suffix` is put behind each of "
          "their names");
    }
    if (field != nullptr) variable.field = field->text();
    if (group != nullptr) variable.group = group->text();
    if (field != nullptr || group != nullptr) variable.target_location = (field ? field : group)->location();
  }

  static std::optional<model::DataType> type_of(const std::string& name) {
    using model::DataType;
    for (const DataType type : {DataType::float32, DataType::float64, DataType::int32, DataType::int64})
      if (model::name_of(type) == name) return type;
    return std::nullopt;
  }

  std::optional<codecs::CodecOptions> codec_of(const Value& section) {
    const Value* value = section.find("compression");
    if (value == nullptr) return std::nullopt;
    codecs::CodecOptions options;
    if (value->kind() == Kind::choice) {
      options.codec = value->text();
    } else {
      options.codec = text_of(*value, "codec", "none");
      if (const Value* level = value->find("level")) options.level = static_cast<int>(level->integer());
      options.shuffle = flag_of(*value, "shuffle", true);
    }
    if (!value->open()) report([&] { codecs::make_codec(options); }, *value);
    return options;
  }

  // What another room refuses becomes a problem at the place of the value.
  template <class Attempt>
  void report(Attempt attempt, const Value& value) {
    try {
      attempt();
    } catch (const Error& error) {
      problems_.add(value.location(), value.path(), error.what());
    }
  }

  config::Problems& problems_;
};

}  // namespace

Configuration configuration_of(const Value& root, config::Problems& problems) {
  return Converter(problems).convert(root);
}

}  // namespace tailrace::session
