// Reads files of other programs in a process of its own, so that a damaged file or a bug of a library cannot
// take the server with it, and so that libraries which cannot share a process with ours may be used.
//
// The protocol: messages of JSON over the socket of env::Child, with data in shared memory. Requests:
//   {"do": "open", "file": path, "expected": identity}
//                  answer: {"file": number, "identity": text, "more": bool}, the header as JSON in the memory
//   {"do": "read", "file": number, "variable": name, "start": [...], "count": [...]}
//                  answer: {"bytes": n, "read": n}, the values in C order in the memory. "read" is optional:
//                  how many bytes were taken from the file for it
//   {"do": "extend", "file": number, "seconds": s, "from": {dim: record}}
//                  answer: {"more": bool}, the header as JSON in the memory
//   {"do": "close", "file": number}               answer: {}
// Any answer may be {"error": text, "trouble": word} instead. The header: {"variables": [{"name", "dims",
// "shape", "chunk", "type", "attributes"}]}, with types as netCDF names them (byte, ubyte, short, ...,
// double, char, string).
//
// "identity" is a text of the process's own that tells this file from later ones of the same name, empty if
// there are none; "expected" is an earlier one, and optional. Each read compares it, before and afterwards.
// The troubles: "absent", there is no such file (yet); "changed", it is not the file that was opened, or is
// gone; "passed", a record of a stream that was given back. All else has none.
//
// "more": further records may come, as in the stream of a running job. `extend` waits until at least one is
// there, or no more can come, or `seconds` have passed, and gives the header with the new lengths: the source
// takes no further record than it is asked for, so a stream that waits for its readers waits. It forgets the
// records before those of `from`, by dim of time, except for small ones such as their times.
//
// The process ends when its socket is closed, whatever it does then. process/netcdf_main.cpp is such a
// process, and python/tailrace/input_source.py.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "env/child.hpp"
#include "input/reader/file_header.hpp"
#include "tailrace/error.hpp"

namespace tailrace::input {

enum class ReaderTrouble : std::uint8_t {
  other,    // what the library says about the file
  absent,   // no such file: it may still come
  changed,  // since it was opened it was changed, replaced, truncated or removed
  passed,   // the record of a stream was given back
  late,     // no answer in time
  lost,     // the process ended
};

// Error(resource) with the kind of the trouble.
class ReaderError : public Error {
 public:
  ReaderError(ReaderTrouble trouble, const std::string& message)
      : Error(ErrorCode::resource, message), trouble_(trouble) {}
  ReaderTrouble trouble() const { return trouble_; }

 private:
  ReaderTrouble trouble_;
};

// One thread at a time; each call blocks. A process that ended or did not answer in time is started anew by
// the next call. Files that were open in it are opened again when they are needed, and must then be the same;
// only streams cannot be continued (ReaderTrouble::lost).
class ReaderProcess {
 public:
  // `command`: the program, with `{socket}` as in env::Child. `patience`: seconds for which a request waits.
  // `most_bytes`: of one read; 0: half of the memory that is left.
  ReaderProcess(std::vector<std::string> command, double patience, std::uint64_t most_bytes = 0);

  struct OpenFile {
    std::int64_t number = 0;
    FileHeader header;
    bool more = false;     // further records may come; see extend()
    std::string identity;  // for `expected`
  };
  // All throw ReaderError without the name of the file: with the library's message for what it cannot do, or
  // how the process ended. `expected`: an earlier identity of the file; empty: any file will do.
  OpenFile open(const std::string& path, const std::string& expected = {});
  // REQUIRES: a variable of numbers or text.
  env::ReceivedPages read(std::int64_t file, const VariableHeader& variable,
                          const std::vector<std::int64_t>& start, const std::vector<std::int64_t>& count);
  // The process took so many from files for the last read; nothing if it does not know.
  std::optional<std::uint64_t> bytes_of_last_read() const { return bytes_of_last_read_; }
  // Waits for up to `seconds` for the next record of a file with `more`, and returns its header with the new
  // lengths; the shapes are unchanged if none came. `from`: by dim of time, the first record that is still
  // needed.
  OpenFile extend(std::int64_t file, double seconds, const std::map<std::string, std::int64_t>& from);
  // A number that is not open, or a process that is gone, is no error.
  void close(std::int64_t file);
  // From any thread: the call in progress and all later ones throw, and the process ends.
  void interrupt();

 private:
  struct Known {
    std::string path, identity;
    bool is_stream = false;
    std::int64_t in_process = 0;
    std::uint64_t process = 0;  // in the first, the second, ...
  };
  struct Answer;
  Answer ask(const std::string& request, double seconds);
  void start();
  std::unique_ptr<env::Child> give_up();
  OpenFile open_in_process(Known& known);
  Known& opened(std::int64_t file);
  std::uint64_t most_bytes() const;

  std::vector<std::string> command_;
  double patience_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;                   // guards changes of child_, and is_interrupted_
  std::unique_ptr<env::Child> child_;  // null: not started, or lost
  bool is_interrupted_ = false;
  std::uint64_t processes_ = 0;
  std::optional<std::uint64_t> bytes_of_last_read_;
  std::map<std::int64_t, Known> files_;
  std::int64_t next_ = 1;
};

}  // namespace tailrace::input
