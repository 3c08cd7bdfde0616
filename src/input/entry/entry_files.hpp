// An entry of the section `input` whose files a process of its own reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "input/entry/field_recipe.hpp"

namespace tailrace::input {

class EntryFiles final : public EntryReader {
 public:
  EntryFiles(Entry entry, std::vector<int> fields, const ReaderContext& context);

  // May be called again, when further files have come.
  std::vector<PreparedField> prepare() override;
  std::vector<PreparedField> grow(double seconds) override;
  RecordValues read(const PreparedField& field, std::int64_t record) override;
  void interrupt() override;

 private:
  const FieldRequest& request_of(int field) const;
  std::string place_of(const FieldRequest& request) const;
  void find();
  bool awaits_files() const;
  std::vector<std::string> further_files() const;
  std::vector<PreparedField> add_further(const std::vector<std::string>& paths);
  std::vector<std::unique_ptr<FieldRecipe>> open_all();
  void open(std::size_t file, const std::vector<std::unique_ptr<FieldRecipe>>& recipes);
  void start_reading(const std::vector<std::unique_ptr<FieldRecipe>>& recipes);
  std::vector<PreparedField> finish(std::vector<std::unique_ptr<FieldRecipe>> recipes);
  std::map<std::string, std::int64_t> needed() const;

  Entry entry_;
  std::vector<int> declared_;
  ReaderContext context_;
  std::mutex mutex_;  // guards changes of files_, and of is_interrupted_
  std::unique_ptr<SourceFiles> files_;
  std::atomic<bool> is_interrupted_ = false;
  std::vector<std::unique_ptr<FieldRecipe>> recipes_;
  std::map<int, std::int64_t> last_read_;  // index along the dim of time, by field
};

}  // namespace tailrace::input
