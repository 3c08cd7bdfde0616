#include "env/faulty/recording_files.hpp"

#include <algorithm>

namespace tailrace::env {
namespace {

class RecordingFile final : public File {
 public:
  RecordingFile(Changes& changes, std::size_t number, std::unique_ptr<File> inner)
      : changes_(changes), number_(number), inner_(std::move(inner)) {}

  void read(std::uint64_t address, std::span<std::byte> bytes) const override {
    inner_->read(address, bytes);
  }
  void write(std::uint64_t address, std::span<const std::byte> bytes) override {
    inner_->write(address, bytes);
    changes_.push_back({Change::Kind::write, address, {bytes.begin(), bytes.end()}, number_});
  }
  void truncate(std::uint64_t size) override {
    inner_->truncate(size);
    changes_.push_back({Change::Kind::truncate, size, {}, number_});
  }
  std::uint64_t size() const override { return inner_->size(); }
  void sync() override {
    inner_->sync();
    changes_.push_back({Change::Kind::sync, inner_->size(), {}, number_});
  }
  void close() override { inner_->close(); }
  bool mark_as_writer() override { return inner_->mark_as_writer(); }
  bool other_writer() const override { return inner_->other_writer(); }
  bool is_file_at(const std::string& path) const override { return inner_->is_file_at(path); }

 private:
  Changes& changes_;
  std::size_t number_;
  std::unique_ptr<File> inner_;
};

}  // namespace

std::vector<std::byte> replay(const Changes& changes, const std::function<bool(std::size_t)>& happened) {
  std::map<std::size_t, std::vector<std::byte>> files;
  std::size_t named = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    std::vector<std::byte>& file = files[change.file];
    if (change.kind == Change::Kind::sync || !happened(i)) continue;
    if (change.kind == Change::Kind::rename) {
      named = change.file;
    } else if (change.kind == Change::Kind::truncate) {
      file.resize(static_cast<std::size_t>(change.at));
    } else {
      file.resize(
          std::max<std::size_t>(file.size(), static_cast<std::size_t>(change.at) + change.bytes.size()));
      std::ranges::copy(change.bytes, file.begin() + static_cast<std::ptrdiff_t>(change.at));
    }
  }
  return files[named];
}

std::unique_ptr<File> RecordingFiles::open(const std::string& path, Access access) {
  auto file = inner_.open(path, access);
  if (access == Access::read) return file;
  opened_[path] = files_;
  return std::make_unique<RecordingFile>(changes_, files_++, std::move(file));
}

}  // namespace tailrace::env
