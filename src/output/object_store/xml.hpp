// Reads the XML of S3's answers: elements with text. Attributes, comments and declarations are skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailrace::output::object_store {

struct XmlElement {
  std::string name;  // without the prefix of a namespace
  std::string text;  // of the element itself, with the usual references decoded
  std::vector<XmlElement> children;

  // The first child of this name; null: there is none.
  const XmlElement* find(std::string_view child) const;
  std::string text_of(std::string_view child) const;  // "" where there is none
};

// The root. Throws Error(resource) for what is not well-formed, and for more than 16 levels.
XmlElement parse_xml(std::string_view text);
std::string escaped_for_xml(std::string_view text);

}  // namespace tailrace::output::object_store
