// The words for methods in configurations, in files of weights, and for the process that makes them.
#pragma once

#include <string>

#include "regrid/options.hpp"

namespace tailrace::regrid {

std::string name_of(Method method);  // "conservative", ...; "file"
std::string name_of(Normalisation normalisation);

}  // namespace tailrace::regrid
