// The header of a NetCDF file as the protocol of reader_process.hpp has it.
#pragma once

#include <netcdf.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tailrace::input::process {

// Throws Refusal with the library's message behind `what`.
void check(int status, const char* what);

std::string name_of_type(nc_type type);

// {"variables": [...]} of all groups. Throws Refusal.
nlohmann::json header_of(int file);

}  // namespace tailrace::input::process
