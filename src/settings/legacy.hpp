// The other I/O servers that a configuration may name under `legacy`, or be written for: the one place that
// knows which there are.
#pragma once

#include <string>
#include <vector>

#include "config/reading/sources.hpp"
#include "time/convention.hpp"

namespace tailrace::settings {

std::vector<std::string> legacy_names();
// The standard one where none is called so.
const time::Convention& convention_of(const std::string& legacy);
const config::Dialects& dialects();

}  // namespace tailrace::settings
