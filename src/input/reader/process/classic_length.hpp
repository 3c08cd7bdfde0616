// How long a NetCDF file of the classic kinds (CDF-1, CDF-2, CDF-5) must be. The netCDF-C library gives zeros
// for what a shorter one lacks, so a file whose copy was interrupted would look whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tailrace::input::process {

// The end of its last value, as the header says; nothing for files of other kinds, and for a header that the
// library must judge. Throws Refusal for a header that is longer than the file. Source: NetCDF User's Guide,
// "File Format Specifications", with CDF-5's by PnetCDF.
std::optional<std::uint64_t> classic_length(const std::string& path);

// Throws Refusal with both lengths for a classic file that is shorter than its header says.
void check_length(const std::string& path);

}  // namespace tailrace::input::process
