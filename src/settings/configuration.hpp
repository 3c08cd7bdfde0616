// The configuration as plain values: what the user wrote, checked for form, with defaults filled in. plan.hpp
// resolves its names against the model's declarations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analytics/user/declaration.hpp"
#include "config/section.hpp"
#include "config/sources.hpp"
#include "settings/diagnostics.hpp"
#include "settings/fields.hpp"
#include "settings/given_options.hpp"
#include "settings/groups.hpp"
#include "settings/output_entry.hpp"
#include "settings/servers/servers.hpp"
#include "time/convention.hpp"
#include "time/model_time.hpp"

namespace tailrace::settings {

struct Configuration {
  // The sections that every plan needs have members; those of other rooms are in `sections`, by type.
  ServersOptions servers;
  time::ModelTime time;
  std::vector<FieldGroup> field_groups;
  std::vector<DiagnosticEntry> diagnostics;
  std::vector<analytics::user::Declaration> operators;
  Groups groups;
  std::vector<OutputEntry> files;
  config::Sections sections;
  // The convention that `legacy` selects.
  const time::Convention* convention = &time::standard_convention();
  std::string text;                   // as read, for the files' attribute
  std::vector<std::string> warnings;  // of translations and deprecated names, a line each
  std::vector<std::string> open;      // placeholders that were not replaced (parsed without options)
  bool is_consistent = false;  // set by parse_configuration; false for a configuration made without a text
  bool needs_options = false;  // it was parsed without options, which may change it
};

// The files of a configuration. One rank reads them and sends them to all, so that all ranks check the same
// texts.
using config::SourceFile;
using config::Sources;

// Reads a whole text file. Throws Error(resource), or Error(configuration), without reading, for a device, a
// pipe or a file that is too large to be a configuration.
std::string read_text(const std::string& path);

// Reads the file, its includes, and the data files that they name. `model_text` is what the model gives
// beside the file, which may be missing then (an empty path). Throws Error(resource), or Error(configuration)
// for an include cycle or a missing file.
Sources read_sources(const std::string& path, const std::string& model_text = {});
// The tree of all sources, of a session or of a stream; as in parse_configuration.
config::Merged merged_tree(const Sources& sources, const std::map<std::string, std::string>* options,
                           config::Problems& problems);
// The text that the model gives last: for a stream, if the sources are those of one; empty if there is none.
std::string model_text_of(const Sources& sources);
// Throws Error(configuration) with all mistakes, one per line, each with file:line:column. `options` are the
// values of the placeholders `{name}`. If it is null, placeholders stay, and values that contain them are not
// checked; except `{component}` if that name is given. The section `servers` may not contain any, since the
// servers start before the model gives its options.
Configuration parse_configuration(const Sources& sources, const std::map<std::string, std::string>* options,
                                  const std::string& component = "");

// Whether a text has `{name}`.
bool mentions_option(const Sources& sources, const std::string& name);

// Inserts the model's options into a configuration that was parsed without them. Parses again only if they
// may change it.
Configuration with_options(const Configuration& without, const Sources& sources,
                           const std::map<std::string, std::string>& options);

// Reports everything that is wrong regardless of the model: unknown names, fields listed twice, periods that
// the calendar does not have, two files with one path. parse_configuration calls it; call it for a
// configuration made without a text.
void check_consistency(const Configuration& configuration, config::Problems& problems);

// The fields and diagnostics that a variable's entry names, with groups and patterns expanded.
std::vector<std::string> fields_of(const VariableEntry& entry, const Configuration& configuration);

// Loads the user-defined operators, as every rank does in `ready`, except those whose path contains a
// placeholder. Throws Error(configuration) with all that cannot be loaded.
void check_operators(const Configuration& configuration);

std::string reference_markdown();
std::string json_schema();

}  // namespace tailrace::settings
