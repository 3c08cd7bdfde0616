// The software that readers of a format need besides its library to decode the chunks of a codec. A format
// registers it where it is defined:
//   const CodecNeedRegistration zstd{"netcdf", "zstd", "netCDF-C: version 4.9 or later"};
#pragma once

#include <optional>
#include <string>

namespace tailrace::output {

class CodecNeedRegistration {
 public:
  CodecNeedRegistration(const std::string& format, const std::string& codec, const std::string& need);
};

// In words; empty: nothing. No value: a codec of Tailrace's own that the readers of the format cannot decode.
std::optional<std::string> readers_need(const std::string& format, const std::string& codec);

}  // namespace tailrace::output
