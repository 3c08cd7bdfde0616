#include "output/adios2/stream/wire.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"

namespace tailrace::output::adios2::stream {
namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t offset) { return (offset + alignment - 1) / alignment * alignment; }

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

void put(base::ByteWriter& writer, const AttributeValue& value) {
  writer.put(static_cast<std::int32_t>(value.index()));
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>)
          writer.put_text(held);
        else if constexpr (is_list<Held>)
          writer.put_all(std::span<const typename Held::value_type>(held));
        else
          writer.put(held);
      },
      value);
}

template <std::size_t index = 0>
AttributeValue value_from(base::ByteReader& reader, std::size_t wanted) {
  if constexpr (index < std::variant_size_v<AttributeValue>) {
    if (index != wanted) return value_from<index + 1>(reader, wanted);
    using Held = std::variant_alternative_t<index, AttributeValue>;
    if constexpr (std::is_same_v<Held, std::string>)
      return reader.get_text();
    else if constexpr (is_list<Held>)
      return reader.get_all<typename Held::value_type>();
    else
      return reader.get<Held>();
  } else {
    TAILRACE_ASSERT(false, "an attribute of a type that is none");
  }
}

void put(base::ByteWriter& writer, const Attributes& attributes) {
  writer.put(attributes.size());
  for (const auto& [name, value] : attributes) {
    writer.put_text(name);
    put(writer, value);
  }
}

Attributes attributes_from(base::ByteReader& reader) {
  Attributes attributes(reader.get<std::size_t>());
  for (auto& [name, value] : attributes) {
    name = reader.get_text();
    const auto index = static_cast<std::size_t>(reader.get<std::int32_t>());
    value = value_from(reader, index);
  }
  return attributes;
}

void put(base::ByteWriter& writer, const std::vector<std::string>& words) {
  writer.put(words.size());
  for (const std::string& word : words) writer.put_text(word);
}

std::vector<std::string> words_from(base::ByteReader& reader) {
  std::vector<std::string> words(reader.get<std::size_t>());
  for (std::string& word : words) word = reader.get_text();
  return words;
}

}  // namespace

std::vector<std::byte> bytes_of(const EngineSpec& spec) {
  base::ByteWriter writer;
  writer.put_text(spec.path);
  writer.put(spec.options.queue);
  writer.put(spec.options.listen);
  put(writer, spec.attributes);
  put(writer, spec.unlimited_dims);
  writer.put(spec.variables.size());
  for (const EngineVariable& variable : spec.variables) {
    writer.put_text(variable.name);
    writer.put(variable.type);
    writer.put(variable.is_text);
    put(writer, variable.dims);
    put(writer, variable.attributes);
  }
  return writer.take();
}

EngineSpec spec_from(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  EngineSpec spec;
  spec.path = reader.get_text();
  spec.options.engine = Engine::sst;
  spec.options.queue = reader.get<int>();
  spec.options.listen = reader.get<Listen>();
  spec.attributes = attributes_from(reader);
  spec.unlimited_dims = words_from(reader);
  spec.variables.resize(reader.get<std::size_t>());
  for (EngineVariable& variable : spec.variables) {
    variable.name = reader.get_text();
    variable.type = reader.get<model::DataType>();
    variable.is_text = reader.get<bool>();
    variable.dims = words_from(reader);
    variable.attributes = attributes_from(reader);
  }
  return spec;
}

StepLayout::StepLayout(const EngineSpec& spec, std::span<const Block> blocks) : blocks_(blocks) {
  const auto describe = [&](std::size_t first) {
    base::ByteWriter writer;
    std::size_t offset = first;
    places_.clear();
    writer.put(blocks.size());
    for (const Block& block : blocks) {
      places_.push_back({offset, value_bytes(spec, block)});
      writer.put(block.variable);
      for (const auto* extents : {&block.shape, &block.start, &block.count})
        writer.put_all(std::span<const std::size_t>(*extents));
      writer.put(offset);
      offset = aligned(offset + places_.back().bytes);
    }
    size_ = offset;
    return writer.take();
  };
  head_ = describe(0);
  head_ = describe(aligned(head_.size()));  // as long, with the places behind it
}

void StepLayout::fill(std::span<std::byte> memory) const {
  std::memcpy(memory.data(), head_.data(), head_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (places_[i].bytes > 0)
      std::memcpy(memory.data() + places_[i].offset, blocks_[i].values, places_[i].bytes);
}

std::vector<Block> blocks_in(std::span<const std::byte> memory) {
  base::ByteReader reader(memory);
  std::vector<Block> blocks(reader.get<std::size_t>());
  for (Block& block : blocks) {
    block.variable = reader.get<int>();
    for (auto* extents : {&block.shape, &block.start, &block.count}) *extents = reader.get_all<std::size_t>();
    block.values = memory.data() + reader.get<std::size_t>();
  }
  return blocks;
}

}  // namespace tailrace::output::adios2::stream
