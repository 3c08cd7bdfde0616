// An entry of `input` without files: a record's values are made from its number and the cells. The test may
// hold reads up and make them fail.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "input/levels_dim.hpp"
#include "input/record_values.hpp"

namespace tailrace::server::testing {

inline calendar::Calendar test_calendar() { return calendar::Calendar("noleap", {2001, 1, 1, 0, 0, 0.0}); }

// The value of a cell of the whole grid, which is exact in float32.
inline double fake_value(int field, std::int64_t record, std::int64_t cell) {
  return 1000000.0 * field + 10000.0 * static_cast<double>(record) + static_cast<double>(cell);
}
inline double fake_level(std::int64_t record, std::int64_t cell) {
  return 1e6 * static_cast<double>(record) + static_cast<double>(cell) + 0.5;
}

// Shared by the readers of all servers and the test.
class FakeFiles {
 public:
  std::int64_t records = 8;                         // of each field, at 0, 10, 20, ... seconds
  std::string broken_headers;                       // the entry whose headers cannot be read
  std::atomic<int> late_headers{0};                 // how often they cannot be read before they can
  std::map<std::string, input::FileLevels> levels;  // by name of the field
  std::set<std::string> stay, has_missing;          // names of fields

  void hold(const std::string& entry) {
    const std::lock_guard lock(mutex_);
    held_.insert(entry);
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_.clear();
    wake_.notify_all();
  }
  // The record of the field cannot be read `times` times.
  void break_record(const std::string& field, std::int64_t record, int times) {
    const std::lock_guard lock(mutex_);
    broken_[{field, record}] = times;
  }
  void begin_read(const std::string& entry, const std::string& field, std::int64_t record) {
    std::unique_lock lock(mutex_);
    reads_.emplace_back(field, record);
    wake_.wait(lock, [&] { return !held_.contains(entry); });
    const auto broken = broken_.find({field, record});
    if (broken == broken_.end() || broken->second-- <= 0) return;
    throw Error(ErrorCode::resource, entry + ".nc: " + field + " has no record " + std::to_string(record));
  }
  std::vector<std::pair<std::string, std::int64_t>> reads() {
    const std::lock_guard lock(mutex_);
    return reads_;
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::set<std::string> held_;
  std::map<std::pair<std::string, std::int64_t>, int> broken_;
  std::vector<std::pair<std::string, std::int64_t>> reads_;
};

class FakeReader final : public input::EntryReader {
 public:
  FakeReader(FakeFiles& files, input::Entry entry, std::vector<int> fields,
             const model::Declarations& declarations)
      : files_(files), entry_(std::move(entry)), fields_(std::move(fields)), declarations_(declarations) {}

  std::vector<input::PreparedField> prepare() override {
    if (files_.broken_headers == entry_.name)
      throw Error(ErrorCode::configuration, "run.yaml:3:5  " + entry_.name + ".nc has no variable tos");
    if (files_.late_headers.fetch_sub(1) > 0)
      throw Error(ErrorCode::resource, entry_.name + ".nc is not there");
    std::vector<input::PreparedField> prepared;
    for (const int field : fields_) prepared.push_back(prepared_field(field));
    return prepared;
  }

  input::RecordValues read(const input::PreparedField& field, std::int64_t record) override {
    const std::string& name = declarations_.fields[base::index(field.field)].name;
    files_.begin_read(entry_.name, name, record);
    input::RecordValues values;
    const std::int64_t cells = cells_of(field);
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const bool missing = files_.has_missing.contains(name) && cell % 3 == 0;
      values.missing += missing;
      append(values.bytes, field.travels_as,
             missing ? std::numeric_limits<double>::quiet_NaN() : fake_value(field.field, record, cell));
    }
    if (field.vertical && field.vertical->come_with_records)
      for (std::int64_t cell = 0; cell < cells; ++cell)
        append(values.bytes, model::DataType::float64, fake_level(record, cell));
    values.bytes_read = values.bytes.size();
    return values;
  }

 private:
  input::PreparedField prepared_field(int number) const {
    const model::Field& field = declarations_.fields[base::index(number)];
    input::TimeAxis axis;
    for (std::int64_t i = 0; i < files_.records; ++i) axis.values.push_back(10.0 * static_cast<double>(i));
    axis.units = "seconds since 2001-01-01";
    axis.calendar = "noleap";
    input::Timeline timeline(test_calendar());
    timeline.add(0, axis);
    timeline.finish();
    input::PreparedField prepared{.entry = entry_.name,
                                  .request = {},
                                  .timeline = timeline,
                                  .files = {entry_.name + ".nc"},
                                  .vertical = {}};
    prepared.field = number;
    for (const input::FieldRequest& request : entry_.fields)
      if (request.name == field.name) prepared.request = request;
    prepared.travels_as = field.type;
    prepared.stays = files_.stay.contains(field.name);
    const auto levels = files_.levels.find(field.name);
    if (levels != files_.levels.end()) prepared.vertical = levels->second;
    return prepared;
  }

  std::int64_t cells_of(const input::PreparedField& field) const {
    const model::Grid& grid =
        declarations_.grids[base::index(declarations_.fields[base::index(field.field)].grid)];
    std::vector<std::int64_t> shape = grid.shape;
    if (field.vertical)
      shape[base::index(input::levels_dim(grid, field.request.vertical->to))] = field.vertical->count;
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  }

  static void append(std::vector<std::byte>& bytes, model::DataType type, double value) {
    model::dispatch(type, [&](auto sample) {
      const auto typed = static_cast<decltype(sample)>(value);
      const auto* begin = reinterpret_cast<const std::byte*>(&typed);
      bytes.insert(bytes.end(), begin, begin + sizeof typed);
    });
  }

  FakeFiles& files_;
  input::Entry entry_;
  std::vector<int> fields_;
  const model::Declarations& declarations_;
};

}  // namespace tailrace::server::testing
