#include "model/declarations.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace tailrace::model {
namespace {

using base::ByteReader;
using base::ByteWriter;

// A pair of put and get for each type, in the same order. `put_list` writes the length first.
template <class T, class Put>
void put_list(ByteWriter& out, const std::vector<T>& items, Put&& put) {
  out.put(static_cast<std::int64_t>(items.size()));
  for (const T& item : items) put(out, item);
}

template <class Get>
auto get_list(ByteReader& in, Get&& get) {
  std::vector<decltype(get(in))> items;
  for (auto left = in.get<std::int64_t>(); left > 0; --left) items.push_back(get(in));
  return items;
}

void put_text(ByteWriter& out, const std::string& text) { out.put_text(text); }
std::string get_text(ByteReader& in) { return in.get_text(); }

// Booleans and enumerations are sent as bytes, so that a damaged message cannot produce an invalid bool.
void put_flag(ByteWriter& out, bool flag) { out.put(static_cast<std::uint8_t>(flag ? 1 : 0)); }
bool get_flag(ByteReader& in) { return in.get<std::uint8_t>() != 0; }

template <class Enumeration>
Enumeration get_enumerator(ByteReader& in, Enumeration last) {
  const auto value = in.get<std::uint8_t>();
  TAILRACE_ASSERT(value <= static_cast<std::uint8_t>(last),
                  "the message has an unknown kind of grid or type");
  return static_cast<Enumeration>(value);
}

void put_index(ByteWriter& out, const std::optional<int>& index) {
  put_flag(out, index.has_value());
  if (index) out.put(static_cast<std::int32_t>(*index));
}
std::optional<int> get_index(ByteReader& in) {
  if (!get_flag(in)) return std::nullopt;
  return in.get<std::int32_t>();
}

template <class T>
void put_numbers(ByteWriter& out, const std::vector<T>& numbers) {
  out.put_all(std::span<const T>(numbers));
}

void put_map(ByteWriter& out, const std::map<std::string, std::string>& map) {
  out.put(static_cast<std::int64_t>(map.size()));
  for (const auto& [key, value] : map) {
    out.put_text(key);
    out.put_text(value);
  }
}

std::map<std::string, std::string> get_map(ByteReader& in) {
  std::map<std::string, std::string> map;
  for (auto left = in.get<std::int64_t>(); left > 0; --left) {
    std::string key = in.get_text();
    map[std::move(key)] = in.get_text();
  }
  return map;
}

void put_attribute(ByteWriter& out, const AttributeValue& value) {
  out.put(static_cast<std::uint8_t>(value.index()));
  std::visit(
      [&](const auto& held) {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>)
          out.put_text(held);
        else if constexpr (std::is_arithmetic_v<Held>)
          out.put(held);
        else
          put_numbers(out, held);
      },
      value);
}

template <std::size_t Index = 0>
AttributeValue get_attribute(ByteReader& in, std::size_t index) {
  if constexpr (Index < std::variant_size_v<AttributeValue>) {
    using Held = std::variant_alternative_t<Index, AttributeValue>;
    if (index != Index) return get_attribute<Index + 1>(in, index);
    if constexpr (std::is_same_v<Held, std::string>)
      return in.get_text();
    else if constexpr (std::is_arithmetic_v<Held>)
      return in.get<Held>();
    else
      return in.get_all<typename Held::value_type>();
  } else {
    throw Error(ErrorCode::internal, "the message has an unknown kind of attribute");
  }
}

void put_attributes(ByteWriter& out, const Attributes& attributes) {
  out.put(static_cast<std::int64_t>(attributes.size()));
  for (const auto& [name, value] : attributes) {
    out.put_text(name);
    put_attribute(out, value);
  }
}

Attributes get_attributes(ByteReader& in) {
  Attributes attributes;
  for (auto left = in.get<std::int64_t>(); left > 0; --left) {
    std::string name = in.get_text();
    attributes[std::move(name)] = get_attribute(in, in.get<std::uint8_t>());
  }
  return attributes;
}

void put_coordinate(ByteWriter& out, const Coordinate& coordinate) {
  out.put_text(coordinate.name);
  put_list(out, coordinate.dims, put_text);
  out.put_text(coordinate.units);
  out.put_text(coordinate.standard_name);
  out.put_text(coordinate.long_name);
  put_attributes(out, coordinate.attributes);
  put_numbers(out, coordinate.values);
  put_numbers(out, coordinate.bounds);
  put_index(out, coordinate.field);
  put_index(out, coordinate.bounds_field);
  out.put_text(coordinate.measure);
  out.put(coordinate.digest);
  out.put(coordinate.odd);
}

Coordinate get_coordinate(ByteReader& in) {
  Coordinate coordinate;
  coordinate.name = in.get_text();
  coordinate.dims = get_list(in, get_text);
  coordinate.units = in.get_text();
  coordinate.standard_name = in.get_text();
  coordinate.long_name = in.get_text();
  coordinate.attributes = get_attributes(in);
  coordinate.values = in.get_all<double>();
  coordinate.bounds = in.get_all<double>();
  coordinate.field = get_index(in);
  coordinate.bounds_field = get_index(in);
  coordinate.measure = in.get_text();
  coordinate.digest = in.get<std::uint64_t>();
  coordinate.odd = in.get<OddValues>();
  return coordinate;
}

void put_mesh(ByteWriter& out, const Mesh& mesh) {
  out.put_text(mesh.name);
  out.put(mesh.nodes);
  out.put(static_cast<std::int32_t>(mesh.node_x_field));
  out.put(static_cast<std::int32_t>(mesh.node_y_field));
  out.put_text(mesh.node_units);
  put_flag(out, mesh.in_parts);
  out.put(mesh.nodes_digest);
  out.put(mesh.nodes_per_face);
  out.put(static_cast<std::int32_t>(mesh.connectivity_field));
}

Mesh get_mesh(ByteReader& in) {
  Mesh mesh;
  mesh.name = in.get_text();
  mesh.nodes = in.get<std::int64_t>();
  mesh.node_x_field = in.get<std::int32_t>();
  mesh.node_y_field = in.get<std::int32_t>();
  mesh.node_units = in.get_text();
  mesh.in_parts = get_flag(in);
  mesh.nodes_digest = in.get<std::uint64_t>();
  mesh.nodes_per_face = in.get<std::int64_t>();
  mesh.connectivity_field = in.get<std::int32_t>();
  return mesh;
}

void put_place(ByteWriter& out, const MeshPlace& place) {
  out.put(static_cast<std::int32_t>(place.grid));
  out.put(place.element);
  out.put(static_cast<std::int32_t>(place.connectivity_field));
}

MeshPlace get_place(ByteReader& in) {
  MeshPlace place;
  place.grid = in.get<std::int32_t>();
  place.element = get_enumerator(in, MeshElement::node);
  place.connectivity_field = in.get<std::int32_t>();
  return place;
}

void put_grid(ByteWriter& out, const Grid& grid) {
  out.put_text(grid.name);
  out.put(grid.kind);
  put_list(out, grid.dims, put_text);
  put_numbers(out, grid.shape);
  out.put_text(grid.indexed_dim);
  put_list(out, grid.coordinates, put_coordinate);
  put_flag(out, grid.mesh.has_value());
  if (grid.mesh) put_mesh(out, *grid.mesh);
  put_flag(out, grid.place.has_value());
  if (grid.place) put_place(out, *grid.place);
  put_flag(out, grid.mapping.has_value());
  if (!grid.mapping) return;
  out.put_text(grid.mapping->name);
  put_attributes(out, grid.mapping->attributes);
}

Grid get_grid(ByteReader& in) {
  Grid grid;
  grid.name = in.get_text();
  grid.kind = get_enumerator(in, GridKind::partial);
  grid.dims = get_list(in, get_text);
  grid.shape = in.get_all<std::int64_t>();
  grid.indexed_dim = in.get_text();
  grid.coordinates = get_list(in, get_coordinate);
  if (get_flag(in)) grid.mesh = get_mesh(in);
  if (get_flag(in)) grid.place = get_place(in);
  if (get_flag(in)) {
    grid.mapping.emplace().name = in.get_text();
    grid.mapping->attributes = get_attributes(in);
  }
  return grid;
}

void put_field(ByteWriter& out, const Field& field) {
  out.put_text(field.name);
  out.put(static_cast<std::int32_t>(field.grid));
  out.put(field.type);
  out.put_text(field.units);
  out.put_text(field.standard_name);
  out.put_text(field.long_name);
  put_attributes(out, field.attributes);
  put_flag(out, field.fill_value.has_value());
  if (field.fill_value) {
    out.put(field.fill_value->number);
    out.put(field.fill_value->whole);
  }
  put_flag(out, field.is_static);
  put_flag(out, field.is_input);
  put_flag(out, field.is_optional);
  put_list(out, field.coordinates, put_coordinate);
}

Field get_field(ByteReader& in) {
  Field field;
  field.name = in.get_text();
  field.grid = in.get<std::int32_t>();
  field.type = get_enumerator(in, last_field_type);
  field.units = in.get_text();
  field.standard_name = in.get_text();
  field.long_name = in.get_text();
  field.attributes = get_attributes(in);
  if (get_flag(in)) {
    field.fill_value.emplace().number = in.get<double>();
    field.fill_value->whole = in.get<std::int64_t>();
  }
  field.is_static = get_flag(in);
  field.is_input = get_flag(in);
  field.is_optional = get_flag(in);
  field.coordinates = get_list(in, get_coordinate);
  return field;
}

void put_region(ByteWriter& out, const Region& region) {
  out.put(static_cast<std::int64_t>(region.rank()));
  for (std::size_t d = 0; d < region.rank(); ++d) put_numbers(out, region.runs(d));
}

// A region counts its cells when it is constructed, so overflow is checked before.
Region get_region(ByteReader& in) {
  std::int64_t all = 1;
  return Region(get_list(in, [&all](ByteReader& from) {
    std::int64_t cells = 0;
    Runs runs = from.get_all<Run>();
    for (const Run& run : runs)
      TAILRACE_ASSERT(!__builtin_add_overflow(cells, run.count, &cells), "the message has too many cells");
    TAILRACE_ASSERT(!__builtin_mul_overflow(all, cells, &all), "the message has too many cells");
    return runs;
  }));
}

template <class Named>
std::optional<int> find_named(const std::vector<Named>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  if (found == all.end()) return std::nullopt;
  return static_cast<int>(found - all.begin());
}

void put_found(ByteWriter& out, const FoundCells& found) {
  out.put_text(found.file);
  out.put_all(std::span<const std::int64_t>(found.fields));
  out.put_all(std::span<const std::int64_t>(found.cells));
  out.put_all(std::span<const double>(found.reach));
}

FoundCells get_found(ByteReader& in) {
  FoundCells found;
  found.file = in.get_text();
  found.fields = in.get_all<std::int64_t>();
  found.cells = in.get_all<std::int64_t>();
  found.reach = in.get_all<double>();
  return found;
}

}  // namespace

std::int64_t Grid::size() const {
  std::int64_t cells = 1;
  for (const std::int64_t extent : shape) cells *= extent;
  return cells;
}

std::optional<int> Declarations::find_field(const std::string& name) const {
  return find_named(fields, name);
}

std::optional<int> Declarations::find_grid(const std::string& name) const { return find_named(grids, name); }

std::vector<std::string> Declarations::field_names() const {
  std::vector<std::string> names;
  for (const Field& field : fields)
    if (field.is_put()) names.push_back(field.name);
  return names;
}

std::vector<std::string> Declarations::input_names() const {
  std::vector<std::string> names;
  for (const Field& field : fields)
    if (field.is_input) names.push_back(field.name);
  return names;
}

std::vector<std::string> Declarations::grid_names() const {
  std::vector<std::string> names;
  for (const Grid& grid : grids) names.push_back(grid.name);
  return names;
}

bool Declarations::operator==(const Declarations& other) const { return to_bytes() == other.to_bytes(); }

std::vector<std::byte> Declarations::to_bytes() const {
  ByteWriter out;
  out.put_text(component);
  put_map(out, options);
  put_list(out, grids, put_grid);
  put_list(out, fields, put_field);
  out.put(found_cells.has_value());
  if (found_cells) put_list(out, *found_cells, put_found);
  put_attributes(out, attributes);
  return out.take();
}

Declarations Declarations::from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  Declarations declarations;
  declarations.component = in.get_text();
  declarations.options = get_map(in);
  declarations.grids = get_list(in, get_grid);
  declarations.fields = get_list(in, get_field);
  if (in.get<bool>()) declarations.found_cells = get_list(in, get_found);
  declarations.attributes = get_attributes(in);
  TAILRACE_ASSERT(in.rest().empty(), "the message is longer than its declarations");
  return declarations;
}

std::vector<std::byte> Decomposition::to_bytes() const {
  ByteWriter out;
  put_list(out, regions, [](ByteWriter& to, const Regions& of_grid) {
    to.put(static_cast<std::int64_t>(of_grid.size()));
    put_list(to, of_grid.distinct(), put_region);
  });
  put_list(out, further, [](ByteWriter& to, const FurtherPart& part) {
    to.put(static_cast<std::int32_t>(part.rank));
    to.put(static_cast<std::uint8_t>(part.is_hole));
  });
  return out.take();
}

Decomposition Decomposition::from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  Decomposition decomposition;
  decomposition.regions = get_list(in, [](ByteReader& from) {
    const auto ranks = static_cast<std::size_t>(from.get<std::int64_t>());
    return Regions(get_list(from, get_region), ranks);
  });
  decomposition.further = get_list(in, [](ByteReader& from) {
    const auto rank = static_cast<int>(from.get<std::int32_t>());
    return FurtherPart{rank, from.get<std::uint8_t>() != 0};
  });
  TAILRACE_ASSERT(in.rest().empty(), "the message is longer than its decomposition");
  return decomposition;
}

}  // namespace tailrace::model
