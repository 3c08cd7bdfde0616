// MONC's XML among the notations that a configuration may be written in.
#pragma once

#include "config/reading/dialect.hpp"

namespace tailrace::monc {

const config::Dialect& dialect();

}  // namespace tailrace::monc
