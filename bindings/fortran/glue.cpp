// Between the Fortran module and tailrace.h: turns subscript order into C order, counting from 1 into
// counting from 0, lines into lists of names, and array descriptors into pointers with strides. Empty strings
// stand for absent ones.
#include <ISO_Fortran_binding.h>

#define TAILRACE_NO_MPI
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

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

// "name = value" lines.
class Attributes {
 public:
  explicit Attributes(const char* text) : texts_(lines(text)) {
    for (auto& line : texts_) {
      const auto equals = std::min(line.find('='), line.size());
      const auto name_end = line.find_last_not_of(" ", equals == 0 ? 0 : equals - 1);
      const auto value = std::min(line.find_first_not_of(" ", equals + 1), line.size());
      if (equals < line.size()) line[name_end == std::string::npos ? 0 : name_end + 1] = '\0';
      list_.push_back({line.c_str(), line.c_str() + value});
    }
  }
  const tailrace_attribute* data() const { return list_.data(); }
  std::size_t size() const { return list_.size(); }

 private:
  std::vector<std::string> texts_;
  std::vector<tailrace_attribute> list_;
};

// -1: not a type that Tailrace carries (tailrace_put_strided then says so, with the name of the field).
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

}  // namespace

extern "C" {

tailrace_session* tailrace_glue_start(const tailrace_session* running, int comm, const char* config,
                                      const char* component, double initial_time, std::int64_t initial_step,
                                      tailrace_error* error) {
  if (running != nullptr) {
    usage_error(error, "start: this session is running already; finish it, or use another tailrace_session");
    return nullptr;
  }
  const tailrace_start_options options{
      .component = present(component), .initial_time = initial_time, .initial_step = initial_step};
  return tailrace_start_fortran(comm, config, &options, error);
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

int tailrace_glue_coordinate(tailrace_session* session, const char* grid, const char* name, const char* dims,
                             const char* units, const char* standard_name, const char* long_name,
                             const char* attributes, std::size_t value_count, const double* values,
                             tailrace_error* error) {
  const auto texts = lines(dims);
  const auto names = reversed(texts);
  const Attributes list(attributes);
  const tailrace_coordinate_spec spec{.name = name,
                                      .rank = static_cast<int>(names.size()),
                                      .dims = names.data(),
                                      .units = present(units),
                                      .standard_name = present(standard_name),
                                      .long_name = present(long_name),
                                      .attributes = list.data(),
                                      .attribute_count = list.size()};
  return tailrace_coordinate(session, grid, &spec, values, value_count, error);
}

int tailrace_glue_mesh(tailrace_session* session, const char* grid, const char* name, std::size_t x_count,
                       const double* node_x, std::size_t y_count, const double* node_y,
                       std::int64_t nodes_per_face, std::size_t face_count, const std::int32_t* face_nodes,
                       std::int64_t global_nodes, std::size_t index_count, const std::int64_t* node_indices,
                       tailrace_error* error) {
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
                                .node_indices = node_indices == nullptr ? nullptr : indices.data()};
  return tailrace_mesh(session, grid, &spec, error);
}

int tailrace_glue_field(tailrace_session* session, const char* name, const char* grid, int type,
                        const char* units, const char* standard_name, const char* long_name,
                        const char* attributes, const double* fill_value, tailrace_error* error) {
  const Attributes list(attributes);
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

int tailrace_glue_put(tailrace_session* session, int field, const CFI_cdesc_t* array, tailrace_error* error) {
  std::int64_t shape[CFI_MAX_RANK];
  std::int64_t strides[CFI_MAX_RANK];
  if (array->base_addr == nullptr) {  // not allocated, or a pointer to nothing: the extents say nothing
    int type = 0;
    const int rank = tailrace_local_shape(session, field, shape, &type, error);
    if (rank == -1) return error->code;
    return tailrace_put_strided(session, field, nullptr, type, rank, shape, nullptr, error);
  }
  const auto element = static_cast<std::int64_t>(array->elem_len);
  std::int64_t dense = element;
  bool is_dense = true;
  for (int i = 0; i < array->rank; ++i) {
    const auto& dimension = array->dim[i];
    const int c = array->rank - 1 - i;
    if (dimension.sm % element != 0) {
      return usage_error(
          error,
          "put: the array is a component of a derived type whose size is not a multiple of the "
          "component's; put a copy of it, in parentheses: (array%component)");
    }
    shape[c] = dimension.extent;
    strides[c] = dimension.sm / element;
    is_dense = is_dense && (dimension.sm == dense || dimension.extent == 1);
    dense *= dimension.extent;
  }
  return tailrace_put_strided(session, field, array->base_addr, type_of(array->type), array->rank, shape,
                              is_dense ? nullptr : strides, error);
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
