// Writes a shard, the part of a checkpoint from one server, as a NetCDF file.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/cell_marks.hpp"
#include "checkpoint/checkpoint.hpp"
#include "checkpoint/checksums.hpp"
#include "env/file_system.hpp"
#include "env/write_behind_sync.hpp"
#include "model/state.hpp"

namespace tailrace::checkpoint {

// One thread at a time; may block on the disk. Failures are Error(resource) that name the file.
class ShardWriter final : public model::StateSaver {
 public:
  // Makes the directory of the checkpoint if necessary, and the file. `files` must live longer. `buffered`:
  // the directory of the checkpoint in the burst buffer of this node, where the file is written instead, to
  // be drained later. If that fails, for example on a full disk, it logs a warning, copies what is written
  // into the checkpoint's directory, and continues there.
  ShardWriter(env::FileSystem& files, const std::string& checkpoint, CheckpointHeader head,
              const std::string& name, const std::string& buffered = "");
  // Removes the file if it is not finished.
  ~ShardWriter() override;
  ShardWriter(const ShardWriter&) = delete;
  ShardWriter& operator=(const ShardWriter&) = delete;

  // Writes a whole array at once. An array in small parts is assembled in memory if such arrays need no more
  // than `assembled_bytes`; otherwise each range of adjacent cells is a separate write. A cell may be saved
  // again with the same value; Error(internal) if the value differs.
  void save(const model::StateArray& array, const model::Region& region,
            std::span<const std::byte> values) override;
  // Makes the file and its name durable. Throws Error(internal) that names an array if cells of it are
  // missing.
  Shard finish();

  static constexpr std::uint64_t assembled_bytes = std::uint64_t{64} << 20;

 private:
  struct Entry {
    StoredArray stored;
    std::size_t cells = 0;
    bool complete = false;
    std::size_t missing = 0;          // cells that were not saved yet
    CellMarks there;                  // the saved cells, while some are missing
    std::vector<std::byte> together;  // all values, if the array is assembled in memory
  };
  Entry& entry_of(const model::StateArray& array);
  void save_segment(Entry& entry, const model::Segment& segment, std::span<const std::byte> values);
  void put_cells(Entry& entry, std::size_t first, std::span<const std::byte> part);
  void check_same(const Entry& entry, std::size_t cell, std::span<const std::byte> values);
  void complete(Entry& entry);
  std::uint64_t place_for(std::uint64_t bytes);
  void write(std::uint64_t address, std::span<const std::byte> bytes);
  void write_now(std::uint64_t address, std::span<const std::byte> bytes);
  void in_file(const std::function<void(env::File&)>& change);
  std::unique_ptr<env::File> open(const std::string& path);
  void open_in_buffer();
  void leave_buffer(const std::string& why);
  void flush();
  void check_complete() const;
  void write_header();

  env::FileSystem& files_;
  const std::string path_in_checkpoint_;
  std::string path_;  // that, or in the burst buffer
  const CheckpointHeader head_;
  Shard shard_;
  std::unique_ptr<env::File> file_;  // null once it is finished
  env::WriteBehindSync behind_;
  RegionChecksums checksums_;
  std::map<std::string, Entry> entries_;
  std::vector<const Entry*> order_;  // by address
  std::uint64_t assembled_ = 0;      // bytes of arrays that are being assembled
  std::uint64_t end_ = 0;            // of the allocated places
  std::uint64_t waiting_at_ = 0;     // adjacent small arrays are collected for one write
  std::vector<std::byte> waiting_;
};

}  // namespace tailrace::checkpoint
