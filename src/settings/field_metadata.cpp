#include "settings/field_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "config/check.hpp"
#include "config/read.hpp"
#include "output/options.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

Type metadata_type() {
  return section({
      {.name = "standard_name",
       .type = text(),
       .description = "The field's standard name, of CF's table.",
       .example = "air_temperature"},
      {.name = "long_name",
       .type = text(),
       .description = "A description in words.",
       .example = "temperature 2 m above ground"},
      {.name = "units",
       .type = text(),
       .description = "The units, which must mean those that the model declares, if it declares any.",
       .example = "K"},
      output::variable_attributes_option("Further attributes, such as `positive`."),
  });
}

Type names_type() { return map("field", either({text(), metadata_type()})); }

FieldMetadata metadata_of(const ValueEntry& entry) {
  FieldMetadata metadata;
  metadata.location = entry.location;
  if (entry.value.kind() != Kind::section) {
    metadata.standard_name = entry.value.text();
    return metadata;
  }
  metadata.units = text_of(entry.value, "units");
  metadata.standard_name = text_of(entry.value, "standard_name");
  metadata.long_name = text_of(entry.value, "long_name");
  metadata.attributes = output::attributes_of(entry.value);
  return metadata;
}

void add(const Value& fields, NamedFields& named, Problems& problems) {
  for (const ValueEntry& entry : fields.entries()) {
    const auto [first, fresh] = named.by_field.try_emplace(entry.key, metadata_of(entry));
    if (!fresh)
      problems.add(entry.location, "names." + entry.key,
                   fmt::format("is given twice; the first is at {}", first->second.location.text()));
  }
}

NamedFields read(const Value& value, Problems& problems) {
  NamedFields named;
  if (value.kind() == Kind::map) add(value, named, problems);
  return named;
}

std::vector<const Value*> files_of(const Value& names) {
  std::vector<const Value*> files;
  if (names.kind() == Kind::list)
    for (const Value& file : names.items()) files.push_back(&file);
  else if (names.kind() == Kind::text)
    files.push_back(&names);
  return files;
}

const SectionRegistration registration{names_section};

}  // namespace

const FieldMetadata* NamedFields::find(const std::string& field) const {
  auto found = by_field.find(field);
  if (found == by_field.end()) found = by_field.find(field.substr(field.rfind('.') + 1));
  return found == by_field.end() ? nullptr : &found->second;
}

Section<NamedFields> names_section() {
  return {.option = {.name = "names",
                     .type = either({text(), list(text(), 1), names_type()}),
                     .description =
                         "The standard names, long names and units of the model's fields. A YAML file with a "
                         "map of them, relative to this one, a list of such files, or the map itself. A "
                         "field's standard name alone may be given in place of its map.",
                     .example = "names.yaml"},
          .read = read};
}

void add_files_of_names(const Value& root, const Sources& sources, NamedFields& named, Problems& problems) {
  const Value* names = root.find("names");
  if (names == nullptr) return;
  for (const Value* file : files_of(*names)) {
    const std::string path = path_beside(file->location().file, file->text());
    const auto source = std::ranges::find_if(
        sources, [&](const SourceFile& each) { return each.is_data && each.name == path; });
    if (source == sources.end()) continue;  // it could not be read, which was reported
    const Node tree = parse_yaml(source->name, source->text, problems);
    add(check(tree, names_type(), "names", {}, problems), named, problems);
  }
}

}  // namespace tailrace::settings
