// An open file of FaultyFiles.
#pragma once

#include <memory>

#include "env/faulty/faulty_files.hpp"

namespace tailrace::env {

// Uses the mutex of its file system, which must live longer.
class FaultyFile final : public File {
 public:
  FaultyFile(FaultyFiles& files, std::unique_ptr<File> inner) : files_(files), inner_(std::move(inner)) {}
  ~FaultyFile() override;
  FaultyFile(const FaultyFile&) = delete;
  FaultyFile& operator=(const FaultyFile&) = delete;

  void read(std::uint64_t address, std::span<std::byte> bytes) const override {
    inner_->read(address, bytes);
  }
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void start_sync(std::uint64_t address, std::uint64_t size) override { inner_->start_sync(address, size); }
  void finish_sync(std::uint64_t address, std::uint64_t size) override;
  void truncate(std::uint64_t size) override;
  std::uint64_t size() const override { return inner_->size(); }
  void sync() override;
  void close() override;
  bool mark_as_writer() override { return inner_->mark_as_writer(); }
  bool other_writer() const override { return inner_->other_writer(); }
  bool is_file_at(const std::string& path) const override { return inner_->is_file_at(path); }

 private:
  FaultyFiles& files_;
  std::unique_ptr<File> inner_;
};

}  // namespace tailrace::env
