// The declarations before ready: converts the specs of C to those of C++.
#include "guard.hpp"
#include "handle.hpp"

using tailrace::Error;
using tailrace::ErrorCode;
using tailrace::bindings::guarded;
using tailrace::bindings::guarded_value;
using tailrace::bindings::required;
using tailrace::bindings::running;
using tailrace::bindings::text_or;
using tailrace::bindings::type_of;

namespace {

std::vector<std::int64_t> extents(const std::int64_t* values, int rank) {
  if (values == nullptr) return {};
  return {values, values + rank};
}

std::vector<std::string> names(const char* const* values, int rank, const std::string& owner) {
  std::vector<std::string> result;
  if (rank < 0) throw Error(ErrorCode::usage, owner + ": rank " + std::to_string(rank) + " is negative");
  if (rank > 0) required(values, (owner + ": dims").c_str());
  for (int i = 0; i < rank; ++i) result.push_back(text_or(values[i]));
  return result;
}

template <class T>
std::vector<T> numbers(const tailrace_attribute& attribute) {
  const auto* first = static_cast<const T*>(attribute.numbers);
  return {first, first + attribute.count};
}

tailrace::Attribute value_of(const tailrace_attribute& attribute, const std::string& owner) {
  const std::string what = owner + ": attribute \"" + text_or(attribute.name) + "\"";
  if (attribute.numbers == nullptr) {
    if (attribute.count > 0) throw Error(ErrorCode::usage, what + ": numbers is NULL");
    return text_or(attribute.value);
  }
  if (attribute.value != nullptr)
    throw Error(ErrorCode::usage, what + ": expected either value or numbers, but got both");
  switch (type_of(attribute.type, what)) {
    case tailrace::Type::float32: return numbers<float>(attribute);
    case tailrace::Type::float64: return numbers<double>(attribute);
    case tailrace::Type::int32: return numbers<std::int32_t>(attribute);
    default: return numbers<std::int64_t>(attribute);
  }
}

std::map<std::string, tailrace::Attribute> attributes(const tailrace_attribute* values, std::size_t count,
                                                      const std::string& owner) {
  if (count > 0) required(values, (owner + ": attributes").c_str());
  std::map<std::string, tailrace::Attribute> result;
  for (std::size_t i = 0; i < count; ++i) result[text_or(values[i].name)] = value_of(values[i], owner);
  return result;
}

// A caller whose messages list extents as Fortran does counts from 1.
int first_index(const tailrace_session& session) { return session.view.fastest_first_in_messages ? 1 : 0; }

tailrace::GridSpec convert(const tailrace_grid_spec& spec) {
  const std::string owner = "grid \"" + text_or(spec.name) + "\"";
  if (spec.rank > 0) required(spec.shape, (owner + ": shape").c_str());
  if (spec.index_count > 0) required(spec.indices, (owner + ": indices").c_str());
  return {.name = text_or(spec.name),
          .dims = names(spec.dims, spec.rank, owner),
          .shape = extents(spec.shape, spec.rank),
          .offset = extents(spec.offset, spec.rank),
          .count = extents(spec.count, spec.rank),
          .indexed_dim = text_or(spec.indexed_dim),
          .indices = {spec.indices, spec.index_count},
          .partial = spec.partial != 0};
}

}  // namespace

extern "C" {

int tailrace_wanted_names(tailrace_session* session, const char* const** names, tailrace_error* error) {
  return guarded_value(error, -1, [&] {
    required(names, "tailrace_wanted_names: names");
    tailrace_session& known = running(session);
    known.wanted_names = known.session.wanted_names();
    known.wanted_pointers.clear();
    for (const std::string& name : known.wanted_names) known.wanted_pointers.push_back(name.c_str());
    *names = known.wanted_pointers.data();
    return static_cast<int>(known.wanted_names.size());
  });
}

int tailrace_option_string(tailrace_session* session, const char* name, const char* value,
                           tailrace_error* error) {
  return guarded(error, [&] { running(session).session.option(text_or(name), std::string(text_or(value))); });
}

int tailrace_option_int(tailrace_session* session, const char* name, int64_t value, tailrace_error* error) {
  return guarded(error, [&] { running(session).session.option(text_or(name), value); });
}

int tailrace_option_real(tailrace_session* session, const char* name, double value, tailrace_error* error) {
  return guarded(error, [&] { running(session).session.option(text_or(name), value); });
}

int tailrace_grid(tailrace_session* session, const tailrace_grid_spec* spec, tailrace_error* error) {
  return guarded(error, [&] {
    auto grid = convert(required(spec, "grid spec"));
    grid.first_index_in_messages = first_index(running(session));
    session->session.grid(grid);
    session->shapes.add(grid);
  });
}

int tailrace_healpix_grid(tailrace_session* session, const tailrace_healpix_grid_spec* spec,
                          tailrace_error* error) {
  return guarded(error, [&] {
    const auto& given = required(spec, "healpix_grid spec");
    const std::string owner = "healpix_grid \"" + text_or(given.name) + "\"";
    if (given.rank > 0) required(given.shape, (owner + ": shape").c_str());
    if (given.cell_count > 0) required(given.cells, (owner + ": cells").c_str());
    const tailrace::HealpixGridSpec grid{.name = text_or(given.name),
                                         .level = given.level,
                                         .order = given.order == nullptr ? "nested" : given.order,
                                         .dims = names(given.dims, given.rank, owner),
                                         .shape = extents(given.shape, given.rank),
                                         .first = given.first,
                                         .count = given.count,
                                         .cells = {given.cells, given.cell_count},
                                         .cell_dim = given.cell_dim == nullptr ? "cell" : given.cell_dim};
    running(session).session.healpix_grid(grid);
    session->shapes.add(grid);
  });
}

int tailrace_add_block(tailrace_session* session, const char* grid, int rank, const int64_t* offset,
                       const int64_t* count, tailrace_error* error) {
  return guarded(error, [&] {
    const std::string owner = "grid \"" + text_or(grid) + "\"";
    if (rank < 0) throw Error(ErrorCode::usage, owner + ": rank " + std::to_string(rank) + " is negative");
    if (rank > 0) required(offset, (owner + ": offset").c_str());
    if (rank > 0) required(count, (owner + ": count").c_str());
    const auto extents_of_block = extents(count, rank);
    running(session).session.add_block(text_or(grid), extents(offset, rank), extents_of_block);
    session->shapes.add_block(text_or(grid), extents_of_block);
  });
}

int tailrace_coordinate(tailrace_session* session, const char* grid, const tailrace_coordinate_spec* spec,
                        const double* values, size_t count, tailrace_error* error) {
  return guarded(error, [&] {
    const auto& given = required(spec, "coordinate spec");
    const std::string owner = "coordinate \"" + text_or(given.name) + "\"";
    if (count > 0) required(values, (owner + ": values").c_str());
    if (count > 0 && given.vertices > 0) required(given.bounds, (owner + ": bounds").c_str());
    if (given.bounds != nullptr && given.vertices == 0)
      throw Error(ErrorCode::usage, owner + ": bounds are given, but vertices, of each value, is 0");
    running(session).session.coordinate(
        text_or(grid),
        {.name = text_or(given.name),
         .dims = names(given.dims, given.rank, owner),
         .units = text_or(given.units),
         .standard_name = text_or(given.standard_name),
         .long_name = text_or(given.long_name),
         .attributes = attributes(given.attributes, given.attribute_count, owner),
         .scalar = given.scalar != 0,
         .bounds = {given.bounds, given.bounds == nullptr ? 0 : count * given.vertices},
         .vertices = given.vertices,
         .computed_bounds = given.computed_bounds != 0,
         .measure = text_or(given.measure)},
        {values, count});
  });
}

int tailrace_grid_mapping(tailrace_session* session, const char* grid, const tailrace_grid_mapping_spec* spec,
                          tailrace_error* error) {
  return guarded(error, [&] {
    const auto& given = required(spec, "grid_mapping spec");
    const std::string owner = "grid \"" + text_or(grid) + "\": grid_mapping";
    running(session).session.grid_mapping(
        text_or(grid), {.grid_mapping_name = text_or(given.grid_mapping_name),
                        .name = text_or(given.name, "crs"),
                        .attributes = attributes(given.attributes, given.attribute_count, owner)});
  });
}

int tailrace_mesh(tailrace_session* session, const char* grid, const tailrace_mesh_spec* spec,
                  tailrace_error* error) {
  return guarded(error, [&] {
    const auto& given = required(spec, "mesh spec");
    const std::string owner = "mesh \"" + text_or(given.name, "mesh") + "\"";
    if (given.nodes_per_face < 0)
      throw Error(ErrorCode::usage, owner + ": nodes_per_face is " + std::to_string(given.nodes_per_face));
    const auto per_face = static_cast<std::size_t>(given.nodes_per_face);
    if (given.node_count > 0) required(given.node_x, (owner + ": node_x").c_str());
    if (given.node_count > 0) required(given.node_y, (owner + ": node_y").c_str());
    if (given.face_count > 0 && per_face > 0) required(given.face_nodes, (owner + ": face_nodes").c_str());
    const bool in_parts = given.global_nodes != 0 && given.node_count > 0;
    if (in_parts) required(given.node_indices, (owner + ": node_indices").c_str());
    const std::size_t index_count = given.node_indices == nullptr ? 0 : given.node_count;
    running(session).session.mesh(text_or(grid),
                                  {.name = text_or(given.name, "mesh"),
                                   .node_x = {given.node_x, given.node_count},
                                   .node_y = {given.node_y, given.node_count},
                                   .nodes_per_face = given.nodes_per_face,
                                   .face_nodes = {given.face_nodes, given.face_count * per_face},
                                   .global_nodes = given.global_nodes,
                                   .node_indices = {given.node_indices, index_count},
                                   .node_units = text_or(given.node_units),
                                   .first_index_in_messages = first_index(*session)});
  });
}

int tailrace_mesh_location(tailrace_session* session, const char* grid,
                           const tailrace_mesh_location_spec* spec, tailrace_error* error) {
  return guarded(error, [&] {
    const auto& given = required(spec, "mesh_location spec");
    if (given.edge_count > 0) required(given.edge_nodes, "mesh_location: edge_nodes");
    running(session).session.mesh_location(text_or(grid),
                                           {.mesh = text_or(given.mesh, "mesh"),
                                            .location = text_or(given.location),
                                            .edge_nodes = {given.edge_nodes, 2 * given.edge_count},
                                            .first_index_in_messages = first_index(*session)});
  });
}

int tailrace_set_attribute(tailrace_session* session, const char* field, const tailrace_attribute* attribute,
                           tailrace_error* error) {
  return guarded(error, [&] {
    const auto& given = required(attribute, "tailrace_set_attribute: attribute");
    const std::string owner = text_or(field).empty() ? "the files" : "field \"" + text_or(field) + "\"";
    running(session).session.set_attribute(text_or(given.name), value_of(given, owner), text_or(field));
  });
}

int tailrace_field(tailrace_session* session, const tailrace_field_spec* spec, tailrace_error* error) {
  return guarded_value(error, -1, [&] {
    const auto& given = required(spec, "field spec");
    const std::string owner = "field \"" + text_or(given.name) + "\"";
    const tailrace::FieldSpec field{
        .name = text_or(given.name),
        .grid = text_or(given.grid),
        .type = type_of(given.type, owner),
        .units = text_or(given.units),
        .standard_name = text_or(given.standard_name),
        .long_name = text_or(given.long_name),
        .attributes = attributes(given.attributes, given.attribute_count, owner),
        .fill_value = given.fill_value == nullptr ? std::nullopt : std::optional(*given.fill_value)};
    const auto handle = running(session).session.field(field);
    session->shapes.add(field, handle);
    return handle.index;
  });
}

int tailrace_input(tailrace_session* session, const tailrace_input_spec* spec, tailrace_error* error) {
  return guarded_value(error, -1, [&] {
    const auto& given = required(spec, "input spec");
    const std::string owner = "input \"" + text_or(given.name) + "\"";
    const tailrace::InputSpec input{
        .name = text_or(given.name),
        .grid = text_or(given.grid),
        .type = type_of(given.type, owner),
        .units = text_or(given.units),
        .optional = given.optional != 0,
        .fill_value = given.fill_value == nullptr ? std::nullopt : std::optional(*given.fill_value)};
    const auto handle = running(session).session.input(input);
    session->shapes.add(input, handle);
    return handle.index;
  });
}
}
