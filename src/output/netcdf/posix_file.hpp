// One open file. Failures are Error(resource) that say what the system said; the path is put in front by the
// caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tailrace::output::netcdf {

class PosixFile {
 public:
  enum class Mode { read, update, create };  // create: makes the file if it is absent and keeps what is in it

  PosixFile(const std::string& path, Mode mode);
  PosixFile(PosixFile&& other) noexcept;
  PosixFile& operator=(PosixFile&& other) noexcept;
  ~PosixFile();

  // Fills what lies past the end of the file with zero.
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  void write(std::uint64_t address, std::span<const std::byte> bytes);
  void truncate(std::uint64_t size);
  std::uint64_t size() const;
  void sync();  // contents and size are on the device when it returns

  // Marks this open file as the one that writes. False if another one is marked; the mark goes with the last
  // descriptor, so a killed writer leaves none. Readers never see it: it is an open-file-description lock on
  // a byte far past the end, while HDF5 readers use flock. File systems where the two kinds meet (NFS) are
  // left unmarked.
  bool mark_as_writer();
  bool other_writer() const;  // some other open file is marked

  bool is_file_at(
      const std::string& path) const;  // false when the name now belongs to another file, or to none

 private:
  int descriptor_ = -1;
};

void sync_directory_of(const std::string& path);
bool exists(const std::string& path);

}  // namespace tailrace::output::netcdf
