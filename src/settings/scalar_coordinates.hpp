// The section `coordinates` of a variable or diagnostic: scalar coordinates that the model does not declare.
#pragma once

#include <vector>

#include "config/section.hpp"
#include "model/declarations.hpp"

namespace tailrace::settings {

config::Section<std::vector<model::Coordinate>> scalar_coordinates_section();  // part of their sections

}  // namespace tailrace::settings
