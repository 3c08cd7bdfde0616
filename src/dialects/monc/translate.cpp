#include "dialects/monc/translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dialects/monc/convention.hpp"
#include "dialects/monc/rules/rules.hpp"
#include "dialects/monc/values.hpp"
#include "dialects/monc/writing.hpp"
#include "dialects/monc/xml/reader.hpp"
#include "dialects/nodes.hpp"

namespace tailrace::dialects::monc {
namespace {

// Every message of MONC carries these; they become fields only where they are used.
constexpr const char* implicit_fields[] = {"timestep", "time"};

void take_words(std::string_view text, std::set<std::string>& words) {
  constexpr std::string_view between = "+-*/%(){}, ";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(between), text.size());
    if (end > 0) words.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// All names that are used, by namespace.
std::map<std::string, std::set<std::string>> named_words(const Model& model) {
  std::map<std::string, std::set<std::string>> words;
  for (const Group& group : model.groups)
    for (const Word& member : group.members) words[group.space].insert(member.text);
  for (const File& file : model.files)
    for (const Include& include : file.includes) words[""].insert(include.field.text);
  for (const Diagnostic& diagnostic : model.diagnostics)
    for (const Rule& rule : diagnostic.rules)
      for (const Attribute& attribute : rule.tag.attributes)
        if (attribute.name.text != "name" && attribute.name.text != "result")
          take_words(attribute.value.text, words[diagnostic.space]);
  return words;
}

void add_implicit_fields(Model& model) {
  const auto words = named_words(model);
  std::set<std::string> known;
  for (const Definition& definition : model.definitions)
    for (const Field& field : definition.fields) known.insert(qualified(field.space, field.name.text));
  for (const Diagnostic& diagnostic : model.diagnostics)
    known.insert(qualified(diagnostic.space, diagnostic.name.text));
  for (Definition& definition : model.definitions)
    for (const char* name : implicit_fields) {
      const auto used = words.find(definition.space);
      if (used == words.end() || !used->second.contains(name)) continue;
      if (!known.insert(qualified(definition.space, name)).second) continue;
      Field field;
      field.name = {name, definition.name.location};
      field.space = definition.space;
      field.type = "scalar";
      field.data_type = std::string_view(name) == "time" ? "double" : "integer";
      definition.fields.push_back(std::move(field));
    }
}

class Translator {
 public:
  Translator(const Options& options, Problems& problems) : options_(options), problems_(problems) {
    if (options.values == nullptr) return;
    const auto legacy = options.values->find("legacy");
    options_.legacy |= legacy != options.values->end() && legacy->second == dialect_name;
  }

  Translation translate(const Sources& sources) {
    Node tree = tree_of(sources);
    return {std::move(tree), warnings_.lines()};
  }

 private:
  // Empty after a mistake.
  Node tree_of(const Sources& sources) {
    const Text text = expand(sources, problems_, warnings_);
    const std::vector<Tag> tags = scan(text, problems_, warnings_);
    if (!problems_.empty()) return {};  // an incomplete tree would only cause further, misleading messages
    Model model = read_model(tags, problems_, warnings_);
    if (!problems_.empty()) return {};
    add_implicit_fields(model);
    const Names names(model, problems_);
    const Values values(options_, warnings_);
    const Location start{sources.front().name, 1, 1};
    Node tree = map_node(start);
    add_entry(tree, "tailrace", scalar_node("1", start));
    if (options_.legacy) add_entry(tree, "legacy", scalar_node(dialect_name, start));
    add_if_any(tree, "fields", fields(model, values));
    add_if_any(tree, "diagnostics", diagnostics(model, names, values));
    if (!problems_.empty()) return {};
    Writing writing({.model = model, .names = names, .values = values, .made_from = made_from_}, problems_,
                    warnings_);
    add_if_any(tree, "groups", writing.groups());
    add_if_any(tree, "output", writing.output());
    return tree;
  }

  static void add_if_any(Node& tree, const char* key, Node map) {
    if (map.entries.empty()) return;
    map.location = map.entries.front().location;
    add_entry(tree, key, std::move(map));
  }

  Node fields(const Model& model, const Values& values) {
    Node all = map_node({});
    for (const Definition& definition : model.definitions) {
      if (definition.name.empty() || definition.frequency.empty()) continue;
      bool first = true;
      for (Fields& alike : alike_in(definition)) {
        std::string name = definition.name.text;
        if (!first && alike.optional) name += "_optional";
        for (const std::string& dim : alike.dims) name += first ? "" : "_" + dim;
        add_entry(all, name, field_group(definition, values, std::move(alike)));
        first = false;
      }
    }
    return all;
  }

  // Fields of a definition that make one group.
  struct Fields {
    bool optional = false;
    std::vector<std::string> dims;  // slowest first
    Node names;
  };

  // Those without a size first.
  std::vector<Fields> alike_in(const Definition& definition) {
    std::vector<Fields> all;
    for (const bool optional : {false, true})
      for (const bool sized : {false, true})
        for (const Field& field : definition.fields) {
          const bool has_dims = field.type == "array" && !field.dims.empty();
          if (field.optional != optional || has_dims != sized || !is_sendable(field)) continue;
          std::vector<std::string> dims;
          if (sized) dims.assign(field.dims.rbegin(), field.dims.rend());
          auto found = std::find_if(all.begin(), all.end(), [&](const Fields& one) {
            return one.optional == optional && one.dims == dims;
          });
          if (found == all.end())
            found = all.insert(all.end(), {optional, std::move(dims), list_node(definition.name.location)});
          found->names.items.push_back(scalar_node(field.name.text, field.name.location, true));
        }
    return all;
  }

  bool is_sendable(const Field& field) {
    if (is_sent(field)) return true;
    const bool is_text = field.data_type == "string" || field.data_type == "boolean";
    if (field.type != "map" && !is_text)
      warnings_.add(
          field.name.location,
          fmt::format("{} is left out: it is another on each process, and MONC writes that of whichever "
                      "comes first",
                      field.name.text));
    else if (field.type != "map")
      warnings_.add(
          field.name.location,
          fmt::format("fields of data_type {} are left out: Tailrace handles only numbers", field.data_type));
    return false;
  }

  static Node dims_node(const std::vector<std::string>& dims, const Location& where) {
    Node list = list_node(where);
    for (const std::string& dim : dims) list.items.push_back(scalar_node(dim, where, true));
    return list;
  }

  static Node field_group(const Definition& definition, const Values& values, Fields fields) {
    const Location& where = definition.name.location;
    Node group = map_node(where);
    add_entry(group, "every",
              scalar_node(values.period_in_steps(definition.frequency), definition.frequency.location));
    if (definition.send_on_terminate) add_entry(group, "also_at_end", scalar_node("true", where));
    if (!definition.space.empty()) add_entry(group, "namespace", scalar_node(definition.space, where, true));
    if (fields.optional) add_entry(group, "optional", scalar_node("true", where));
    if (!fields.dims.empty()) add_entry(group, "dims", dims_node(fields.dims, where));
    add_entry(group, "names", std::move(fields.names));
    return group;
  }

  // For `z-auto` the operator determines the dimension.
  static bool names_dims(const Diagnostic& diagnostic) {
    return diagnostic.type == "array" && !diagnostic.dims.empty() &&
           std::ranges::none_of(diagnostic.dims,
                                [](const std::string& dim) { return dim.ends_with("-auto"); });
  }

  Node diagnostics(const Model& model, const Names& names, const Values& values) {
    Node all = map_node({});
    std::size_t mistakes = 0;
    for (const Diagnostic& diagnostic : model.diagnostics) {
      if (diagnostic.name.empty()) continue;
      if (diagnostic.type == "map") {
        warnings_.add(diagnostic.name.location,
                      "diagnostics of type map are left out: Tailrace computes only numbers");
        continue;
      }
      const auto rules = compile_rules(diagnostic, names, options_, problems_, warnings_);
      if (!rules && ++mistakes == most_mistakes) break;
      if (!rules) continue;
      made_from_[&diagnostic] = rules->fields;
      Node entry = map_node(diagnostic.name.location);
      add_entry(entry, "is", scalar_node(rules->text, rules->location, true));
      if (!diagnostic.units.empty())
        add_entry(entry, "units",
                  scalar_node(values.text(diagnostic.units), diagnostic.units.location, true));
      if (names_dims(diagnostic))
        add_entry(entry, "dims",
                  dims_node({diagnostic.dims.rbegin(), diagnostic.dims.rend()}, diagnostic.name.location));
      if (rules->optional) add_entry(entry, "optional", scalar_node("true", diagnostic.name.location));
      add_entry(all, qualified(diagnostic.space, diagnostic.name.text), std::move(entry));
    }
    return all;
  }

  Options options_;
  Problems& problems_;
  Warnings warnings_;
  std::map<const Diagnostic*, std::vector<const Field*>> made_from_;
};

}  // namespace

Translation translate(const Sources& sources, const Options& options, Problems& problems) {
  return Translator(options, problems).translate(sources);
}

}  // namespace tailrace::dialects::monc
