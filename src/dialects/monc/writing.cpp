#include "dialects/monc/writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/nearest_name.hpp"
#include "dialects/nodes.hpp"

namespace tailrace::dialects::monc {
namespace {

// MONC's names of what each file tells of the moment at which it was written.
constexpr std::pair<const char*, const char*> write_attributes[] = {
    {"time", "MONC time"}, {"step", "MONC timestep"}, {"previous_time", "Previous diagnostic write at"}};

std::string manipulated(const Include& include) {
  if (include.manipulation.text == "averaged") return "_timeaveraged";
  return include.manipulation.text == "instantaneous" ? "_instantaneous" : "";
}

std::string as_name(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0)
    text = fmt::format("_{}", text);
  return text;
}

}  // namespace

bool is_sent(const Field& field) {
  static const std::set<std::string> of_each_process{"local_grid_size", "local_grid_start"};
  return !of_each_process.contains(field.name.text) && field.type != "map" && field.data_type != "string" &&
         field.data_type != "boolean";
}

Writing::Writing(const Parts& parts, Problems& problems, Warnings& warnings)
    : model_(parts.model),
      names_(parts.names),
      values_(parts.values),
      made_from_(parts.made_from),
      problems_(problems),
      warnings_(warnings) {
  for (const Group& group : model_.groups) add_parts(group);
  for (const File& file : model_.files)
    for (const Include& include : file.includes)
      if (!include.field.empty())
        if (auto found = member("", include.field,
                                "field=\"...\" refers to names without a namespace; a group can have one"))
          single_[&include] = {"", {std::move(*found)}};
}

// Nothing, with or without a problem, where there is nothing to write.
std::optional<Writing::Member> Writing::member(const std::string& space, const Word& name,
                                               const std::string& where) {
  Member member{qualified(space, name.text), name.text, name.location, std::nullopt, "", false};
  const auto is_split = [](const std::vector<std::string>& dims) {
    return !dims.empty() && dims.back() == "qfields";
  };
  if (const Diagnostic* diagnostic = names_.diagnostic(space, name.text)) {
    const auto fields = made_from_.find(diagnostic);
    if (fields == made_from_.end()) return std::nullopt;
    if (is_split(diagnostic->dims))
      warnings_.add(
          name.location,
          "MONC splits only fields of the model by q field, and writes nothing for such a diagnostic; "
          "here it is one variable that holds all of them");
    set_period(fields->second, member);
    return member;
  }
  if (const Field* field = names_.field(space, name.text)) {
    if (!is_sent(*field)) return std::nullopt;
    member.split = is_split(field->dims);
    set_period({field}, member);
    return member;
  }
  if (++mistakes_ > most_mistakes) return std::nullopt;
  problems_.add(name.location, "",
                fmt::format("\"{}\" is neither a diagnostic nor a field{}.{} ({})", name.text,
                            space.empty() ? "" : fmt::format(" of the namespace \"{}\"", space),
                            base::name_hint(name.text, names_.members_of(space)), where));
  return std::nullopt;
}

// The largest number of steps between samples; unknown where options must be known to tell.
void Writing::set_period(const std::vector<const Field*>& fields, Member& member) const {
  const Word* largest = nullptr;
  for (const Field* field : fields) {
    const Word& frequency = names_.definition(*field).frequency;
    if (largest == nullptr || largest->text == frequency.text) {
      largest = &frequency;
      continue;
    }
    const auto one = values_.steps(*largest);
    const auto other = values_.steps(frequency);
    if (!one || !other) return;
    if (*other > *one) largest = &frequency;
  }
  if (largest == nullptr) return;
  member.period = values_.period_in_steps(*largest);
  member.steps = values_.text(*largest);
}

void Writing::add_parts(const Group& group) {
  if (group.name.empty()) return;
  std::vector<Part>& parts = parts_[group.name.text];
  for (const Word& name : group.members) {
    auto found = member(group.space, name,
                        fmt::format("the group \"{}\" refers to {}", group.name.text,
                                    group.space.empty() ? "no namespace" : "the namespace " + group.space));
    if (!found) continue;
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return part.members.front().period == found->period && part.members.front().split == found->split;
    });
    if (same == parts.end())
      parts.push_back({"", {std::move(*found)}});
    else
      same->members.push_back(std::move(*found));
  }
  int number = 1;
  for (Part& part : parts) {
    part.name = group.name.text;
    if (&part != &parts.front())
      part.name += part.members.front().split ? "_by_q_field" : fmt::format("_{}", ++number);
  }
}

Node Writing::groups() {
  Node all = map_node({});
  for (const Group& group : model_.groups)
    for (const Part& part : parts_[group.name.text]) {
      Node members = list_node(group.name.location);
      for (const Member& member : part.members)
        members.items.push_back(scalar_node(member.full, member.location, true));
      add_entry(all, part.name, std::move(members));
    }
  return all;
}

Node Writing::output() {
  Node all = map_node({});
  for (const File& entry : model_.files) {
    if (entry.name.empty() || entry.every.empty()) continue;
    Node made = file(entry);
    made.location = entry.name.location;
    const bool has_state = std::ranges::any_of(entry.includes, &Include::state);
    if (has_state && made.find("variables") == nullptr) continue;  // no file, but a checkpoint
    add_entry(all, values_.text(entry.name), std::move(made));
  }
  return all;
}

Node Writing::file(const File& file) {
  Node made = map_node(file.name.location);
  Node attributes = map_node(file.title.empty() ? file.name.location : file.title.location);
  const std::string title = file.title.empty() ? "MONC diagnostics" : values_.text(file.title);
  add_entry(attributes, "title", scalar_node(title, attributes.location, true));
  if (!file.in_steps)
    add_entry(attributes, "Diagnostic write frequency",
              scalar_node(values_.seconds_in_names(file.every), file.every.location, true));
  add_entry(made, "attributes", std::move(attributes));
  add_entry(
      made, "write_every",
      scalar_node(file.in_steps ? values_.period_in_steps(file.every) : values_.period_in_seconds(file.every),
                  file.every.location));
  add_entry(made, "file_per_write", scalar_node("true", file.every.location));
  add_entry(made, "time_stamp", scalar_node("end", file.every.location));  // as MONC does
  add_entry(made, "date_attribute", scalar_node("created", file.name.location));
  Node of_write = map_node(file.name.location);
  for (const auto& [key, name] : write_attributes)
    add_entry(of_write, key, scalar_node(name, file.name.location));
  add_entry(made, "write_attributes", std::move(of_write));
  Node levels = list_node(file.name.location);
  for (const char* name : {"z", "zn"}) levels.items.push_back(scalar_node(name, file.name.location));
  add_entry(made, "also_coordinates", std::move(levels));
  add_entry(made, "option_tables", option_tables(file));
  Node list = variables(file);
  const auto state =
      std::find_if(file.includes.begin(), file.includes.end(), [](const Include& i) { return i.state; });
  if (state != file.includes.end() && !values_.has_checkpoints())
    warnings_.add(state->location,
                  "the servers' own state is no part of this file; `checkpoint: {every: ..., restart: "
                  "at_initial_step}` in a YAML file that includes this one saves it beside the file");
  if (!list.items.empty()) add_entry(made, "variables", std::move(list));
  if (made.find("variables") == nullptr && state == file.includes.end())
    warnings_.add(file.name.location, "this file has nothing to write");
  return made;
}

// The model always gives q_indicies, others where a definition has them.
std::set<std::string> Writing::names_of_maps() const {
  std::set<std::string> names{"q_indicies"};
  for (const Definition& definition : model_.definitions)
    for (const Field& field : definition.fields)
      if (field.type == "map" && field.name.text != "options_database") names.insert(field.name.text);
  return names;
}

// MONC writes its options into every file. Maps of the model are options with the map's name in front, which
// are no options of MONC.
Node Writing::option_tables(const File& file) const {
  Node tables = map_node(file.name.location);
  const auto add = [&](const std::string& name, const Location& where, const char* prefix,
                       const std::string& dimension, bool optional) {
    if (tables.find(name) != nullptr) return;
    Node table = map_node(where);
    if (prefix != nullptr) add_entry(table, "prefix", scalar_node(prefix, where, true));
    if (!dimension.empty()) add_entry(table, "dimension", scalar_node(dimension, where, true));
    add_entry(table, "width", scalar_node("150", where));  // as MONC reads texts
    if (optional) add_entry(table, "optional", scalar_node("true", where));
    add_entry(tables, name, std::move(table));
  };
  const auto add_map = [&](const std::string& space, const Word& name) {
    const Field* field = names_.field(space, name.text);
    if (field != nullptr && field->type == "map")
      add(field->name.text, name.location, nullptr, field->dims.empty() ? "" : field->dims.front(),
          field->optional);
  };
  add("options_database", file.name.location, "", "number_options", true);
  Node maps = list_node(file.name.location);
  for (const std::string& name : names_of_maps())
    maps.items.push_back(scalar_node(name + ".", file.name.location, true));
  add_entry(tables.entries.front().value, "without", std::move(maps));
  for (const Include& include : file.includes) {
    if (!include.field.empty()) add_map("", include.field);
    for (const Group& group : model_.groups)
      if (group.name.text == include.group.text)
        for (const Word& name : group.members) add_map(group.space, name);
  }
  return tables;
}

std::vector<const Writing::Part*> Writing::parts_of(const Include& include) const {
  std::vector<const Part*> found;
  if (const auto single = single_.find(&include); single != single_.end()) found.push_back(&single->second);
  if (include.group.empty()) return found;
  const auto parts = parts_.find(include.group.text);
  if (parts == parts_.end()) {
    std::vector<std::string> known;
    for (const auto& [name, known_parts] : parts_) known.push_back(name);
    problems_.add(include.group.location, "",
                  fmt::format("the group \"{}\" is unknown.{}", include.group.text,
                              base::name_hint(include.group.text, known)));
    return found;
  }
  for (const Part& part : parts->second) found.push_back(&part);
  return found;
}

// Members that would have the same name in the file get a suffix, as in MONC, and where that does not help, a
// name of their own.
void Writing::name_apart(std::vector<Written>& written) const {
  std::map<std::string, int> count;
  for (const Written& one : written) ++count[one.member->bare];
  std::map<std::string, int> with_suffix;
  for (Written& one : written) {
    if (count[one.member->bare] > 1) one.suffix = manipulated(*one.include);
    ++with_suffix[one.member->bare + one.suffix];
  }
  std::set<std::string> taken;
  for (const Written& one : written)
    if (with_suffix[one.member->bare + one.suffix] == 1) taken.insert(one.member->bare + one.suffix);
  for (Written& one : written) {
    if (with_suffix[one.member->bare + one.suffix] == 1) continue;
    const std::string base = as_name(one.member->full) + one.suffix;
    one.name = base;
    for (int number = 2; !taken.insert(one.name).second; ++number)
      one.name = fmt::format("{}_{}", base, number);
    one.suffix.clear();
    warnings_.add(one.member->location,
                  fmt::format("several variables of the file would be called {}; this one becomes {}",
                              one.member->bare, one.name));
  }
}

Node Writing::variables(const File& file) {
  Node list = list_node(file.name.location);
  std::vector<Written> written;
  std::vector<std::pair<const Include*, const Part*>> parts;
  for (const Include& include : file.includes)
    for (const Part* part : parts_of(include)) {
      parts.emplace_back(&include, part);
      for (const Member& member : part->members) written.push_back({&include, &member, "", ""});
    }
  name_apart(written);
  auto next = written.begin();
  for (const auto& [include, part] : parts) {
    const auto end = next + static_cast<std::ptrdiff_t>(part->members.size());
    const bool together = !part->name.empty() && std::all_of(next, end, [](const Written& one) {
      return one.name.empty() && one.suffix.empty();
    });
    for (; next != end; ++next) {
      Node made = variable(*include, *next->member);
      Node target = together ? scalar_node(part->name, include->group.location, true)
                             : scalar_node(next->member->full, next->member->location, true);
      made.entries.insert(made.entries.begin(), {together ? "group" : "field", target.location, target});
      if (!next->name.empty()) add_entry(made, "name", scalar_node(next->name, made.location));
      if (!next->suffix.empty()) add_entry(made, "suffix", scalar_node(next->suffix, made.location));
      list.items.push_back(std::move(made));
      if (together) next = end - 1;
    }
  }
  return list;
}

Node Writing::variable(const Include& include, const Member& like) const {
  Node made = map_node(include.location);
  const bool every_sample = include.frequency.empty() || values_.is_zero(include.frequency);
  const bool mean = include.manipulation.text == "averaged";
  const Location& where = every_sample ? include.manipulation.location : include.frequency.location;
  if (!like.period)
    warnings_.add(like.location, fmt::format("{} is made from fields with different, unknown frequencies; "
                                             "its time axis gets no name of its own",
                                             like.full));
  add_entry(made, "time", scalar_node(mean ? "mean" : "snapshot", include.manipulation.location));
  add_entry(made, "every",
            scalar_node(
                every_sample ? like.period.value_or("1 step") : values_.period_in_seconds(include.frequency),
                where));
  if (!values_.legacy() && !every_sample)
    warnings_.add(
        include.manipulation.location,
        "times keep to the multiples of their periods and means are weighted by time, which in MONC "
        "drift and count the first sample twice; `legacy: monc` follows MONC");
  if (mean) add_entry(made, "edges", scalar_node("samples", include.manipulation.location));
  if (like.period)
    add_entry(made, "axis",
              scalar_node(fmt::format("time_series_{}{}", like.steps,
                                      include.frequency.empty()
                                          ? ""
                                          : fmt::format("_{}", values_.seconds_in_names(include.frequency))),
                          where));
  if (like.split) add_entry(made, "split", scalar_node("qfields", like.location));
  return made;
}

}  // namespace tailrace::dialects::monc
