// The number of the filter in HDF5 files, and its name in Zarr stores. Do not change them: files have them.
#pragma once

namespace tailrace::codecs::lorenzo {

// From the range for internal use and tests (32768 to 65535), which The HDF Group does not register.
inline constexpr int filter_id = 33410;
inline constexpr const char* zarr_name = "tailrace.lorenzo";

}  // namespace tailrace::codecs::lorenzo
