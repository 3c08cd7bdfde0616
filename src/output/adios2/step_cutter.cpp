#include "output/adios2/step_cutter.hpp"

#include <algorithm>
#include <cstring>

#include "base/index.hpp"
#include "output/checks.hpp"

namespace tailrace::output::adios2 {
namespace {

using Index = std::vector<std::int64_t>;

std::vector<std::size_t> unsigned_of(const Index& index) { return {index.begin(), index.end()}; }

bool is_encoded(const VariableSpec& variable, const EncodedChunk& chunk) {
  return chunk.filtered && variable.codec.codec != "none";
}

base::SharedBytes decoded(const VariableSpec& variable, const EncodedChunk& chunk) {
  if (!is_encoded(variable, chunk)) return chunk.bytes;
  const std::size_t size = model::size_of(variable.type);
  return codecs::make_codec(variable.codec)
      ->decode(chunk.bytes, base::index(cells_of(variable.chunk)) * size, size);
}

// Calls visit with the offset of each row, along the fastest dim, of a box.
template <class Visit>
void for_each_row(const Index& count, Visit visit) {
  Index row(count.size(), 0);
  for (;;) {
    visit(row);
    std::size_t i = count.size() - 1;
    do {
      if (i == 0) return;
      --i;
      if (++row[i] < count[i]) break;
      row[i] = 0;
    } while (true);
  }
}

// Calls visit with the corner of each chunk that has cells from `first` on and before `end`.
template <class Visit>
void for_each_corner(const Index& chunk, const Index& first, const Index& end, Visit visit) {
  Index corner(chunk.size());
  for (std::size_t i = 0; i < chunk.size(); ++i) corner[i] = first[i] / chunk[i] * chunk[i];
  const Index begin = corner;
  for (;;) {
    visit(corner);
    std::size_t i = chunk.size();
    do {
      if (i == 0) return;
      --i;
      if ((corner[i] += chunk[i]) < end[i]) break;
      corner[i] = begin[i];
    } while (true);
  }
}

// The cells of a chunk from `from` on, counted from its corner.
std::vector<std::byte> cells_of_box(const base::SharedBytes& bytes, const Index& chunk, const Index& from,
                                    const Index& count, std::size_t size) {
  std::vector<std::byte> box(base::index(cells_of(count)) * size);
  const std::size_t length = base::index(count.back()) * size;
  std::size_t to = 0;
  for_each_row(count, [&](const Index& row) {
    std::int64_t cell = 0;
    for (std::size_t i = 0; i < chunk.size(); ++i) cell = cell * chunk[i] + from[i] + row[i];
    std::memcpy(box.data() + to, bytes.data() + base::index(cell) * size, length);
    to += length;
  });
  return box;
}

bool is_contiguous(const Index& chunk, const Index& count) {
  for (std::size_t i = 1; i < chunk.size(); ++i)
    if (chunk[i] != count[i]) return false;
  return true;
}

}  // namespace

StepCutter::StepCutter(const DatasetSpec& spec, bool repeats, bool keeps_encoded)
    : spec_(spec),
      repeats_(repeats),
      keeps_encoded_(keeps_encoded),
      chunks_(spec.variables.size()),
      whole_(spec.variables.size()),
      changed_(spec.variables.size(), false),
      left_(spec.variables.size(), false) {}

const std::vector<Block>& StepCutter::cut(const Commit& commit, const Index& before, const Index& after) {
  std::vector<Chunk> stored;
  for (const EncodedChunk& chunk : commit.chunks) stored.push_back(as_stored(chunk, before, after));
  blocks_.clear();
  bytes_.clear();
  take(commit, std::move(stored));
  for (std::size_t v = 0; v < spec_.variables.size(); ++v) {
    const VariableSpec& variable = spec_.variables[v];
    if (!grows(spec_, variable)) {
      add_fixed(v);
      continue;
    }
    std::vector<const PlainValues*> values;
    for (const PlainValues& plain : commit.values)
      if (plain.variable == static_cast<int>(v)) values.push_back(&plain);
    const std::size_t dim = base::index(variable.dims[0]);
    if (after[dim] > before[dim]) add_growing(v, before[dim], after[dim], values);
    forget_until(v, after[dim]);
  }
  return blocks_;
}

std::size_t StepCutter::held() const {
  std::size_t bytes = 0;
  for (const Chunks& chunks : chunks_)
    for (const auto& [offset, chunk] : chunks) bytes += chunk.bytes.size();
  for (const base::SharedBytes& values : whole_) bytes += values.size();
  return bytes;
}

StepCutter::Chunk StepCutter::as_stored(const EncodedChunk& chunk, const Index& before,
                                        const Index& after) const {
  const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
  if (is_encoded(variable, chunk) && is_a_block(chunk, before, after)) return {chunk.bytes, true};
  return {decoded(variable, chunk), false};
}

// Whether the commit brings all of its cells to light, and none of them is outside of the variable.
bool StepCutter::is_a_block(const EncodedChunk& chunk, const Index& before, const Index& after) const {
  if (!keeps_encoded_) return false;
  const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
  const Index shape = shape_of(variable, after);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (chunk.offset[i] + variable.chunk[i] > shape[i]) return false;
  return !grows(spec_, variable) || chunk.offset[0] >= before[base::index(variable.dims[0])];
}

void StepCutter::take(const Commit& commit, std::vector<Chunk>&& stored) {
  for (std::size_t i = 0; i < commit.chunks.size(); ++i) {
    const EncodedChunk& chunk = commit.chunks[i];
    if (left_[base::index(chunk.variable)]) continue;
    chunks_[base::index(chunk.variable)][chunk.offset] = std::move(stored[i]);
    changed_[base::index(chunk.variable)] = true;
  }
  for (const PlainValues& values : commit.values) {
    const std::size_t v = base::index(values.variable);
    if (grows(spec_, spec_.variables[v]) || left_[v]) continue;
    base::SharedBytes bytes(values.bytes);
    changed_[v] = changed_[v] || !(whole_[v] == bytes);
    whole_[v] = std::move(bytes);
  }
}

void StepCutter::add_growing(std::size_t v, std::int64_t before, std::int64_t after,
                             const std::vector<const PlainValues*>& values) {
  const VariableSpec& variable = spec_.variables[v];
  Index shape = shape_of(variable, first_lengths(spec_));
  shape[0] = after - before;
  if (values.empty()) {
    Index first(shape.size(), 0), end = shape;
    first[0] = before;
    end[0] = after;
    add_chunks(v, first, end);
    return;
  }
  const std::size_t record = base::index(cells_of(shape) / shape[0]) * model::size_of(variable.type);
  std::vector<std::byte> bytes = filled(variable, cells_of(shape)).copy();
  for (const PlainValues* plain : values) {
    const std::int64_t end = plain->first + static_cast<std::int64_t>(plain->bytes.size() / record);
    const std::int64_t first = std::max(plain->first, before);
    if (first >= end) continue;
    std::memcpy(bytes.data() + base::index(first - before) * record,
                plain->bytes.data() + base::index(first - plain->first) * record,
                base::index(end - first) * record);
  }
  add_block(v, {shape, Index(shape.size(), 0), shape}, std::move(bytes));
}

void StepCutter::add_fixed(std::size_t v) {
  const VariableSpec& variable = spec_.variables[v];
  if (chunks_[v].empty() && whole_[v].empty()) return;
  if (!changed_[v] && !repeats_) return;
  changed_[v] = false;
  const Index shape = shape_of(variable, first_lengths(spec_));
  if (!whole_[v].empty())
    add_block(v, {shape, Index(shape.size(), 0), shape}, whole_[v]);
  else
    add_chunks(v, Index(shape.size(), 0), shape);
  if (!repeats_ && !chunks_[v].empty() && has_all_chunks(v)) chunks_[v].clear();
}

bool StepCutter::has_all_chunks(std::size_t v) const {
  const VariableSpec& variable = spec_.variables[v];
  const Index shape = shape_of(variable, first_lengths(spec_));
  std::int64_t all = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    all *= (shape[i] + variable.chunk[i] - 1) / variable.chunk[i];
  return std::ssize(chunks_[v]) == all;
}

void StepCutter::add_chunks(std::size_t v, const Index& first, const Index& end) {
  for_each_corner(spec_.variables[v].chunk, first, end,
                  [&](const Index& corner) { add_chunk(v, corner, first, end); });
}

// The shape and the place of the block are counted from `first` on.
void StepCutter::add_chunk(std::size_t v, const Index& corner, const Index& first, const Index& end) {
  const VariableSpec& variable = spec_.variables[v];
  const std::size_t size = model::size_of(variable.type);
  Index shape, start, count, inside;
  for (std::size_t i = 0; i < corner.size(); ++i) {
    const std::int64_t from = std::max(corner[i], first[i]);
    const std::int64_t to = std::min(corner[i] + variable.chunk[i], end[i]);
    shape.push_back(end[i] - first[i]);
    start.push_back(from - first[i]);
    count.push_back(to - from);
    inside.push_back(from - corner[i]);
  }
  const auto found = chunks_[v].find(corner);
  if (found == chunks_[v].end()) {
    add_block(v, {shape, start, count}, filled(variable, cells_of(count)));
  } else if (found->second.encoded) {
    add_block(v, {shape, start, count}, found->second.bytes);
    blocks_.back().encoded = found->second.bytes.size();
  } else if (!is_contiguous(variable.chunk, count)) {
    add_block(v, {shape, start, count},
              cells_of_box(found->second.bytes, variable.chunk, inside, count, size));
  } else {
    const std::int64_t record = cells_of(count) / count[0];
    add_block(v, {shape, start, count}, found->second.bytes, base::index(inside[0] * record) * size);
  }
}

void StepCutter::add_block(std::size_t v, const Place& place, base::SharedBytes bytes, std::size_t at_byte) {
  bytes_.push_back(std::move(bytes));
  blocks_.push_back({static_cast<int>(v), unsigned_of(place.shape), unsigned_of(place.start),
                     unsigned_of(place.count), bytes_.back().data() + at_byte, 0});
}

// Chunks without a record behind these.
void StepCutter::forget_until(std::size_t v, std::int64_t record) {
  const std::int64_t extent = spec_.variables[v].chunk[0];
  std::erase_if(chunks_[v], [&](const auto& chunk) { return chunk.first[0] + extent <= record; });
}

base::SharedBytes StepCutter::filled(const VariableSpec& variable, std::int64_t cells) const {
  const std::size_t size = model::size_of(variable.type);
  std::vector<std::byte> bytes(base::index(cells) * size);
  model::dispatch(variable.type, [&](auto sample) {
    const auto fill = variable.fill_value.value_or(0.0).as<decltype(sample)>();
    for (std::size_t byte = 0; byte < bytes.size(); byte += size) std::memcpy(&bytes[byte], &fill, size);
  });
  return bytes;
}

}  // namespace tailrace::output::adios2
