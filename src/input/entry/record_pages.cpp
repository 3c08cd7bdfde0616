#include "input/entry/record_pages.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace tailrace::input {
namespace {

// Readings that are kept for other fields. Servers ask for the records that a field needs at once, and then
// for those of the next one.
constexpr std::size_t slots_if_shared = 4;

bool contains(RecordRange range, std::int64_t record) {
  return record >= range.begin && record < range.begin + range.count;
}

}  // namespace

void RecordPages::add_slot() { slots_.push_back(std::make_unique<Slot>(chunks_)); }

int RecordPages::add_reader() {
  if (readers_ == 1)
    while (slots_.size() < slots_if_shared) add_slot();
  return static_cast<int>(readers_++);
}

void RecordPages::empty(Slot& slot) {
  slot.range = {};
  slot.place.clear();
}

void RecordPages::clear() {
  for (const auto& slot : slots_) empty(*slot);
}

std::optional<RecordPages::Held> RecordPages::take(std::size_t file, std::int64_t record) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    Slot& slot = *slots_[s];
    if (slot.file != file || !contains(slot.range, record)) continue;
    Held held{s, file, slot.range, slot.place.take()};
    if (!held.pages.empty()) return held;
    empty(slot);  // the memory was given up for another variable
  }
  return std::nullopt;
}

RecordPages::Held RecordPages::reserve(std::size_t file, RecordRange range, std::uint64_t record_bytes,
                                       double to_next) {
  // A free one, or the oldest.
  const auto age = [](const auto& slot) { return slot->range.count == 0 ? 0 : slot->number; };
  const auto found = std::ranges::min_element(slots_, {}, age);
  Slot& slot = **found;
  slot.file = file;
  slot.range = range;
  slot.has_done.assign(readers_, false);
  slot.number = ++reads_;
  slot.range.count = slot.place.reserve(record_bytes, range.count, to_next);
  return {static_cast<std::size_t>(found - slots_.begin()), file, slot.range, {}};
}

void RecordPages::give_back(Held held, int reader, std::int64_t record) {
  Slot& slot = *slots_[held.slot];
  // The last one of a chunk is followed by another chunk.
  if (record == held.range.begin + held.range.count - 1) slot.has_done[base::index(reader)] = true;
  if (std::ranges::count(slot.has_done, false) == 0)
    empty(slot);
  else
    slot.place.keep(std::move(held.pages));
}

void RecordPages::drop(const Held& held) { empty(*slots_[held.slot]); }

}  // namespace tailrace::input
