// `adios2:` of a file: which engine of ADIOS2 writes it, what it does with the values, and how a stream
// treats its readers.
#pragma once

#include <string>

namespace tailrace::output::adios2 {

enum class Engine { bp5, bp4, sst };
enum class WhenFull { discard, block };
enum class Listen { loopback, all };
enum class Operator { none, blosc };  // of the library itself

struct Options {
  Engine engine = Engine::bp5;
  int queue = 4;  // steps that a stream keeps for readers
  WhenFull when_full = WhenFull::discard;
  Listen listen = Listen::loopback;
  Operator applied = Operator::none;  // to fields, times and coordinates are left as they are
  std::string compressor = "zstd";    // of Blosc
  int level = 1;                      // of Blosc
  std::string burst_buffer{};         // a folder, or empty

  bool operator==(const Options&) const = default;
};

}  // namespace tailrace::output::adios2
