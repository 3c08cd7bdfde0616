// Places in the text of a table, for messages.
#pragma once

#include <cstddef>
#include <string>

#include "config/location.hpp"

namespace tailrace::settings {

config::Location place_of_byte(const std::string& file, const std::string& text, std::size_t byte);

// Where the key of that name first stands. It is searched for, so only for the variables that are asked for.
config::Location place_of_key(const std::string& file, const std::string& text, const std::string& key);

}  // namespace tailrace::settings
