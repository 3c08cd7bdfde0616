// The files that the model has opened: their name, and the attributes that it gives them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "model/declarations.hpp"
#include "output/dataset.hpp"

namespace tailrace::pipeline {

struct OpenedFiles {
  std::string name;  // empty: none is open
  std::shared_ptr<const output::Attributes> attributes = nullptr;

  // `bytes`: a text, and declarations that have nothing but these attributes; nothing if none is open.
  static OpenedFiles from_bytes(std::span<const std::byte> bytes) {
    if (bytes.empty()) return {};
    base::ByteReader reader(bytes);
    OpenedFiles files{.name = reader.get_text()};
    const auto given = model::Declarations::from_bytes(reader.get_all<std::byte>()).attributes;
    files.attributes = std::make_shared<output::Attributes>(given.begin(), given.end());
    return files;
  }
};

}  // namespace tailrace::pipeline
