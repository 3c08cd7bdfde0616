// The configuration as plain values: what the user wrote, checked for form, with defaults filled in. Names
// are not yet resolved against what the model declared; plan.hpp does that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analytics/user/declaration.hpp"
#include "config/reading/sources.hpp"
#include "config/section.hpp"
#include "settings/diagnostics.hpp"
#include "settings/fields.hpp"
#include "settings/groups.hpp"
#include "settings/output_entry.hpp"
#include "settings/servers/servers.hpp"
#include "time/convention.hpp"
#include "time/model_time.hpp"

namespace tailrace::settings {

struct Configuration {
  // The sections that every plan is made from, by name; those of other rooms are in `sections`, by type.
  ServersOptions servers;
  time::ModelTime time;
  std::vector<FieldGroup> field_groups;
  std::vector<DiagnosticEntry> diagnostics;
  std::vector<analytics::user::Declaration> operators;
  Groups groups;
  std::vector<OutputEntry> files;
  config::Sections sections;
  // The one that `legacy` names.
  const time::Convention* convention = &time::standard_convention();
  std::string text;                   // as read, for the files' attribute
  std::vector<std::string> warnings;  // of the translation and of former names, a line each
  std::vector<std::string> open;      // names in braces that were not filled in (parsed without options)
  bool is_consistent = false;  // as parse_configuration has found; not of one that is made without a text
  bool needs_options = false;  // parsed without options, and with them it may be another one
};

// The files of a configuration, read by one rank and sent to all, so that all check the same words.
using config::SourceFile;
using config::Sources;

// A text file as a whole. Throws Error(resource), or Error(configuration) for a device, a pipe or a file that
// is too large to be a configuration: neither is waited for, nor read.
std::string read_text(const std::string& path);

// Reads the file, what it includes, and tables of stations that these name. Throws Error(resource) /
// Error(configuration) (include cycle, missing file).
Sources read_sources(const std::string& path);
// Checks the whole and throws Error(configuration) with all mistakes, one a line, each with file:line:column.
// Options are what `{name}` stands for; without a value (nullptr) names in braces are left as they are, and
// what they belong to is not checked. Nothing under `servers` may hold one: the servers start before the
// model has said anything.
Configuration parse_configuration(const Sources& sources, const std::map<std::string, std::string>* options);

// The same with the model's options, of what was parsed without them: not once more where they change
// nothing.
Configuration with_options(const Configuration& without, const Sources& sources,
                           const std::map<std::string, std::string>& options);

// Names that lead nowhere, fields listed twice, periods that the calendar cannot give, two files under one
// path: what can be said of a configuration before any model is known. Part of parse_configuration; for those
// that are made without a text.
void check_consistency(const Configuration& configuration, config::Problems& problems);

// The fields and diagnostics that a variable's entry stands for, as far as their names can tell.
std::vector<std::string> fields_of(const VariableEntry& entry, const Configuration& configuration);

// Loads what `operators` names, as every rank does in `ready`; not those whose file still has an open name.
// Throws Error(configuration) with all that cannot be had.
void check_operators(const Configuration& configuration);

std::string reference_markdown();
std::string json_schema();

}  // namespace tailrace::settings
