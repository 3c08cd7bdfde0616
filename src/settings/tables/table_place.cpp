#include "settings/tables/table_place.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tailrace::settings {

config::Location place_of_byte(const std::string& file, const std::string& text, std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, byte);
  const std::size_t line = before.rfind('\n') + 1;  // 0 where there is none
  return {file, 1 + static_cast<int>(std::ranges::count(before, '\n')), 1 + static_cast<int>(byte - line)};
}

config::Location place_of_key(const std::string& file, const std::string& text, const std::string& key) {
  const std::string quoted = nlohmann::json(key).dump();
  for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + 1)) {
    std::size_t next = at + quoted.size();
    while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next])) != 0) ++next;
    if (next < text.size() && text[next] == ':') return place_of_byte(file, text, at);
  }
  return {file, 0, 0};
}

}  // namespace tailrace::settings
