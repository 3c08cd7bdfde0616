// The contents of MONC's XML as plain values. Names are not resolved yet.
#pragma once

#include <string>
#include <vector>

#include "dialects/monc/xml/tags.hpp"

namespace tailrace::dialects::monc {

struct Field {
  Word name;
  std::string space;  // namespace; may be empty
  std::string type;   // scalar | array | map
  std::string data_type;
  std::vector<std::string> dims;  // fastest first, as MONC writes them; empty where no size was given
  bool collective = false;        // each process holds a part of it
  bool optional = false;
};

struct Definition {  // one message of the model
  Word name;
  Word frequency;  // in steps: a number or {option}
  std::string space;
  bool send_on_terminate = false;
  std::vector<Field> fields;
};

struct Rule {  // an <operator> or <communication>
  bool communication = false;
  Tag tag;
};

struct Diagnostic {
  Word name;
  std::string space;
  std::string type;
  std::vector<std::string> dims;
  Word units;
  std::vector<Rule> rules;
};

struct Group {
  Word name;
  std::string space;
  std::vector<Word> members;
};

struct Include {  // of a file
  Location location;
  Word group, field;  // one of them, or state
  bool state = false;
  Word manipulation;
  Word frequency;  // seconds; empty for `none`
};

struct File {
  Word name;
  Word title;
  Word every;  // seconds, or steps
  bool in_steps = false;
  bool write_on_terminate = false;
  std::vector<Include> includes;
};

struct Model {
  std::vector<Definition> definitions;
  std::vector<Diagnostic> diagnostics;
  std::vector<Group> groups;
  std::vector<File> files;
};

// `{name}` as a whole; MONC then takes the value of that option.
bool is_option(std::string_view text);

// `space.name`, or the name alone.
std::string qualified(const std::string& space, const std::string& name);

}  // namespace tailrace::dialects::monc
