// From tags to what they say.
#pragma once

#include "dialects/monc/xml/model.hpp"

namespace tailrace::dialects::monc {

// Checks elements, attributes and the form of values, and reports each mistake with its place. The result
// leaves the mistakes out.
Model read_model(const std::vector<Tag>& tags, Problems& problems, Warnings& warnings);

}  // namespace tailrace::dialects::monc
