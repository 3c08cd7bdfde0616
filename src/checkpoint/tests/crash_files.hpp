// A file system that writes down every change of contents and of names, so that a test can build every state
// that a device may hold after a power failure: all that was synced, and any subset of the rest.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint::testing {

// One thread. Paths are relative, as tests have them.
class CrashFiles final : public env::FileSystem {
 public:
  explicit CrashFiles(env::FileSystem& inner) : inner_(inner) { nodes_[""] = next_node_++; }

  std::size_t changes() const { return log_.size(); }
  // Whether change `i` is certainly on the device if the power fails after the first `count` changes.
  bool is_durable(std::size_t i, std::size_t count) const { return log_[i].durable_from <= count; }
  // The files after the changes that `happened` selects.
  void replay(env::FileSystem& into, const std::function<bool(std::size_t)>& happened) const;

  void write(const std::string& path, std::string_view contents) override {
    inner_.write(path, contents);
    const int node = next_node_++;
    note_contents(node, 0, std::as_bytes(std::span(contents)));
    note_name(path, node);
  }
  void append(const std::string&, std::string_view) override { std::abort(); }  // the room has no use for it
  std::string read(const std::string& path) const override { return inner_.read(path); }
  bool exists(const std::string& path) const override { return inner_.exists(path); }
  void make_directories(const std::string& path) override {
    inner_.make_directories(path);
    std::string made;
    for (const auto& word : std::filesystem::path(path)) {
      made += (made.empty() ? "" : "/") + word.string();
      if (nodes_.contains(made)) continue;
      directories_.insert(next_node_);
      note_name(made, next_node_++);
    }
  }
  void remove(const std::string& path) override {
    inner_.remove(path);
    if (nodes_.contains(path)) note_name(path, none);
  }
  void rename(const std::string& from, const std::string& to) override {
    inner_.rename(from, to);
    note_name(to, nodes_.at(from), from);
  }
  void rename_new(const std::string& from, const std::string& to) override { rename(from, to); }
  env::Entry entry(const std::string& path) const override { return inner_.entry(path); }
  std::unique_ptr<env::File> open(const std::string& path, env::Access access) override;
  std::vector<std::string> list(const std::string& path) const override { return inner_.list(path); }
  std::uint64_t free_bytes(const std::string& path) const override { return inner_.free_bytes(path); }
  void sync(const std::string& path) override {
    inner_.sync(path);
    sync_node(nodes_.at(path));
    sync_node(nodes_.at(parent_of(path)));
  }

 private:
  class Open;
  static constexpr int none = -1;
  static constexpr std::size_t never = static_cast<std::size_t>(-1);

  struct Change {
    int node = none;  // file or directory that is changed
    std::size_t durable_from = never;
    std::uint64_t address = 0;  // of a file: contents there; or its size
    std::vector<std::byte> bytes;
    bool cut = false;
    std::string name, old_name;  // of a directory: what `name` leads to, in place of `old_name`
    int leads_to = none;
  };

  static std::string parent_of(const std::string& path) {
    return std::filesystem::path(path).parent_path().string();
  }
  static std::string name_of(const std::string& path) {
    return std::filesystem::path(path).filename().string();
  }

  void note_contents(int node, std::uint64_t address, std::span<const std::byte> bytes) {
    Change change{.node = node, .address = address, .bytes = {}, .name = {}, .old_name = {}};
    change.bytes.assign(bytes.begin(), bytes.end());
    log_.push_back(std::move(change));
  }
  void note_size(int node, std::uint64_t size) {
    log_.push_back({.node = node, .address = size, .bytes = {}, .cut = true, .name = {}, .old_name = {}});
  }
  void note_name(const std::string& path, int node, const std::string& from = "") {
    log_.push_back({.node = nodes_.at(parent_of(path)),
                    .bytes = {},
                    .name = name_of(path),
                    .old_name = name_of(from),
                    .leads_to = node});
    if (!from.empty()) nodes_.erase(from);
    if (node == none)
      nodes_.erase(path);
    else
      nodes_[path] = node;
  }
  // A change of nothing, so that there is a moment before it.
  void sync_node(int node) {
    log_.push_back({.node = none, .bytes = {}, .name = {}, .old_name = {}});
    for (Change& change : log_)
      if (change.node == node) change.durable_from = std::min(change.durable_from, log_.size());
  }

  env::FileSystem& inner_;
  std::vector<Change> log_;
  std::map<std::string, int> nodes_;  // by path, as a process sees them
  std::set<int> directories_;
  int next_node_ = 0;
};

class CrashFiles::Open final : public env::File {
 public:
  Open(CrashFiles& files, int node, std::unique_ptr<env::File> inner)
      : files_(files), node_(node), inner_(std::move(inner)) {}
  void read(std::uint64_t address, std::span<std::byte> bytes) const override {
    inner_->read(address, bytes);
  }
  void write(std::uint64_t address, std::span<const std::byte> bytes) override {
    inner_->write(address, bytes);
    files_.note_contents(node_, address, bytes);
  }
  void truncate(std::uint64_t size) override {
    inner_->truncate(size);
    files_.note_size(node_, size);
  }
  std::uint64_t size() const override { return inner_->size(); }
  void sync() override {
    inner_->sync();
    files_.sync_node(node_);
  }
  void close() override { inner_->close(); }
  bool mark_as_writer() override { return inner_->mark_as_writer(); }
  bool other_writer() const override { return inner_->other_writer(); }
  bool is_file_at(const std::string& path) const override { return inner_->is_file_at(path); }

 private:
  CrashFiles& files_;
  const int node_;
  std::unique_ptr<env::File> inner_;
};

inline std::unique_ptr<env::File> CrashFiles::open(const std::string& path, env::Access access) {
  auto file = inner_.open(path, access);
  if (access == env::Access::read) return file;
  if (!nodes_.contains(path)) note_name(path, next_node_++);
  return std::make_unique<Open>(*this, nodes_.at(path), std::move(file));
}

inline void CrashFiles::replay(env::FileSystem& into,
                               const std::function<bool(std::size_t)>& happened) const {
  std::map<int, std::string> contents;
  std::map<int, std::map<std::string, int>> names;
  for (std::size_t i = 0; i < log_.size(); ++i) {
    const Change& change = log_[i];
    if (change.node == none || !happened(i)) continue;
    if (!change.name.empty()) {
      names[change.node].erase(change.old_name);
      names[change.node].erase(change.name);
      if (change.leads_to != none) names[change.node][change.name] = change.leads_to;
      continue;
    }
    std::string& file = contents[change.node];
    const auto address = base::index(change.address);
    file.resize(change.cut ? address : std::max(file.size(), address + change.bytes.size()));
    for (std::size_t b = 0; b < change.bytes.size(); ++b)
      file[address + b] = static_cast<char>(change.bytes[b]);
  }
  const std::function<void(const std::string&, int)> make = [&](const std::string& path, int directory) {
    for (const auto& [name, node] : names[directory]) {
      const std::string at = path.empty() ? name : path + "/" + name;
      if (directories_.contains(node)) {
        into.make_directories(at);
        make(at, node);
      } else {
        into.write(at, contents[node]);
      }
    }
  };
  make("", 0);
}

}  // namespace tailrace::checkpoint::testing
