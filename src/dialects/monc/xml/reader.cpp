#include "dialects/monc/xml/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "base/nearest_name.hpp"
#include "config/scalars.hpp"

namespace tailrace::dialects::monc {
namespace {

using Names = std::vector<std::string>;

// A section may hold others; what is in none of these maps is unknown.
const std::map<std::string, Names>& attributes_of_elements() {
  static const std::map<std::string, Names> known{
      {"io-configuration", {}},
      {"server-configuration", {}},
      {"thread_pool", {"number"}},
      {"data-definition", {"name", "frequency", "namespace", "send_on_terminate"}},
      {"field", {"name", "type", "data_type", "size", "collective", "units", "optional"}},
      {"data-handling", {"namespace"}},
      {"diagnostic", {"field", "type", "data_type", "size", "units", "collective"}},
      {"group", {"name", "namespace"}},
      {"member", {"name"}},
      {"data-writing", {}},
      {"file",
       {"name", "title", "write_time_frequency", "write_timestep_frequency", "write_on_terminate",
        "store_state"}},
      {"include", {"group", "field", "state", "time_manipulation", "output_frequency"}}};
  return known;
}

// The section that an element must stand in; empty where it may stand anywhere.
const std::map<std::string, std::string>& home_of_elements() {
  static const std::map<std::string, std::string> homes{{"thread_pool", "server-configuration"},
                                                        {"field", "data-definition"},
                                                        {"diagnostic", "data-handling"},
                                                        {"member", "group"},
                                                        {"file", "data-writing"},
                                                        {"include", "file"}};
  return homes;
}

const Names types{"scalar", "array", "map"};
const Names data_types{"integer", "boolean", "string", "float", "double"};
const Names dimensions{"x", "y", "z", "zn", "qfields", "number_options", "active_q_indicies", "nc", "nd"};
const Names manipulations{"instantaneous", "averaged", "none"};
constexpr std::size_t most_dimensions = 4;

class Reader {
 public:
  Reader(Problems& problems, Warnings& warnings) : problems_(problems), warnings_(warnings) {}

  Model read(const std::vector<Tag>& tags) {
    for (const Tag& tag : tags) {
      if (mistakes_ >= most_mistakes) return std::move(model_);
      if (tag.opens) open(tag);
      if (tag.closes) close(tag);
    }
    for (const Tag& tag : open_) problem(tag.location, fmt::format("<{}> is never closed", tag.name));
    return std::move(model_);
  }

 private:
  bool is_open(std::string_view name) const {
    return std::any_of(open_.begin(), open_.end(), [&](const Tag& tag) { return tag.name == name; });
  }

  void open(const Tag& tag) {
    const bool in_diagnostic = is_open("diagnostic");
    const auto known = attributes_of_elements().find(tag.name);
    if (known == attributes_of_elements().end()) {
      if (in_diagnostic && (tag.name == "operator" || tag.name == "communication"))
        add_rule(tag);
      else if (is_open("group"))
        problem(tag.location, fmt::format("<{}> is not allowed in a <group>, only <member> is", tag.name));
      else if (tag.name == "operator" || tag.name == "communication")
        problem(tag.location, fmt::format("<{}> must be in a <diagnostic>", tag.name));
      else
        warn_of_unknown_element(tag);
      return;
    }
    warn_of_unknown_attributes(tag, known->second);
    const auto home = home_of_elements().find(tag.name);
    if (home != home_of_elements().end() && !is_open(home->second)) {
      problem(tag.location, fmt::format("<{}> must be in a <{}>", tag.name, home->second));
      return;
    }
    if (is_open(tag.name))
      problem(tag.location, fmt::format("<{}> begins here, but the previous one is not closed", tag.name));
    else
      open_.push_back(tag);
    if (const auto take = handlers().find(tag.name); take != handlers().end()) (this->*take->second)(tag);
  }

  void close(const Tag& tag) {
    const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                    [&](const Tag& candidate) { return candidate.name == tag.name; });
    if (found != open_.rend())
      open_.erase(std::next(found).base());
    else if (!tag.opens && attributes_of_elements().contains(tag.name))
      warnings_.add(tag.location, fmt::format("</{}> closes nothing and is ignored", tag.name));
  }

  using Handler = void (Reader::*)(const Tag&);
  static const std::map<std::string, Handler>& handlers() {
    static const std::map<std::string, Handler> all{
        {"thread_pool", &Reader::note_threads},  {"data-definition", &Reader::add_definition},
        {"field", &Reader::add_field},           {"data-handling", &Reader::enter_handling},
        {"diagnostic", &Reader::add_diagnostic}, {"group", &Reader::add_group},
        {"member", &Reader::add_member},         {"file", &Reader::add_file},
        {"include", &Reader::add_include}};
    return all;
  }

  void problem(const Location& where, const std::string& what) {
    problems_.add(where, "", what);
    ++mistakes_;
  }

  void warn_of_unknown_element(const Tag& tag) {
    Names known{"operator", "communication"};
    for (const auto& [name, attributes] : attributes_of_elements()) known.push_back(name);
    const auto near = base::nearest_name(tag.name, known);
    warnings_.add(tag.location, fmt::format("<{}> is unknown and ignored.{}", tag.name,
                                            near ? fmt::format(" Did you mean <{}>?", *near) : ""));
  }

  void warn_of_unknown_attributes(const Tag& tag, const Names& known) {
    for (const Attribute& attribute : tag.attributes)
      if (std::find(known.begin(), known.end(), attribute.name.text) == known.end())
        warnings_.add(
            attribute.name.location,
            fmt::format("the attribute \"{}\" of <{}> is unknown and ignored.{}", attribute.name.text,
                        tag.name, base::name_hint(attribute.name.text, known)));
  }

  // The value, or an empty word with a problem.
  Word required(const Tag& tag, const char* name) {
    if (const Word* value = tag.find(name)) return *value;
    problem(tag.location, fmt::format("<{}> needs the attribute \"{}\"", tag.name, name));
    return {};
  }

  static Word optional(const Tag& tag, const char* name) {
    const Word* value = tag.find(name);
    return value != nullptr ? *value : Word{};
  }

  bool flag(const Tag& tag, const char* name) {
    const Word* value = tag.find(name);
    if (value == nullptr) return false;
    if (value->text != "true" && value->text != "false")
      warnings_.add(value->location,
                    fmt::format("\"{}\" for {} counts as false; only `true` is true", value->text, name));
    return value->text == "true";
  }

  std::string one_of(const Tag& tag, const char* name, const Names& choices) {
    const Word value = required(tag, name);
    if (value.empty()) return {};
    if (std::find(choices.begin(), choices.end(), value.text) != choices.end()) return value.text;
    problem(value.location, fmt::format("the {} \"{}\" is unknown.{}", name, value.text,
                                        base::name_hint(value.text, choices)));
    return {};
  }

  // A number of at least `least` or {option}; empty with a problem where it is something else.
  Word number(const Tag& tag, const char* name, bool whole, double least) {
    Word value = required(tag, name);
    if (value.empty() || is_option(value.text)) return value;
    const auto integer = config::parse_integer(value.text);
    const auto real = config::parse_real(value.text);
    const bool fits = whole ? integer && static_cast<double>(*integer) >= least : real && *real >= least;
    if (fits) return value;
    problem(value.location, fmt::format("expected {} of at least {} or {{option}} for {}, but got \"{}\"",
                                        whole ? "a whole number" : "a number", least, name, value.text));
    return {};
  }

  std::vector<std::string> size_of(const Tag& tag) {
    const Word* size = tag.find("size");
    std::vector<std::string> dims;
    if (size == nullptr) return dims;
    std::string_view rest = size->text;
    for (bool more = true; more;) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      std::string dim(rest.substr(0, comma));
      dim.erase(0, std::min(dim.find_first_not_of(' '), dim.size()));
      dim.erase(dim.find_last_not_of(' ') + 1);
      more = comma < rest.size();
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      check_dimension(dim, size->location);
      dims.push_back(std::move(dim));
    }
    if (dims.size() > most_dimensions)
      problem(size->location, fmt::format("\"{}\" has {} dimensions; at most {} are expected", size->text,
                                          dims.size(), most_dimensions));
    return dims;
  }

  void check_dimension(std::string dim, const Location& where) {
    if (dim.ends_with("-auto")) dim.resize(dim.size() - std::string_view("-auto").size());
    if (std::find(dimensions.begin(), dimensions.end(), dim) == dimensions.end())
      problem(where,
              fmt::format("the dimension \"{}\" is unknown.{}", dim, base::name_hint(dim, dimensions)));
  }

  // MONC needs hundreds of threads; `servers` sets those of Tailrace, for which few are enough.
  void note_threads(const Tag& tag) { number(tag, "number", true, 0); }

  void add_definition(const Tag& tag) {
    Definition definition;
    definition.name = required(tag, "name");
    definition.frequency = number(tag, "frequency", true, 0);
    definition.space = optional(tag, "namespace").text;
    definition.send_on_terminate = flag(tag, "send_on_terminate");
    for (const Definition& other : model_.definitions)
      if (!other.name.empty() && other.name.text == definition.name.text)
        problem(definition.name.location,
                fmt::format("the data definition \"{}\" is given twice; the first is at {}", other.name.text,
                            other.name.location.text()));
    model_.definitions.push_back(std::move(definition));
  }

  void add_field(const Tag& tag) {
    Definition& definition = model_.definitions.back();
    Field field;
    field.name = required(tag, "name");
    field.space = definition.space;
    field.type = one_of(tag, "type", types);
    field.data_type = one_of(tag, "data_type", data_types);
    field.dims = size_of(tag);
    field.collective = flag(tag, "collective");
    field.optional = flag(tag, "optional");
    if (field.type == "map" && !field.data_type.empty() && field.data_type != "string")
      problem(tag.find("data_type")->location, "a map must have the data_type string");
    if (field.type == "scalar" && (field.collective || !field.dims.empty()))
      warnings_.add(tag.find(field.collective ? "collective" : "size")->location,
                    "size and collective have no meaning for a scalar");
    if (tag.find("units") != nullptr)
      warnings_.add(tag.find("units")->location, "the model sets the units of a field; these are left out");
    if (field.name.empty() || field.type.empty()) return;
    definition.fields.push_back(std::move(field));
  }

  void enter_handling(const Tag& tag) { handling_space_ = optional(tag, "namespace").text; }

  void add_diagnostic(const Tag& tag) {
    Diagnostic diagnostic;
    diagnostic.name = required(tag, "field");
    diagnostic.space = handling_space_;
    diagnostic.type = one_of(tag, "type", types);
    one_of(tag, "data_type", data_types);
    diagnostic.dims = size_of(tag);
    diagnostic.units = optional(tag, "units");
    flag(tag, "collective");
    if ((diagnostic.type == "array" || diagnostic.type == "map") && tag.find("size") == nullptr)
      problem(tag.location,
              fmt::format("a diagnostic of type {} needs the attribute \"size\"", diagnostic.type));
    model_.diagnostics.push_back(std::move(diagnostic));
  }

  void add_rule(const Tag& tag) {
    model_.diagnostics.back().rules.push_back({tag.name == "communication", tag});
  }

  void add_group(const Tag& tag) {
    Group group{required(tag, "name"), optional(tag, "namespace").text, {}};
    for (const Group& other : model_.groups)
      if (!other.name.empty() && other.name.text == group.name.text)
        problem(group.name.location, fmt::format("the group \"{}\" is given twice; the first is at {}",
                                                 other.name.text, other.name.location.text()));
    model_.groups.push_back(std::move(group));
  }

  void add_member(const Tag& tag) {
    const Word name = required(tag, "name");
    if (name.empty()) return;
    std::vector<Word>& members = model_.groups.back().members;
    const auto same = [&](const Word& other) { return other.text == name.text; };
    if (std::any_of(members.begin(), members.end(), same))
      warnings_.add(name.location, fmt::format("\"{}\" is already in this group", name.text));
    else
      members.push_back(name);
  }

  void add_file(const Tag& tag) {
    File file;
    file.name = required(tag, "name");
    file.title = optional(tag, "title");
    file.in_steps = tag.find("write_time_frequency") == nullptr;
    if (file.in_steps && tag.find("write_timestep_frequency") == nullptr)
      problem(tag.location,
              "<file> needs write_time_frequency (seconds) or write_timestep_frequency (steps)");
    else
      file.every = file.in_steps ? number(tag, "write_timestep_frequency", true, 0)
                                 : number(tag, "write_time_frequency", false, 1e-6);
    if (!file.in_steps && tag.find("write_timestep_frequency") != nullptr)
      warnings_.add(tag.find("write_timestep_frequency")->location,
                    "write_time_frequency is given too, and takes precedence");
    file.write_on_terminate = flag(tag, "write_on_terminate");
    flag(tag, "store_state");
    for (const File& other : model_.files)
      if (!other.name.empty() && other.name.text == file.name.text)
        problem(file.name.location, fmt::format("the file \"{}\" is given twice; the first is at {}",
                                                other.name.text, other.name.location.text()));
    model_.files.push_back(std::move(file));
  }

  void add_include(const Tag& tag) {
    Include include;
    include.location = tag.location;
    include.group = optional(tag, "group");
    include.field = optional(tag, "field");
    const Word state = optional(tag, "state");
    if (!include.group.empty() + !include.field.empty() + !state.empty() != 1) {
      problem(tag.location, "<include> needs exactly one of the attributes group, field and state");
      return;
    }
    include.state = !state.empty();
    if (include.state && state.text != "io") {
      problem(state.location, fmt::format("expected state=\"io\", but got \"{}\"", state.text));
      return;
    }
    if (!include.state) {
      const std::string chosen = one_of(tag, "time_manipulation", manipulations);
      if (chosen.empty()) return;
      include.manipulation = *tag.find("time_manipulation");
      if (chosen != "none") {
        include.frequency = number(tag, "output_frequency", false, 0);
        if (include.frequency.empty()) return;
      }
    }
    model_.files.back().includes.push_back(std::move(include));
  }

  Problems& problems_;
  Warnings& warnings_;
  Model model_;
  std::vector<Tag> open_;
  std::string handling_space_;
  std::size_t mistakes_ = 0;
};

}  // namespace

bool is_option(std::string_view text) {
  return text.size() > 2 && text.front() == '{' && text.back() == '}' &&
         text.find_first_of("{}", 1) == text.size() - 1;
}

std::string qualified(const std::string& space, const std::string& name) {
  return space.empty() ? name : space + "." + name;
}

Model read_model(const std::vector<Tag>& tags, Problems& problems, Warnings& warnings) {
  return Reader(problems, warnings).read(tags);
}

}  // namespace tailrace::dialects::monc
