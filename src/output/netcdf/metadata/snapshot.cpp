#include "output/netcdf/metadata/snapshot.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "output/netcdf/metadata/checksum.hpp"

namespace tailrace::output::netcdf {
namespace {

// In each round the fronts are written at slightly higher addresses. A reader with an address of an earlier
// round then finds no valid header and reports an error, instead of a newer header that is inconsistent with
// what it has read so far.
constexpr std::uint64_t shifts = 64, shift = 8;
// Two changes that are at most this many bytes apart are written as one.
constexpr std::size_t least_gap = 16;

constexpr std::string_view list_of_scales = "DIMENSION_LIST", list_of_users = "REFERENCE_LIST";
constexpr std::size_t collection_front = 16, object_front = 16, least_collection = 4096;
constexpr std::size_t most_collection = std::size_t{1} << 24;  // a larger size means that the file is damaged
constexpr const char* nowhere = "a list of dimension scales in the file is damaged";

std::uint64_t rounded(std::uint64_t number) { return (number + 7) / 8 * 8; }

bool is_hard_link(const HeaderMessage& message) {
  constexpr unsigned names_its_kind = 0x08;
  return message.type == MessageType::link &&
         ((number_at(message.data, 1, 1) & names_its_kind) == 0 || number_at(message.data, 2, 1) == 0);
}

std::string attribute_name(const HeaderMessage& message) {
  return message.type == MessageType::attribute ? parts_of_attribute(message).name : "";
}

bool differs_by_snapshot(const HeaderMessage& message) {
  if (message.type == MessageType::dataspace || message.type == MessageType::layout) return true;
  if (is_hard_link(message)) return true;
  const std::string name = attribute_name(message);
  return name == list_of_scales || name == list_of_users;
}

// The attribute DIMENSION_LIST has an entry for each dim: the number of scales (4 bytes), and the address of
// a heap collection (8) with an index into it (4).
constexpr std::size_t scales_entry = 16;
// The attribute REFERENCE_LIST has an entry for each variable that uses the scale: the variable's address (8)
// and the dim (4). The attribute's type gives the size of an entry.
std::size_t users_entry(const HeaderMessage& message) {
  const auto name = static_cast<std::size_t>(number_at(message.data, 2, 2));
  return static_cast<std::size_t>(number_at(message.data, 9 + name + 4, 4));
}

// A collection of HDF5's global heap that holds object references: the object's address by index. Read as a
// whole, since every variable refers to it for every dim.
std::map<std::uint64_t, std::uint64_t> read_collection(const ReadBytes& read, std::uint64_t address) {
  Bytes front(object_front);
  read(address, front);
  const std::uint64_t size = number_at(front, 8, 8);
  if (size > most_collection) throw Error(ErrorCode::resource, nowhere);
  Bytes all(static_cast<std::size_t>(size));
  read(address, all);
  std::map<std::uint64_t, std::uint64_t> objects;
  for (std::size_t at = collection_front; at + object_front + 8 <= all.size();) {
    const std::uint64_t number = number_at(all, at, 2);
    if (number == 0) break;  // free space follows
    objects.emplace(number, number_at(all, at + object_front, 8));
    at += object_front + static_cast<std::size_t>(rounded(number_at(all, at + 8, 8)));
  }
  return objects;
}

// The ranges in which `now` differs from `before`, the bytes at `address`.
std::vector<Patch> differences(std::uint64_t address, std::span<const std::byte> before,
                               std::span<const std::byte> now) {
  std::vector<Patch> found;
  std::size_t begin = 0, end = 0;  // of the current range; empty if they are equal
  const auto take = [&] {
    if (begin == end) return;
    const auto part = now.subspan(begin, end - begin);
    found.push_back({address + begin, {part.begin(), part.end()}});
  };
  for (std::size_t at = 0; at < now.size(); ++at) {
    if (at < before.size() && before[at] == now[at]) continue;
    if (at > end + least_gap || begin == end) {
      take();
      begin = at;
    }
    end = at + 1;
  }
  take();
  return found;
}

template <class Visit>
void for_each_scale(const HeaderMessage& message, Visit visit) {
  for (std::size_t at = parts_of_attribute(message).values; at + scales_entry <= message.data.size();
       at += scales_entry)
    if (number_at(message.data, at, 4) == 1) visit(at);
}

}  // namespace

Superblock Superblock::with(std::uint64_t end, std::uint64_t root) const {
  Superblock other = *this;
  put_number(other.bytes, 28, end, 8);
  put_number(other.bytes, 36, root, 8);
  put_number(other.bytes, 44, metadata_checksum(std::span(other.bytes).first(44)), 4);
  return other;
}

Snapshot SnapshotMaker::make(const ReadBytes& read, std::uint64_t root, std::uint64_t end) {
  collect(read, root);
  collect_references(read);
  Snapshot snapshot;
  snapshot.end = rounded(end);
  for (const Object& object : objects_)
    snapshot.originals.insert(snapshot.originals.end(), object.header.chunks.begin(),
                              object.header.chunks.end());
  share(snapshot);
  place(snapshot);
  for (Object& object : objects_) refer_to_copies(object);
  write_bodies(read, snapshot);
  write_fronts(snapshot);
  snapshot.root = objects_.front().copy;
  objects_.clear();
  return snapshot;
}

// In a slot that is reused only the differences are written: little more than the lengths.
void SnapshotMaker::write_bodies(const ReadBytes& read, Snapshot& snapshot) const {
  const auto add = [&](std::uint64_t address, const Bytes& bytes) {
    if (made_ <= slot_count) return snapshot.writes.push_back({address, bytes});
    Bytes before(bytes.size());
    read(address, before);
    for (Patch& patch : differences(address, before, bytes)) snapshot.writes.push_back(std::move(patch));
  };
  add(slot_, references());
  for (const Object& object : objects_) add(object.body, encode_continuation(object.header, object.own));
}

void SnapshotMaker::write_fronts(Snapshot& snapshot) const {
  const std::uint64_t begin = objects_.front().copy;
  Bytes all;
  for (const Object& object : objects_) {
    all.resize(static_cast<std::size_t>(object.copy - begin));
    const Bytes bytes = front_of(object);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  snapshot.writes.push_back({begin, std::move(all)});
}

Bytes SnapshotMaker::front_of(const Object& object) {
  const HeaderMessage lead = lead_to(object.body, body_size(object));
  return encode_header(object.header, {&lead, 1});
}

std::size_t SnapshotMaker::body_size(const Object& object) {
  return encode_continuation(object.header, object.own).size();
}

void SnapshotMaker::collect(const ReadBytes& read, std::uint64_t root) {
  objects_.clear();
  by_address_.clear();
  take(read, root);
  const std::vector<HeaderMessage> links = objects_.front().own;
  for (const HeaderMessage& message : links)
    if (is_hard_link(message)) take(read, number_at(message.data, message.data.size() - 8, 8));
}

void SnapshotMaker::take(const ReadBytes& read, std::uint64_t address) {
  if (!by_address_.emplace(address, objects_.size()).second) return;
  Object object;
  object.original = address;
  object.header = read_object_header(read, address);
  for (const HeaderMessage& message : object.header.messages)
    (differs_by_snapshot(message) ? object.own : object.shared).push_back(message);
  // Most commits change only the shape. It is placed last, next to the checksum, so that both are one write.
  std::ranges::stable_partition(
      object.own, [](const HeaderMessage& message) { return message.type != MessageType::dataspace; });
  objects_.push_back(std::move(object));
}

// Messages that are equal in all snapshots are written once, in a chunk that every copy refers to.
void SnapshotMaker::share(Snapshot& snapshot) {
  for (Object& object : objects_) {
    if (object.shared.empty()) continue;
    Bytes bytes = encode_continuation(object.header, object.shared);
    Shared& shared = shared_[object.original];
    if (shared.bytes != bytes) {
      shared = {snapshot.end, bytes};
      snapshot.writes.push_back({snapshot.end, std::move(bytes)});
      snapshot.end = rounded(snapshot.end + shared.bytes.size());
    }
    object.own.insert(object.own.begin(), lead_to(shared.address, shared.bytes.size()));
  }
}

void SnapshotMaker::collect_references(const ReadBytes& read) {
  referred_.clear();
  collections_.clear();
  for (const Object& object : objects_) {
    for (const HeaderMessage& message : object.own) {
      if (attribute_name(message) != list_of_scales) continue;
      for_each_scale(message, [&](std::size_t at) {
        const std::uint64_t address = number_at(message.data, at + 4, 8);
        if (!collections_.contains(address)) collections_.emplace(address, read_collection(read, address));
        referred_.emplace(scale_at(message, at), referred_.size() + 1);
      });
    }
  }
}

// The address of the object that entry `at` of a DIMENSION_LIST refers to.
std::uint64_t SnapshotMaker::scale_at(const HeaderMessage& message, std::size_t at) const {
  const auto& objects = collections_.at(number_at(message.data, at + 4, 8));
  const auto found = objects.find(number_at(message.data, at + 12, 4));
  if (found == objects.end()) throw Error(ErrorCode::resource, nowhere);
  return found->second;
}

// Uses the slots in turn as long as all sizes equal those of the last snapshot; otherwise allocates new
// slots.
void SnapshotMaker::place(Snapshot& snapshot) {
  std::vector<std::size_t> sizes{collection_size()};
  for (const Object& object : objects_) sizes.push_back(body_size(object));
  for (const Object& object : objects_) sizes.push_back(front_of(object).size());
  if (sizes != sizes_) {
    sizes_ = std::move(sizes);
    slots_.clear();
    made_ = 0;
  }
  const std::uint64_t turn = made_ / slot_count;
  if (turn == 0) {
    slots_.push_back(snapshot.end);
    snapshot.end += shifts * shift;
    for (const std::size_t size : sizes_) snapshot.end += rounded(size);
  }
  slot_ = slots_[made_++ % slot_count];
  auto size = sizes_.begin();
  std::uint64_t at = slot_ + rounded(*size++);
  for (Object& object : objects_) {
    object.body = at;
    at += rounded(*size++);
  }
  at += turn % shifts * shift;
  for (Object& object : objects_) {
    object.copy = at;
    at += rounded(*size++);
  }
}

void SnapshotMaker::refer_to_copies(Object& object) const {
  for (HeaderMessage& message : object.own) {
    if (is_hard_link(message)) {
      const std::size_t place = message.data.size() - 8;
      put_number(message.data, place, copy_of(number_at(message.data, place, 8)), 8);
    }
    const std::string name = attribute_name(message);
    if (name == list_of_scales) {
      for_each_scale(message, [&](std::size_t at) {
        const std::size_t number = referred_.at(scale_at(message, at));
        put_number(message.data, at + 4, slot_, 8);
        put_number(message.data, at + 12, number, 4);
      });
    } else if (name == list_of_users) {
      const std::size_t entry = users_entry(message);
      for (std::size_t at = parts_of_attribute(message).values; at + entry <= message.data.size();
           at += entry)
        put_number(message.data, at, copy_of(number_at(message.data, at, 8)), 8);
    }
  }
}

std::size_t SnapshotMaker::collection_size() const {
  const std::size_t used = collection_front + (object_front + 8) * referred_.size();
  return std::max<std::size_t>(least_collection, used + object_front);
}

// A collection of HDF5's global heap with one reference for each scale. The free space at its end is not
// written: its contents do not matter.
Bytes SnapshotMaker::references() const {
  constexpr std::size_t entry = object_front + 8;
  const std::size_t used = collection_front + entry * referred_.size();
  Bytes bytes(used + object_front);
  std::memcpy(bytes.data(), "GCOL\1", 5);
  put_number(bytes, 8, collection_size(), 8);
  for (const auto& [original, number] : referred_) {
    const std::size_t at = collection_front + entry * (number - 1);
    put_number(bytes, at, number, 2);
    put_number(bytes, at + 2, 1, 2);  // reference count
    put_number(bytes, at + 8, 8, 8);
    put_number(bytes, at + object_front, copy_of(original), 8);
  }
  put_number(bytes, used + 8, collection_size() - used, 8);  // index 0: the free space, including its header
  return bytes;
}

std::uint64_t SnapshotMaker::copy_of(std::uint64_t original) const {
  const auto found = by_address_.find(original);
  return found == by_address_.end() ? original : objects_[found->second].copy;
}

}  // namespace tailrace::output::netcdf
