#include "input/record_values.hpp"

#include <utility>

#include "input/entry/entry_files.hpp"

namespace tailrace::input {

std::unique_ptr<EntryReader> make_reader(const Entry& entry, const std::vector<int>& fields,
                                         const ReaderContext& context) {
  return std::make_unique<EntryFiles>(entry, fields, context);
}

}  // namespace tailrace::input
