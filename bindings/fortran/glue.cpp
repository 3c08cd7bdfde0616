// Between the Fortran module and tailrace.h: converts subscript order to C order, counting from 1 to counting
// from 0, lines to lists of names, and array descriptors to pointers with strides. An empty string is an
// absent one.
#include <ISO_Fortran_binding.h>

#define TAILRACE_NO_MPI
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "../c/fortran.h"
#include "tailrace/tailrace.h"

namespace {

int usage_error(tailrace_error* error, const std::string& message) {
  error->code = TAILRACE_USAGE;
  error->message = strdup(message.c_str());
  return TAILRACE_USAGE;
}

const char* present(const char* text) { return text[0] == '\0' ? nullptr : text; }

std::vector<std::string> lines(const char* text) {
  std::vector<std::string> result;
  while (const char* end = std::strchr(text, '\n')) {
    result.emplace_back(text, end);
    text = end + 1;
  }
  return result;
}

// The names in C order; valid as long as the argument.
std::vector<const char*> reversed(const std::vector<std::string>& names) {
  std::vector<const char*> result;
  for (auto name = names.rbegin(); name != names.rend(); ++name) result.push_back(name->c_str());
  return result;
}

std::vector<std::int64_t> reversed(const std::int64_t* values, int size, std::int64_t shift) {
  std::vector<std::int64_t> result;
  for (int i = size - 1; i >= 0; --i) result.push_back(values[i] - shift);
  return result;
}

// "1, 2.5d0": integers if all numbers are.
class Numbers {
 public:
  // False if something is not a number.
  bool read(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
    for (std::size_t begin = 0; begin <= text.size();) {
      const auto end = std::min(text.find(',', begin), text.size());
      if (!add(text.substr(begin, end - begin))) return false;
      begin = end + 1;
    }
    return true;
  }
  tailrace_attribute of(const char* name) const {
    if (narrow_.size() == reals_.size()) return made(name, narrow_, TAILRACE_INT32);
    if (wide_.size() == reals_.size()) return made(name, wide_, TAILRACE_INT64);
    return made(name, reals_, TAILRACE_FLOAT64);
  }

 private:
  static bool is_blank(const char* text) { return text[std::strspn(text, " ")] == '\0'; }
  template <class T>
  static tailrace_attribute made(const char* name, const std::vector<T>& numbers, int type) {
    return {.name = name, .value = nullptr, .numbers = numbers.data(), .count = numbers.size(), .type = type};
  }
  bool add(const std::string& word) {
    char* end = nullptr;
    reals_.push_back(std::strtod(word.c_str(), &end));
    if (end == word.c_str() || !is_blank(end)) return false;
    errno = 0;
    const long long whole = std::strtoll(word.c_str(), &end, 10);
    if (!is_blank(end) || errno != 0) return true;
    wide_.push_back(whole);
    if (std::in_range<std::int32_t>(whole)) narrow_.push_back(static_cast<std::int32_t>(whole));
    return true;
  }

  std::vector<double> reals_;
  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_;
};

// "name = text" and "name := numbers" lines.
class Attributes {
 public:
  explicit Attributes(const char* text) : texts_(lines(text)), numbers_(texts_.size()) {
    for (std::size_t i = 0; i < texts_.size(); ++i) add(texts_[i], numbers_[i]);
  }
  const tailrace_attribute* data() const { return list_.data(); }
  std::size_t size() const { return list_.size(); }
  const std::string& complaint() const { return complaint_; }  // empty if all lines are valid

 private:
  void add(std::string& line, Numbers& numbers) {
    const auto equals = std::min(line.find('='), line.size());
    const bool has_numbers = equals > 0 && equals < line.size() && line[equals - 1] == ':';
    const auto behind_name = has_numbers ? equals - 1 : equals;
    const auto name_end = line.find_last_not_of(" ", behind_name == 0 ? 0 : behind_name - 1);
    const auto value = std::min(line.find_first_not_of(" ", equals + 1), line.size());
    if (equals < line.size()) line[name_end == std::string::npos ? 0 : name_end + 1] = '\0';
    tailrace_attribute& added = list_.emplace_back();
    added.name = line.c_str();
    added.value = line.c_str() + value;
    if (!has_numbers) return;
    if (numbers.read(added.value))
      added = numbers.of(added.name);
    else
      complaint_ = std::string("attribute \"") + added.name +
                   "\": expected numbers behind :=, such as \"valid_range := 0, 100\", but got \"" +
                   added.value + "\"";
  }

  std::vector<std::string> texts_;
  std::vector<Numbers> numbers_;
  std::vector<tailrace_attribute> list_;
  std::string complaint_;
};

// -1: a type that Tailrace does not support, which tailrace_put_strided reports with the name of the field.
int type_of(CFI_type_t type) {
  if (type == CFI_type_double) return TAILRACE_FLOAT64;
  if (type == CFI_type_float) return TAILRACE_FLOAT32;
  if (type == CFI_type_int32_t) return TAILRACE_INT32;
  if (type == CFI_type_int64_t) return TAILRACE_INT64;
  return -1;
}

std::string one_per_dimension(const char* grid, const char* what, int found, std::size_t dims) {
  return "grid \"" + std::string(grid) + "\": " + what + " has " + std::to_string(found) +
         " elements, dims has " + std::to_string(dims) + "; one is needed for each dimension";
}

// An array of Fortran, in C order.
struct Described {
  std::int64_t shape[CFI_MAX_RANK];
  std::int64_t strides[CFI_MAX_RANK];
  int rank = 0, type = 0;
  bool is_dense = true;
  bool is_sound = false;  // otherwise `error` is filled

  Described(tailrace_session* session, int field, const CFI_cdesc_t* array, const char* call,
            tailrace_error* error) {
    if (array->base_addr == nullptr) {  // not allocated, or a null pointer: the extents are undefined
      rank = tailrace_local_shape(session, field, shape, &type, error);
      is_sound = rank != -1;
      return;
    }
    rank = array->rank;
    type = type_of(array->type);
    const auto element = static_cast<std::int64_t>(array->elem_len);
    std::int64_t dense = element;
    for (int i = 0; i < rank; ++i) {
      const auto& dimension = array->dim[i];
      const int c = rank - 1 - i;
      if (dimension.sm % element != 0) {
        usage_error(error, std::string(call) +
                               ": the array is a component of a derived type whose size is not a multiple of "
                               "the component's; put a copy of it, in parentheses: (array%component)");
        return;
      }
      shape[c] = dimension.extent;
      strides[c] = dimension.sm / element;
      is_dense = is_dense && (dimension.sm == dense || dimension.extent == 1);
      dense *= dimension.extent;
    }
    is_sound = true;
  }
};

// `running`: the session of the same variable, or null. One that is finished is freed when its successor
// runs; until then its calls report that they come after finish.
bool may_start(tailrace_session* running, const char* call, tailrace_error* error) {
  if (running == nullptr || tailrace_is_finished(running) != 0) return true;
  usage_error(error, std::string(call) +
                         ": this session is running already; finish it, or use another tailrace_session");
  return false;
}

tailrace_session* replaced(tailrace_session* running, tailrace_session* session) {
  if (session == nullptr) return nullptr;
  tailrace_free(running);
  tailrace_list_fastest_first(session);
  return session;
}

}  // namespace

extern "C" {

tailrace_session* tailrace_glue_start(tailrace_session* running, int comm, const char* config,
                                      const char* component, double initial_time, std::int64_t initial_step,
                                      const char* text, tailrace_error* error) {
  if (!may_start(running, "start", error)) return nullptr;
  const tailrace_start_options options{.component = present(component),
                                       .initial_time = initial_time,
                                       .initial_step = initial_step,
                                       .text = text};
  return replaced(running, tailrace_start_fortran(comm, config, &options, error));
}

tailrace_session* tailrace_glue_open_output(tailrace_session* running, tailrace_session* session, int comm,
                                            const char* name, double initial_time, std::int64_t initial_step,
                                            const char* text, tailrace_error* error) {
  if (!may_start(running, "open_output", error)) return nullptr;
  const tailrace_start_options options{
      .component = nullptr, .initial_time = initial_time, .initial_step = initial_step, .text = text};
  return replaced(running, tailrace_open_output_fortran(session, comm, name, &options, error));
}

int tailrace_glue_grid(tailrace_session* session, const char* name, const char* dims, int shape_size,
                       const std::int64_t* shape, int offset_size, const std::int64_t* offset, int count_size,
                       const std::int64_t* count, const char* indexed_dim, std::size_t index_count,
                       const std::int64_t* indices, int partial, tailrace_error* error) {
  const auto texts = lines(dims);
  const auto rank = static_cast<int>(texts.size());
  if (shape_size != rank)
    return usage_error(error, one_per_dimension(name, "shape", shape_size, texts.size()));
  if (offset_size != -1 && offset_size != rank) {
    return usage_error(error, one_per_dimension(name, "offset", offset_size, texts.size()));
  }
  if (count_size != -1 && count_size != rank) {
    return usage_error(error, one_per_dimension(name, "count", count_size, texts.size()));
  }
  const auto names = reversed(texts);
  const auto c_shape = reversed(shape, rank, 0);
  const auto c_offset = reversed(offset, std::max(offset_size, 0), 1);
  const auto c_count = reversed(count, std::max(count_size, 0), 0);
  std::vector<std::int64_t> c_indices(indices, indices + index_count);
  for (auto& index : c_indices) --index;

  tailrace_grid_spec spec{};
  spec.name = name;
  spec.rank = rank;
  spec.dims = names.data();
  spec.shape = c_shape.data();
  spec.offset = offset_size == -1 ? nullptr : c_offset.data();
  spec.count = count_size == -1 ? nullptr : c_count.data();
  spec.indexed_dim = present(indexed_dim);
  spec.indices = c_indices.data();
  spec.index_count = index_count;
  spec.partial = partial;
  return tailrace_grid(session, &spec, error);
}

int tailrace_glue_healpix_grid(tailrace_session* session, const char* name, int level, const char* order,
                               const char* dims, int shape_size, const std::int64_t* shape,
                               std::int64_t first, std::int64_t count, std::size_t cell_count,
                               const std::int64_t* cells, const char* cell_dim, tailrace_error* error) {
  const auto texts = lines(dims);
  const auto rank = static_cast<int>(texts.size());
  if (std::max(shape_size, 0) != rank)
    return usage_error(error, one_per_dimension(name, "shape", std::max(shape_size, 0), texts.size()));
  const auto names = reversed(texts);
  const auto c_shape = reversed(shape, rank, 0);
  const tailrace_healpix_grid_spec spec{.name = name,
                                        .level = level,
                                        .order = present(order),
                                        .rank = rank,
                                        .dims = names.data(),
                                        .shape = c_shape.data(),
                                        .first = first,
                                        .count = count,
                                        .cells = cells,
                                        .cell_count = cell_count,
                                        .cell_dim = present(cell_dim)};
  return tailrace_healpix_grid(session, &spec, error);
}

int tailrace_glue_coordinate(tailrace_session* session, const char* grid, const char* name, const char* dims,
                             const char* units, const char* standard_name, const char* long_name,
                             const char* attributes, std::size_t value_count, const double* values,
                             int scalar, std::size_t vertices, std::size_t bound_count, const double* bounds,
                             int computed_bounds, const char* measure, tailrace_error* error) {
  const auto texts = lines(dims);
  const auto names = reversed(texts);
  const Attributes list(attributes);
  if (!list.complaint().empty())
    return usage_error(error, "coordinate \"" + std::string(name) + "\": " + list.complaint());
  const tailrace_coordinate_spec spec{.name = name,
                                      .rank = static_cast<int>(names.size()),
                                      .dims = names.data(),
                                      .units = present(units),
                                      .standard_name = present(standard_name),
                                      .long_name = present(long_name),
                                      .attributes = list.data(),
                                      .attribute_count = list.size(),
                                      .scalar = scalar,
                                      .bounds = bounds,
                                      .vertices = vertices,
                                      .computed_bounds = computed_bounds,
                                      .measure = present(measure)};
  if (bounds != nullptr && bound_count != vertices * value_count)
    return usage_error(error, "coordinate \"" + std::string(name) + "\": " + std::to_string(value_count) +
                                  " values and bounds of " + std::to_string(bound_count) + " elements, " +
                                  std::to_string(vertices) + " in the first dimension");
  return tailrace_coordinate(session, grid, &spec, values, value_count, error);
}

int tailrace_glue_add_block(tailrace_session* session, const char* grid, int offset_size,
                            const std::int64_t* offset, int count_size, const std::int64_t* count,
                            tailrace_error* error) {
  if (count_size != offset_size)
    return usage_error(error,
                       one_per_dimension(grid, "count", count_size, static_cast<std::size_t>(offset_size)));
  const auto c_offset = reversed(offset, offset_size, 1);
  const auto c_count = reversed(count, count_size, 0);
  return tailrace_add_block(session, grid, offset_size, c_offset.data(), c_count.data(), error);
}

int tailrace_glue_grid_mapping(tailrace_session* session, const char* grid, const char* grid_mapping_name,
                               const char* name, const char* attributes, tailrace_error* error) {
  const Attributes list(attributes);
  if (!list.complaint().empty())
    return usage_error(error, "grid \"" + std::string(grid) + "\": grid_mapping: " + list.complaint());
  const tailrace_grid_mapping_spec spec{.grid_mapping_name = grid_mapping_name,
                                        .name = present(name),
                                        .attributes = list.data(),
                                        .attribute_count = list.size()};
  return tailrace_grid_mapping(session, grid, &spec, error);
}

// `number`: null, or one of the tailrace_type `type`.
int tailrace_glue_set_attribute(tailrace_session* session, const char* field, const char* name,
                                const char* value, const void* number, int type, tailrace_error* error) {
  tailrace_attribute attribute{.name = name, .value = value, .numbers = nullptr, .count = 0, .type = 0};
  if (number != nullptr)
    attribute = {.name = name, .value = nullptr, .numbers = number, .count = 1, .type = type};
  return tailrace_set_attribute(session, present(field), &attribute, error);
}

int tailrace_glue_mesh(tailrace_session* session, const char* grid, const char* name, std::size_t x_count,
                       const double* node_x, std::size_t y_count, const double* node_y,
                       std::int64_t nodes_per_face, std::size_t face_count, const std::int32_t* face_nodes,
                       std::int64_t global_nodes, std::size_t index_count, const std::int64_t* node_indices,
                       const char* node_units, tailrace_error* error) {
  if (x_count != y_count) {
    return usage_error(error, "mesh of grid \"" + std::string(grid) + "\": node_x has " +
                                  std::to_string(x_count) + " elements, node_y has " +
                                  std::to_string(y_count));
  }
  if (node_indices != nullptr && index_count != x_count) {
    return usage_error(error, "mesh of grid \"" + std::string(grid) + "\": node_x has " +
                                  std::to_string(x_count) + " elements, node_indices has " +
                                  std::to_string(index_count));
  }
  std::vector<std::int64_t> indices(node_indices, node_indices + (node_indices == nullptr ? 0 : index_count));
  for (auto& index : indices) --index;
  std::vector<std::int32_t> nodes(face_nodes,
                                  face_nodes + face_count * static_cast<std::size_t>(nodes_per_face));
  for (auto& node : nodes) --node;
  const tailrace_mesh_spec spec{.name = present(name),
                                .node_x = node_x,
                                .node_y = node_y,
                                .node_count = x_count,
                                .nodes_per_face = nodes_per_face,
                                .face_nodes = nodes.data(),
                                .face_count = face_count,
                                .global_nodes = global_nodes,
                                .node_indices = node_indices == nullptr ? nullptr : indices.data(),
                                .node_units = present(node_units)};
  return tailrace_mesh(session, grid, &spec, error);
}

int tailrace_glue_mesh_location(tailrace_session* session, const char* grid, const char* mesh,
                                const char* location, std::size_t ends, std::size_t edge_count,
                                const std::int32_t* edge_nodes, tailrace_error* error) {
  if (edge_nodes != nullptr && ends != 2)
    return usage_error(error, "mesh_location of grid \"" + std::string(grid) +
                                  "\": edge_nodes has the shape (" + std::to_string(ends) + ", " +
                                  std::to_string(edge_count) + "); expected (2, edges)");
  std::vector<std::int32_t> nodes(edge_nodes, edge_nodes + (edge_nodes == nullptr ? 0 : 2 * edge_count));
  for (auto& node : nodes) --node;
  const tailrace_mesh_location_spec spec{.mesh = present(mesh),
                                         .location = location,
                                         .edge_nodes = edge_nodes == nullptr ? nullptr : nodes.data(),
                                         .edge_count = edge_nodes == nullptr ? 0 : edge_count};
  return tailrace_mesh_location(session, grid, &spec, error);
}

int tailrace_glue_field(tailrace_session* session, const char* name, const char* grid, int type,
                        const char* units, const char* standard_name, const char* long_name,
                        const char* attributes, const double* fill_value, tailrace_error* error) {
  const Attributes list(attributes);
  if (!list.complaint().empty()) {
    usage_error(error, "field \"" + std::string(name) + "\": " + list.complaint());
    return -1;
  }
  const tailrace_field_spec spec{.name = name,
                                 .grid = present(grid),
                                 .type = type,
                                 .units = present(units),
                                 .standard_name = present(standard_name),
                                 .long_name = present(long_name),
                                 .attributes = list.data(),
                                 .attribute_count = list.size(),
                                 .fill_value = fill_value};
  return tailrace_field(session, &spec, error);
}

int tailrace_glue_input(tailrace_session* session, const char* name, const char* grid, int type,
                        const char* units, int optional, const double* fill_value, tailrace_error* error) {
  const tailrace_input_spec spec{.name = name,
                                 .grid = present(grid),
                                 .type = type,
                                 .units = present(units),
                                 .optional = optional,
                                 .fill_value = fill_value};
  return tailrace_input(session, &spec, error);
}

int tailrace_glue_put(tailrace_session* session, int field, const CFI_cdesc_t* array, tailrace_error* error) {
  const Described given(session, field, array, "put", error);
  if (!given.is_sound) return error->code;
  return tailrace_put_strided(session, field, array->base_addr, given.type, given.rank, given.shape,
                              given.is_dense ? nullptr : given.strides, error);
}

int tailrace_glue_put_block(tailrace_session* session, int field, std::int64_t block,
                            const CFI_cdesc_t* array, tailrace_error* error) {
  const Described given(session, field, array, "put_block", error);
  if (!given.is_sound) return error->code;
  if (block < 1)
    return usage_error(error, "put_block: block " + std::to_string(block) + "; blocks count from 1");
  return tailrace_put_block(session, field, static_cast<std::size_t>(block - 1), array->base_addr, given.type,
                            given.rank, given.shape, given.is_dense ? nullptr : given.strides, error);
}

int tailrace_glue_get(tailrace_session* session, int field, const CFI_cdesc_t* array, tailrace_error* error) {
  const Described described(session, field, array, "get", error);
  if (!described.is_sound) return error->code;
  return tailrace_get_strided(session, field, array->base_addr, described.type, described.rank,
                              described.shape, described.is_dense ? nullptr : described.strides, error);
}

int tailrace_glue_acquire(tailrace_session* session, int field, int type, int rank, std::int64_t* extents,
                          void** slot, tailrace_error* error) {
  std::int64_t shape[TAILRACE_MAX_RANK];
  int declared_type = 0;
  const int declared_rank = tailrace_local_shape(session, field, shape, &declared_type, error);
  if (declared_rank == -1) return error->code;
  if (declared_rank != rank || declared_type != type) {
    return usage_error(error, "acquire: the pointer has rank " + std::to_string(rank) + " and kind real" +
                                  (type == TAILRACE_FLOAT32 ? "32" : "64") + ", the field has rank " +
                                  std::to_string(declared_rank) +
                                  (declared_type == type ? "" : " and was declared with another type"));
  }
  for (int i = 0; i < rank; ++i) extents[i] = shape[rank - 1 - i];
  return tailrace_acquire(session, field, slot, nullptr, error);
}
}
