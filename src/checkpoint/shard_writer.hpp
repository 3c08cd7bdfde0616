// Writes the part of a set that one server has: a NetCDF file.
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
  // Makes the directory of the set where it is not there, and the file. `files` must live longer.
  // `buffered`: the directory of the set in the burst buffer of this node, where the file is written instead
  // and left to be drained. As soon as that fails, as on a full disk, a warning says so, and what is there
  // goes into the set's directory, with all that follows.
  ShardWriter(env::FileSystem& files, const std::string& checkpoint, CheckpointHeader head,
              const std::string& name, const std::string& buffered = "");
  // Removes the file if it is not finished.
  ~ShardWriter() override;
  ShardWriter(const ShardWriter&) = delete;
  ShardWriter& operator=(const ShardWriter&) = delete;

  // A whole array is written as it comes and not kept. One that comes in small parts is put together in
  // memory where such arrays take no more than `assembled_bytes`, else each stretch of neighbouring cells is
  // a write of its own. A cell may come again with the same value; Error(internal) where it is another.
  void save(const model::StateArray& array, const model::Region& region,
            std::span<const std::byte> values) override;
  // The file is whole and on the device, by its name. Error(internal) that names an array that lacks cells.
  Shard finish();

  static constexpr std::uint64_t assembled_bytes = std::uint64_t{64} << 20;

 private:
  struct Entry {
    StoredArray stored;
    std::size_t cells = 0;
    bool complete = false;
    std::size_t missing = 0;          // cells that have not come
    CellMarks there;                  // while some are missing
    std::vector<std::byte> together;  // all values, of one that is put together in memory
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
  std::vector<const Entry*> order_;  // of their places
  std::uint64_t assembled_ = 0;      // bytes of arrays that are being put together
  std::uint64_t end_ = 0;            // of the places given out
  std::uint64_t waiting_at_ = 0;     // small arrays that lie one behind the other are one write
  std::vector<std::byte> waiting_;
};

}  // namespace tailrace::checkpoint
