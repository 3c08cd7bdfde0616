// Reads files of other programs in a process of its own, so that a damaged file or a bug of a library cannot
// take the server with it, and so that libraries which cannot share a process with ours may be used.
//
// The protocol: messages of JSON over the socket of env::Child, with data in shared memory. Requests:
//   {"do": "open", "file": path}                  answer: {"file": number}, the header as JSON in the memory
//   {"do": "read", "file": number, "variable": name, "start": [...], "count": [...]}
//                                                 answer: {"bytes": n}, the values in C order in the memory
//   {"do": "close", "file": number}               answer: {}
// Any answer may be {"error": text} instead. The header: {"variables": [{"name", "dims", "shape", "chunk",
// "type", "attributes"}]}, with types as netCDF names them (byte, ubyte, short, ..., double, char, string).
// process/netcdf_main.cpp is such a process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "env/child.hpp"
#include "input/reader/file_header.hpp"

namespace tailrace::input {

// One thread at a time; each call blocks.
class ReaderProcess {
 public:
  // `command`: the program, with `{socket}` as in env::Child. `patience`: seconds for which a call waits.
  ReaderProcess(std::vector<std::string> command, double patience);

  struct OpenFile {
    std::int64_t number = 0;
    FileHeader header;
  };
  // All throw Error(resource): with the library's message for what it cannot do, without the name of the
  // file; if the process has ended, with how it ended; if it did not answer in time. After the last two it is
  // started anew at the next call, in which all files are closed.
  OpenFile open(const std::string& path);
  // REQUIRES: a variable of numbers or text; `count` is positive and within the shape.
  env::ReceivedPages read(std::int64_t file, const VariableHeader& variable,
                          const std::vector<std::int64_t>& start, const std::vector<std::int64_t>& count);
  void close(std::int64_t file);

 private:
  env::Child::Received ask(const std::string& request);

  std::vector<std::string> command_;
  double patience_;
  std::unique_ptr<env::Child> child_;  // null: not started, or lost
};

}  // namespace tailrace::input
