// The plugin that holds ADIOS2, beside Tailrace's own library.
#pragma once

#include <memory>
#include <string>

#include "output/adios2/engine.hpp"

namespace tailrace::output::adios2 {

// Why there is none, for the user; empty where it is there.
std::string missing_library();

// Throws Error(resource): what ADIOS2 said, or why the plugin cannot be loaded.
std::unique_ptr<StepWriter> open_engine(const EngineSpec& spec);
std::unique_ptr<StepReader> open_reader(const std::string& path);

}  // namespace tailrace::output::adios2
