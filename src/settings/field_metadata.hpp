// The section `names`: standard names, units and attributes of fields, for models that declare only names.
#pragma once

#include <map>
#include <string>

#include "config/section.hpp"
#include "config/sources.hpp"
#include "output/dataset.hpp"

namespace tailrace::settings {

struct FieldMetadata {
  config::Location location;
  std::string units, standard_name, long_name;
  output::Attributes attributes;
};
struct NamedFields {
  std::map<std::string, FieldMetadata> by_field;  // by the field's name, with or without its namespace

  const FieldMetadata* find(const std::string& field) const;
};

config::Section<NamedFields> names_section();

// Adds the fields in the files that `names` lists, which are among the sources. A field that occurs in two of
// them is a problem.
void add_files_of_names(const config::Value& root, const config::Sources& sources, NamedFields& named,
                        config::Problems& problems);

}  // namespace tailrace::settings
