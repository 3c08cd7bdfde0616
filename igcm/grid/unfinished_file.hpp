// A file under a temporary name, of which nothing is left unless it is given its own name.
#pragma once

#include <string>

namespace igcm::grid {

/// Makes the file, empty, so that it is this process's own; removes it in the destructor, and on SIGINT,
/// SIGTERM and SIGHUP, after which the signal does what it did before. One object at a time.
class UnfinishedFile {
 public:
  /// Throws std::runtime_error with the path and the reason, also if there is such a file.
  explicit UnfinishedFile(const std::string& path);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();
  /// The name that it keeps. Throws std::runtime_error if there is a file of that name, which is not
  /// replaced.
  void rename(const std::string& path);

 private:
  void watch();

  std::string path_;
};

}  // namespace igcm::grid
