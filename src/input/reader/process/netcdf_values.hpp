// Values of a NetCDF variable, in the type in which they are delivered.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace tailrace::input::process {

class Wire;

// Answers the request `read` for the file of this number in the library. Throws Refusal, also for cells
// outside of the variable, before any memory is taken for them. `before_answer` is called when the values are
// there; if it throws, they are not sent.
void read_values(Wire& wire, int file, const nlohmann::json& request,
                 const std::function<void()>& before_answer);

}  // namespace tailrace::input::process
