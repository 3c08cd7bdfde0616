#include "model/kept_value.hpp"

#include <array>
#include <string_view>

#include "base/bytes.hpp"
#include "base/index.hpp"

namespace tailrace::model {
namespace {

constexpr std::array<const char*, 3> kinds{"integers", "reals", "text"};

std::string prefix_of(std::size_t kind) { return std::string("model/") + kinds[kind] + "/"; }

template <class T>
std::optional<KeptValue> find(const StateLoader& loader, const std::string& name, std::size_t kind) {
  if (!loader.find(prefix_of(kind) + name)) return std::nullopt;
  T value;
  NumberLoader(loader, prefix_of(kind))(name, value);
  return value;
}

}  // namespace

const char* kind_name(const KeptValue& value) { return kinds[value.index()]; }

std::vector<std::byte> to_bytes(const KeptValues& values) {
  base::ByteWriter writer;
  writer.put(static_cast<std::int64_t>(values.size()));
  for (const auto& [name, value] : values) {
    writer.put_text(name);
    writer.put(static_cast<std::int64_t>(value.index()));
    if (const auto* integers = std::get_if<0>(&value))
      writer.put_all(std::span<const std::int64_t>(*integers));
    else if (const auto* reals = std::get_if<1>(&value))
      writer.put_all(std::span<const double>(*reals));
    else
      writer.put_text(std::get<2>(value));
  }
  return writer.take();
}

KeptValues kept_values_from(std::span<const std::byte> bytes) {
  KeptValues values;
  if (bytes.empty()) return values;
  base::ByteReader reader(bytes);
  for (auto count = reader.get<std::int64_t>(); count > 0; --count) {
    std::string name = reader.get_text();
    const auto kind = reader.get<std::int64_t>();
    KeptValue& value = values[std::move(name)];
    if (kind == 0)
      value = reader.get_all<std::int64_t>();
    else if (kind == 1)
      value = reader.get_all<double>();
    else
      value = reader.get_text();
  }
  return values;
}

void save(const KeptValues& values, StateSaver& saver) {
  for (const auto& [name, value] : values) {
    NumberSaver numbers(saver, prefix_of(value.index()));
    std::visit([&, &name = name](const auto& kept) { numbers(name, kept); }, value);
  }
}

std::optional<KeptValue> load_kept_value(const StateLoader& loader, const std::string& name) {
  if (auto integers = find<std::vector<std::int64_t>>(loader, name, 0)) return integers;
  if (auto reals = find<std::vector<double>>(loader, name, 1)) return reals;
  return find<std::string>(loader, name, 2);
}

StateArray kept_array(const Declarations& declarations, int field) {
  const Field& of = declarations.fields[base::index(field)];
  const Grid& grid = declarations.grids[base::index(of.grid)];
  return {"model/fields/" + of.name, of.type, grid.dims, grid.shape};
}

std::string kept_value_named(const std::string& array) {
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    if (const std::string prefix = prefix_of(kind); array.starts_with(prefix))
      return array.substr(prefix.size());
  return {};
}

}  // namespace tailrace::model
