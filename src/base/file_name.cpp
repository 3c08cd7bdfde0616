#include "base/file_name.hpp"

namespace tailrace::base {

std::string file_name_of(std::string_view name) {
  std::string made;
  for (const char letter : name) {
    if (letter == '/')
      made += "%2F";
    else if (letter == '%')
      made += "%25";
    else
      made += letter;
  }
  return made;
}

}  // namespace tailrace::base
