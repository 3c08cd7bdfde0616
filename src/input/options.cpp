#include "input/options.hpp"

namespace tailrace::input {

const FieldRequest* Options::find(const std::string& field) const {
  for (const Entry& entry : entries)
    for (const FieldRequest& request : entry.fields)
      if (request.name == field) return &request;
  return nullptr;
}

}  // namespace tailrace::input
