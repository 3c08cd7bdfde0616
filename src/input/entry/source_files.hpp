// The files of one entry of the section `input`, of which a few are open at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "input/options.hpp"
#include "input/reader/reader_process.hpp"

namespace tailrace::input {

// The command of the process that reads the files of a source; `folder` has the programs of Tailrace.
std::vector<std::string> command_of(const Source& source, const std::string& folder);

// A file that is opened again must be the same as before. One thread at a time; all calls block. All throw
// ReaderError, without the name of the file.
class SourceFiles {
 public:
  SourceFiles(std::vector<std::string> paths, std::vector<std::string> command);

  const std::vector<std::string>& paths() const { return paths_; }
  // Valid until another file is asked for.
  const FileHeader& header(std::size_t file);
  env::ReceivedPages read(std::size_t file, const VariableHeader& variable,
                          const std::vector<std::int64_t>& start, const std::vector<std::int64_t>& count);
  // Further files, behind those that are known.
  void add(const std::vector<std::string>& paths);
  // Forgets the last ones again, until there are so many.
  void keep_first(std::size_t count);
  std::optional<std::uint64_t> bytes_of_last_read() const { return process_.bytes_of_last_read(); }
  // Whether further records may come in a file that is open.
  bool may_grow() const;
  // Waits for up to `seconds` for the next record of each such file. `needed`: by dim of time, the first
  // record that is still needed.
  void grow(double seconds, const std::map<std::string, std::int64_t>& needed);
  // All values of a variable, unpacked; missing ones are NaN.
  std::vector<double> numbers(std::size_t file, const VariableHeader& variable);
  // Those of a variable of texts: one for each element of the dims but the last.
  std::vector<std::string> texts(std::size_t file, const VariableHeader& variable);
  void interrupt() { process_.interrupt(); }  // as ReaderProcess::interrupt

 private:
  struct Open {
    std::size_t file = 0;
    ReaderProcess::OpenFile opened;
  };
  Open& open(std::size_t file);

  std::vector<std::string> paths_, identities_;
  ReaderProcess process_;
  std::list<Open> open_;  // the one that was used last is the first
};

}  // namespace tailrace::input
