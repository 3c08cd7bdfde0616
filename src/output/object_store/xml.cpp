#include "output/object_store/xml.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "base/error.hpp"

namespace tailrace::output::object_store {
namespace {

constexpr int deepest = 16;
constexpr std::array<std::pair<std::string_view, char>, 5> references{
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

[[noreturn]] void malformed(const std::string& why) {
  throw Error(ErrorCode::resource, "the answer of the object store is not well-formed XML: " + why);
}

void add_utf8(std::string& text, unsigned code) {
  const auto add = [&text](unsigned byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  XmlElement root() {
    skip_to_element();
    return element(0);
  }

 private:
  std::string_view take_until(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) malformed("it ends within an element");
    const std::string_view taken = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return taken;
  }

  bool take(std::string_view beginning) {
    if (!rest_.starts_with(beginning)) return false;
    rest_.remove_prefix(beginning.size());
    return true;
  }

  bool skip_markup() {
    if (take("<?")) return static_cast<void>(take_until("?>")), true;
    if (take("<!--")) return static_cast<void>(take_until("-->")), true;
    return false;
  }

  void skip_to_element() {
    while (!rest_.empty()) {
      if (skip_markup()) continue;
      if (rest_[0] == '<') return;
      rest_.remove_prefix(1);
    }
    malformed("it has no element");
  }

  XmlElement element(int depth) {
    if (depth == deepest) malformed("it has too many levels");
    if (!take("<")) malformed("expected an element");
    std::string_view tag = take_until(">");
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.remove_suffix(1);
    const std::string_view full = tag.substr(0, tag.find_first_of(" \t\r\n"));
    XmlElement found{.name = std::string(full.substr(full.find(':') + 1)), .text = {}, .children = {}};
    if (!is_empty) read_content(found, full, depth);
    return found;
  }

  void read_content(XmlElement& found, std::string_view full, int depth) {
    while (!rest_.empty()) {
      if (skip_markup()) continue;
      if (take("<![CDATA[")) {
        found.text += take_until("]]>");
      } else if (take("</")) {
        std::string_view end = take_until(">");
        end = end.substr(0, end.find_last_not_of(" \t\r\n") + 1);
        if (end != full) malformed("an element does not end");
        return;
      } else if (rest_[0] == '<') {
        found.children.push_back(element(depth + 1));
      } else {
        add_text(found.text);
      }
    }
    malformed("an element does not end");
  }

  void add_text(std::string& text) {
    const std::size_t end = rest_.find_first_of("<&");
    text += rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    if (take("&")) add_reference(text, take_until(";"));
  }

  static void add_reference(std::string& text, std::string_view name) {
    for (const auto& [known, character] : references)
      if (name == known) return static_cast<void>(text += character);
    if (!name.starts_with('#')) malformed("it has an unknown reference");
    const bool is_hex = name.starts_with("#x");
    name.remove_prefix(is_hex ? 2 : 1);
    unsigned code = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, is_hex ? 16 : 10);
    if (error != std::errc() || end != name.data() + name.size() || code > 0x10FFFF)
      malformed("it has an unknown reference");
    add_utf8(text, code);
  }

  std::string_view rest_;
};

}  // namespace

const XmlElement* XmlElement::find(std::string_view child) const {
  for (const XmlElement& one : children)
    if (one.name == child) return &one;
  return nullptr;
}

std::string XmlElement::text_of(std::string_view child) const {
  const XmlElement* const found = find(child);
  return found == nullptr ? "" : found->text;
}

XmlElement parse_xml(std::string_view text) { return Parser(text).root(); }

std::string escaped_for_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto* found = references.begin();
    while (found != references.end() && found->second != c) ++found;
    if (found == references.end())
      escaped += c;
    else
      escaped.append("&").append(found->first).append(";");
  }
  return escaped;
}

}  // namespace tailrace::output::object_store
