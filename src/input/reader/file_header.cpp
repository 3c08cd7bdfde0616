#include "input/reader/file_header.hpp"

#include <algorithm>

namespace tailrace::input {
namespace {

template <class T>
const T* get(const VariableHeader& variable, const std::string& attribute) {
  const auto found = variable.attributes.find(attribute);
  return found == variable.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

const std::string* VariableHeader::text(const std::string& attribute) const {
  return get<std::string>(*this, attribute);
}

const std::vector<double>* VariableHeader::numbers(const std::string& attribute) const {
  return get<std::vector<double>>(*this, attribute);
}

const VariableHeader* FileHeader::find(const std::string& name) const {
  const auto found = std::ranges::find(variables, name, &VariableHeader::name);
  return found == variables.end() ? nullptr : &*found;
}

}  // namespace tailrace::input
