// `names:`, what the model's fields are in words: of a model that declares only `t2m`.
#pragma once

#include <map>
#include <string>

#include "config/reading/sources.hpp"
#include "config/section.hpp"
#include "output/dataset.hpp"

namespace tailrace::settings {

struct FieldMetadata {
  config::Location location;
  std::string units, standard_name, long_name;
  output::Attributes attributes;
};
struct NamedFields {
  std::map<std::string, FieldMetadata> words;  // by the field's name, with or without its namespace

  const FieldMetadata* find(const std::string& field) const;
};

config::Section<NamedFields> names_section();

// Those in the files that `names` of the configuration gives, which are among the sources. A field that two
// of them have is a problem.
void add_files_of_names(const config::Value& root, const config::Sources& sources, NamedFields& named,
                        config::Problems& problems);

}  // namespace tailrace::settings
