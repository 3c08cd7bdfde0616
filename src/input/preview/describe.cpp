#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/text_tree.hpp"
#include "input/preview/preview.hpp"

namespace tailrace::input {
namespace {

using base::bytes_text;
using Branch = base::TextTree;

constexpr double day = 86400.0;
constexpr std::size_t most_gaps = 3;

struct Volume {
  double by_day = 0.0, once = 0.0, held = 0.0;
  Volume& operator+=(const Volume& other) {
    by_day += other.by_day;
    once += other.once;
    held += other.held;
    return *this;
  }
};

Volume volume_of(const FieldPreview& field) {
  Volume volume{.held = field.held_records * field.record_bytes};
  if (field.is_read_once)
    volume.once = static_cast<double>(field.coverage.records) * field.record_bytes;
  else if (field.coverage.step > 0.0)
    volume.by_day = day / field.coverage.step * field.record_bytes;
  return volume;
}

std::string words_of(const Volume& volume) {
  std::string words;
  const auto add = [&](double bytes, const char* what) {
    if (bytes > 0.0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", bytes_text(bytes), what);
  };
  add(volume.by_day, "a day of model time");
  add(volume.once, "once");
  return words.empty() ? "nothing to read" : words;
}

Branch describe_field(const FieldPreview& field, const calendar::Calendar& calendar) {
  Branch branch{fmt::format("{}: {}, {}, {} each; {}", field.name, field.variable,
                            words_of(field.coverage, calendar), bytes_text(field.record_bytes),
                            words_of(volume_of(field)))};
  if (!field.regridded.empty()) branch.below.push_back({field.regridded});
  for (const std::string& warning : field.warnings) branch.below.push_back({"warning: " + warning});
  const auto& gaps = field.coverage.gaps;
  for (std::size_t i = 0; i < std::min(gaps.size(), most_gaps); ++i)
    branch.below.push_back({words_of(gaps[i], calendar)});
  if (gaps.size() > most_gaps)
    branch.below.push_back({fmt::format("and {} more gaps", gaps.size() - most_gaps)});
  return branch;
}

std::string lead_words(const Entry& entry) {
  if (entry.lead_seconds) return length_words(*entry.lead_seconds);
  const std::int64_t records = entry.lead_records.value_or(2);
  return fmt::format("{} record{}", records, records == 1 ? "" : "s");
}

std::string files_words(const EntryPreview& preview) {
  if (!preview.awaited.empty()) return "files that are not there yet";
  if (preview.files.empty())
    return std::holds_alternative<Adios2Source>(preview.entry->source)
               ? "a stream, which opens with the job"
               : "files whose names the model's options complete";
  if (preview.files.front().empty()) return "what its function returns";
  if (preview.files.size() == 1) return preview.files.front();
  return fmt::format("{} files, {} to {}", preview.files.size(), preview.files.front(), preview.files.back());
}

Branch describe_entry(const EntryPreview& preview, const calendar::Calendar& calendar) {
  const Entry& entry = *preview.entry;
  Branch branch{fmt::format("{}: {}, read {} ahead, on trouble: {}", entry.name, files_words(preview),
                            lead_words(entry), entry.on_trouble == OnTrouble::stop ? "stop" : "hold")};
  if (!preview.awaited.empty())
    branch.below.push_back(
        {fmt::format("warning: {}; the job waits for {}", preview.awaited, length_words(entry.wait_for))});
  for (const FieldPreview& field : preview.fields) branch.below.push_back(describe_field(field, calendar));
  return branch;
}

}  // namespace

std::string describe(const std::vector<EntryPreview>& entries, const calendar::Calendar& calendar,
                     double memory) {
  if (entries.empty()) return "";
  Volume total;
  std::size_t fields = 0;
  std::vector<Branch> branches;
  for (const EntryPreview& preview : entries) {
    for (const FieldPreview& field : preview.fields) total += volume_of(field);
    fields += preview.fields.size();
    branches.push_back(describe_entry(preview, calendar));
  }
  std::string text = fmt::format("input of {} field{}: {}; the servers hold up to {}\n", fields,
                                 fields == 1 ? "" : "s", words_of(total), bytes_text(total.held));
  if (memory > 0.0 && total.held > memory)
    text += fmt::format(
        "warning: that is more than `servers.memory` of all servers, {}; they read less far ahead\n",
        bytes_text(memory));
  return text + base::drawn(branches);
}

}  // namespace tailrace::input
