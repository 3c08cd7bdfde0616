// `adios2:` of a file: which engine of ADIOS2 writes it, and how a stream treats its readers.
#pragma once

namespace tailrace::output::adios2 {

enum class Engine { bp5, bp4, sst };
enum class WhenFull { discard, block };
enum class Listen { loopback, all };

struct Options {
  Engine engine = Engine::bp5;
  int queue = 4;  // steps that a stream keeps for readers
  WhenFull when_full = WhenFull::discard;
  Listen listen = Listen::loopback;

  bool operator==(const Options&) const = default;
};

}  // namespace tailrace::output::adios2
