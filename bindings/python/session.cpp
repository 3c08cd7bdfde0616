#include "session.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arguments.hpp"
#include "arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tailrace::bindings {

namespace {

using Extents = std::vector<std::int64_t>;

// Anything that NumPy accepts as an array, as a dense array of the wanted type; owns a converted copy. Throws
// Error(usage), beginning with `what`, where NumPy would lose a mask or change a value.
template <class T>
class Dense {
 public:
  Dense(nb::handle values, const char* dtype, const std::string& what, nb::handle missing = nb::none())
      : array_(nb::cast<Array>(converter("numbers")(values, dtype, what, missing))) {}
  std::span<const T> elements() const { return {array_.data(), array_.size()}; }
  std::size_t extent(std::size_t dimension) const {
    return dimension < array_.ndim() ? array_.shape(dimension) : 1;
  }
  std::size_t last_extent() const { return array_.ndim() == 0 ? 1 : array_.shape(array_.ndim() - 1); }

 private:
  using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
  Array array_;
};

// A number, or an array without dimensions.
bool is_single(nb::handle values) {
  return nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(values)) == 0;
}

// A session that Python uses. Calls that may block release the interpreter's lock.
class PythonSession {
 public:
  static PythonSession start(nb::handle communicator, nb::handle configuration, const std::string& component,
                             double initial_time, std::int64_t initial_step, const std::string& text) {
    const int handle = communicator_handle(communicator);
    const std::string path = path_of(configuration);
    const nb::gil_scoped_release unlocked;
    return PythonSession(Session::start(
        handle, path,
        {.component = component, .initial_time = initial_time, .initial_step = initial_step, .text = text}));
  }

  PythonSession(PythonSession&&) = default;
  PythonSession& operator=(PythonSession&&) = default;
  // Ending the session may wait for servers that need the interpreter's lock.
  ~PythonSession() {
    const nb::gil_scoped_release unlocked;
    const Session ended = std::move(session_);
  }

  PythonSession open_output(nb::handle communicator, const std::string& name, double initial_time,
                            std::int64_t initial_step, const std::string& text) {
    const int handle = communicator_handle(communicator);
    const nb::gil_scoped_release unlocked;
    return PythonSession(session_.open_output(
        handle, name, {.initial_time = initial_time, .initial_step = initial_step, .text = text}));
  }
  void open_file(nb::handle path) {
    const std::string name = path_of(path);
    const nb::gil_scoped_release unlocked;
    session_.open_file(name);
  }
  void close_file() {
    const nb::gil_scoped_release unlocked;
    session_.close_file();
  }
  bool written(std::int64_t step) { return session_.written(step); }

  bool is_server() const { return session_.is_server(); }
  bool is_off() const { return session_.is_off(); }
  // An mpi4py communicator if mpi4py is installed, otherwise the Fortran handle.
  nb::object model_comm() const {
    const nb::object handle = nb::cast(session_.model_comm());
    try {
      return nb::module_::import_("mpi4py.MPI").attr("Comm").attr("f2py")(handle);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_ImportError)) throw;
      return handle;
    }
  }

  std::vector<std::string> wanted_names() const { return session_.wanted_names(); }

  void option(const std::string& name, nb::handle value) {
    if (nb::isinstance<nb::str>(value))
      session_.option(name, nb::cast<std::string>(value));
    else if (PyIndex_Check(value.ptr()))
      session_.option(name, nb::cast<std::int64_t>(nb::int_(value)));
    else
      session_.option(name, nb::cast<double>(nb::float_(value)));
  }

  void grid(const std::string& name, const std::vector<std::string>& dims, const Extents& shape,
            const Extents& offset, const Extents& count, const std::string& indexed_dim, nb::handle indices,
            bool partial) {
    GridSpec spec{.name = name,
                  .dims = dims,
                  .shape = shape,
                  .offset = offset,
                  .count = count,
                  .indexed_dim = indexed_dim,
                  .indices = {},
                  .partial = partial};
    std::optional<Dense<std::int64_t>> global;
    if (!indices.is_none()) {
      const std::string what = "grid \"" + name + "\": indices";
      spec.indices = global.emplace(indices, "int64", what).elements();
    }
    session_.grid(spec);
    shapes_.add(spec);
  }

  void healpix_grid(const std::string& name, int level, const std::string& order,
                    const std::vector<std::string>& dims, const Extents& shape, nb::handle cells,
                    std::int64_t first, std::int64_t count, const std::string& cell_dim) {
    HealpixGridSpec spec{.name = name,
                         .level = level,
                         .order = order,
                         .dims = dims,
                         .shape = shape,
                         .first = first,
                         .count = count,
                         .cells = {},
                         .cell_dim = cell_dim};
    std::optional<Dense<std::int64_t>> numbers;
    if (!cells.is_none()) {
      const std::string what = "healpix_grid \"" + name + "\": cells";
      spec.cells = numbers.emplace(cells, "int64", what).elements();
    }
    session_.healpix_grid(spec);
    shapes_.add(spec);
  }

  void add_block(const std::string& grid, const Extents& offset, const Extents& count) {
    session_.add_block(grid, offset, count);
    shapes_.add_block(grid, count);
  }

  void coordinate(const std::string& grid, const std::string& name, nb::handle values,
                  const std::string& units, const std::vector<std::string>& dims,
                  const std::string& standard_name, const std::string& long_name, nb::handle attributes,
                  nb::handle bounds, bool computed_bounds, const std::string& measure) {
    const std::string what = "coordinate \"" + name + "\" of grid \"" + grid + "\"";
    const Dense<double> numbers(values, "float64", what);
    CoordinateSpec spec{.name = name,
                        .dims = dims,
                        .units = units,
                        .standard_name = standard_name,
                        .long_name = long_name,
                        .attributes = attributes_from(attributes, "coordinate \"" + name + "\""),
                        .scalar = is_single(values),
                        .computed_bounds = computed_bounds,
                        .measure = measure};
    std::optional<Dense<double>> ends;
    if (!bounds.is_none()) {
      spec.bounds = ends.emplace(bounds, "float64", what + ": bounds").elements();
      spec.vertices = ends->last_extent();
    }
    session_.coordinate(grid, spec, numbers.elements());
  }

  void grid_mapping(const std::string& grid, const std::string& grid_mapping_name, const std::string& name,
                    nb::handle attributes) {
    session_.grid_mapping(grid,
                          {.grid_mapping_name = grid_mapping_name,
                           .name = name,
                           .attributes = attributes_from(attributes, "grid \"" + grid + "\": grid_mapping")});
  }

  void mesh(const std::string& grid, nb::handle node_x, nb::handle node_y, nb::handle face_nodes,
            const std::string& name, nb::handle node_indices, std::int64_t global_nodes,
            const std::string& node_units) {
    const std::string what = "mesh \"" + name + "\": ";
    const Dense<double> x(node_x, "float64", what + "node_x"), y(node_y, "float64", what + "node_y");
    const Dense<std::int32_t> nodes(face_nodes, "int32", what + "face_nodes", nb::int_(-1));
    MeshSpec spec{.name = name,
                  .node_x = x.elements(),
                  .node_y = y.elements(),
                  .nodes_per_face = static_cast<std::int64_t>(nodes.extent(1)),
                  .face_nodes = nodes.elements(),
                  .global_nodes = global_nodes,
                  .node_indices = {},
                  .node_units = node_units};
    std::optional<Dense<std::int64_t>> numbers;
    if (!node_indices.is_none())
      spec.node_indices = numbers.emplace(node_indices, "int64", what + "node_indices").elements();
    session_.mesh(grid, spec);
  }

  void mesh_location(const std::string& grid, const std::string& location, const std::string& mesh,
                     nb::handle edge_nodes) {
    MeshLocationSpec spec{.mesh = mesh, .location = location, .edge_nodes = {}};
    std::optional<Dense<std::int32_t>> nodes;
    const std::string what = "mesh_location of mesh \"" + mesh + "\": edge_nodes";
    if (!edge_nodes.is_none()) spec.edge_nodes = nodes.emplace(edge_nodes, "int32", what).elements();
    session_.mesh_location(grid, spec);
  }

  int field(const std::string& name, const std::string& grid, nb::handle type, const std::string& units,
            const std::string& standard_name, const std::string& long_name, nb::handle attributes,
            nb::handle fill_value) {
    const Type element = type_from_dtype(type);
    std::optional<FillValue> fill;
    if (!fill_value.is_none())
      fill = fill_value_from(fill_value, element, "field \"" + name + "\": fill_value");
    const FieldSpec spec{.name = name,
                         .grid = grid,
                         .type = element,
                         .units = units,
                         .standard_name = standard_name,
                         .long_name = long_name,
                         .attributes = attributes_from(attributes, "field \"" + name + "\""),
                         .fill_value = fill};
    const auto handle = session_.field(spec);
    shapes_.add(spec, handle);
    return handle.index;
  }

  void set_attribute(const std::string& name, nb::handle value, const std::string& field) {
    nb::dict one;
    one[name.c_str()] = value;
    const std::string owner = field.empty() ? "the files" : "field \"" + field + "\"";
    for (const auto& [key, attribute] : attributes_from(one, owner))
      session_.set_attribute(key, attribute, field);
  }

  int input(const std::string& name, const std::string& grid, nb::handle type, const std::string& units,
            bool optional, nb::handle fill_value) {
    const Type element = type_from_dtype(type);
    std::optional<FillValue> fill;
    if (!fill_value.is_none())
      fill = fill_value_from(fill_value, element, "input \"" + name + "\": fill_value");
    const InputSpec spec{.name = name,
                         .grid = grid,
                         .type = element,
                         .units = units,
                         .optional = optional,
                         .fill_value = fill};
    const auto handle = session_.input(spec);
    shapes_.add(spec, handle);
    return handle.index;
  }

  void ready() {
    const nb::gil_scoped_release unlocked;
    session_.ready();
  }
  void step(std::int64_t step, double time) {
    const nb::gil_scoped_release unlocked;
    session_.step(step, time);
  }

  int handle(std::string_view name) const { return session_.handle(name).index; }
  bool wants(nb::handle field) const { return session_.wants(resolve(field)); }

  bool wants_at_end(nb::handle field) const { return session_.wants_at_end(resolve(field)); }

  void put(nb::handle field, nb::handle array) {
    const auto handle = resolve(field);
    if (session_.put_unwanted(handle)) return;
    const PythonArray values(array, shapes_.of(handle));
    const nb::gil_scoped_release unlocked;
    session_.put(handle, values.view());
  }

  std::span<std::byte> acquire(FieldHandle handle) {
    const nb::gil_scoped_release unlocked;
    return session_.acquire(handle);
  }
  void publish(nb::handle field) {
    const auto handle = resolve(field);
    const nb::gil_scoped_release unlocked;
    session_.publish(handle);
  }

  nb::object restarting() {
    const auto at = session_.restarting();
    return at ? nb::object(nb::make_tuple(at->step, at->time)) : nb::none();
  }
  bool available(nb::handle input) const { return session_.available(resolve(input)); }
  nb::object get(nb::handle field, nb::handle into) {
    const auto handle = resolve(field);
    const LocalShape& shape = shapes_.of(handle);
    const nb::object array = into.is_none() ? empty_array(shape) : nb::borrow(into);
    const MutableArray values(array, shape);
    {
      const nb::gil_scoped_release unlocked;
      session_.get(handle, values.view());
    }
    return array;
  }
  bool checkpoint_due() {
    const nb::gil_scoped_release unlocked;
    return session_.checkpoint_due();
  }
  void request_checkpoint() { session_.request_checkpoint(); }
  void checkpoint() {
    const nb::gil_scoped_release unlocked;
    session_.checkpoint();
  }
  void put_block(nb::handle field, std::size_t block, nb::handle array) {
    const auto handle = resolve(field);
    if (session_.put_unwanted(handle)) return;
    const PythonArray values(array, shapes_.of(handle));
    const nb::gil_scoped_release unlocked;
    session_.put_block(handle, block, values.view());
  }
  void put_value(const std::string& name, nb::handle value) {
    session_.put_value(name, value_from(value, "put_value: \"" + name + "\""));
  }
  nb::object get_value(const std::string& name) {
    Value value;
    {
      const nb::gil_scoped_release unlocked;
      value = session_.get_value(name);
    }
    return value_to(value);
  }

  std::string output_lost() const { return session_.output_lost(); }

  bool stop_requested() {
    const nb::gil_scoped_release unlocked;
    return session_.stop_requested();
  }

  void finish() {
    const nb::gil_scoped_release unlocked;
    session_.finish();
  }

  FieldHandle resolve(nb::handle field) const {
    if (nb::isinstance<nb::str>(field)) return session_.handle(nb::cast<std::string_view>(field));
    return FieldHandle{nb::cast<int>(field)};
  }
  const LocalShapes& shapes() const { return shapes_; }

 private:
  explicit PythonSession(Session session) : session_(std::move(session)) {}

  Session session_;
  LocalShapes shapes_;
};

nb::object acquire(nb::handle self, nb::handle field) {
  auto& session = nb::cast<PythonSession&>(self);
  const auto handle = session.resolve(field);
  const auto slot = session.acquire(handle);
  return slot.empty() ? nb::none() : slot_array(slot, session.shapes().of(handle), self);
}

// `with` finishes the run unless an exception ends it; then the servers learn that this rank left.
void leave(PythonSession& session, nb::handle type, nb::handle, nb::handle) {
  if (type.is_none()) session.finish();
}

void bind_declarations(nb::class_<PythonSession>& type) {
  type.def("wanted_names", &PythonSession::wanted_names,
           "The names that the configuration lists under `fields`, with their namespaces.")
      .def("option", &PythonSession::option, "name"_a, "value"_a,
           "Sets the value of {name} in the configuration.")
      .def("grid", &PythonSession::grid, "name"_a, "dims"_a, "shape"_a, "offset"_a = Extents{},
           "count"_a = Extents{}, "indexed_dim"_a = "", "indices"_a.none() = nb::none(), "partial"_a = false,
           "Declares a grid: block (offset, count), indexed (indexed_dim, indices), partial, or replicated.")
      .def("healpix_grid", &PythonSession::healpix_grid, "name"_a, "level"_a, "order"_a = "nested",
           "dims"_a = std::vector<std::string>{}, "shape"_a = Extents{}, "cells"_a.none() = nb::none(),
           "first"_a = 0, "count"_a = 0, "cell_dim"_a = "cell",
           "Declares a grid of HEALPix cells (12 * 4^level, in the order nested or ring) behind further "
           "dims, and "
           "the cells of this rank: a list of numbers, from 0, or `count` from `first` on.")
      .def("add_block", &PythonSession::add_block, "grid"_a, "offset"_a, "count"_a,
           "Declares a further block of this rank on a grid with offset and count, before the grid's "
           "coordinates "
           "and fields. This rank's part of a field or coordinate then has the values of all its blocks, one "
           "after the other, as an array of one dimension; put_block takes them one by one.")
      .def("coordinate", &PythonSession::coordinate, "grid"_a, "name"_a, "values"_a, "units"_a = "",
           "dims"_a = std::vector<std::string>{}, "standard_name"_a = "", "long_name"_a = "",
           "attributes"_a = nb::dict(), "bounds"_a = nb::none(), "computed_bounds"_a = false,
           "measure"_a = "",
           "Sets the values of a coordinate: all of them, or this rank's part; a single number is a scalar "
           "coordinate, for all cells of the grid, or for one field if grid is the name of a field. "
           "bounds: the bounds of the cells, with the vertices as their last dimension, 2 for a coordinate "
           "along its own dimension; or computed_bounds: halfway between the values, which must be evenly "
           "spaced. measure: \"area\" or \"volume\", for values that are the sizes of the cells.")
      .def("grid_mapping", &PythonSession::grid_mapping, "grid"_a, "grid_mapping_name"_a, "name"_a = "crs",
           "attributes"_a = nb::dict(),
           "States how the coordinates of a grid lie on the Earth (CF 5.6 and appendix F).")
      .def("mesh", &PythonSession::mesh, "grid"_a, "node_x"_a, "node_y"_a, "face_nodes"_a, "name"_a = "mesh",
           "node_indices"_a = nb::none(), "global_nodes"_a = 0, "node_units"_a = "",
           "Makes the cells of a grid the faces of a mesh (UGRID): for each cell a row of global node "
           "numbers, "
           "padded with -1. Supply all nodes; or this rank's, their numbers node_indices, and the number of "
           "nodes in all, global_nodes. node_units: a unit of length, such as m, for a plane; otherwise "
           "degrees. Clockwise faces are reversed.")
      .def("mesh_location", &PythonSession::mesh_location, "grid"_a, "location"_a, "mesh"_a = "mesh",
           "edge_nodes"_a = nb::none(),
           "Makes the cells of a grid the edges or nodes (\"edge\", \"node\") of a mesh that was declared "
           "with another grid; edge_nodes: two global node numbers for each edge.")
      .def(
          "field", &PythonSession::field, "name"_a, "grid"_a = "", "dtype"_a = "float64", "units"_a = "",
          "standard_name"_a = "", "long_name"_a = "", "attributes"_a = nb::dict(),
          "fill_value"_a.none() = nb::none(),
          "Declares a field and returns its handle. Without a grid it is a scalar. A name without a "
          "namespace "
          "declares every NAMESPACE.name that the configuration lists. fill_value marks a missing value in "
          "the arrays, and in the files as _FillValue (NaN: any NaN); reductions over time then use, cell by "
          "cell, only the values that are present.")
      .def(
          "set_attribute", &PythonSession::set_attribute, "name"_a, "value"_a, "field"_a = "",
          "Gives an attribute to a field that was declared before, or, without a field, to all files of the "
          "component; a later value replaces an earlier one. In a file with `layout: wrf` a text is written "
          "exactly as it is, with its blanks, and also if it is empty. `coordinates` of a field names fields "
          "that are its coordinates.")
      .def(
          "input", &PythonSession::input, "name"_a, "grid"_a = "", "dtype"_a = "float64", "units"_a = "",
          "optional"_a = false, "fill_value"_a.none() = nb::none(),
          "Declares a field that the model gets from files, by `input` in the configuration, in these units, "
          "and returns its handle. Unless it is optional, ready fails if the configuration does not provide "
          "it. fill_value stands where the files have no value, if the configuration has `missing: keep`; "
          "None: NaN, for real numbers.")
      .def("ready", &PythonSession::ready,
           "Collective. Checks the declarations against the configuration and connects to the servers; "
           "blocks.");
}

void bind_exchange(nb::class_<PythonSession>& type) {
  type.def("step", &PythonSession::step, "step"_a, "time"_a, "States the model's time, in seconds.")
      .def("open_file", &PythonSession::open_file, "path"_a,
           "Collective over a stream, after its ready. The records of the steps that follow go to the files "
           "whose names in its configuration contain `{file}`, which is replaced by the path; with the "
           "attributes that set_attribute gave to the stream before. No file that exists is replaced.")
      .def("close_file", &PythonSession::close_file,
           "Ends these files with the records of the steps until now; call it on all ranks of the stream.")
      .def("written", &PythonSession::written, "step"_a,
           "Whether all records that the steps of this stream up to `step` complete are in their files on "
           "the disk. Does not wait.")
      .def("handle", &PythonSession::handle, "name"_a, "The handle of a declared field.")
      .def("wants", &PythonSession::wants, "field"_a,
           "Whether a file, a diagnostic, a checkpoint or an input needs the field at this step; a fixed one "
           "(`every: once`) is wanted from ready until it was put.")
      .def("wants_at_end", &PythonSession::wants_at_end, "field"_a,
           "Whether nothing needs the field at this step, but a file writes the last put of the run "
           "(`also_at_end`).")
      .def("put", &PythonSession::put, "field"_a, "array"_a.none(),
           "Copies the array (of any strides) once and returns; at once if the field is not wanted. Blocks "
           "only when the buffer is full. Masked values, and the missing values of pandas and xarray, become "
           "the fill_value of the field; Error if it has none.")
      .def("put_block", &PythonSession::put_block, "field"_a, "block"_a, "array"_a.none(),
           "Copies one block of this rank (add_block; number 0 is that of grid), by name or handle. The put "
           "of the field is complete when all its blocks have been put at this step, in any order, also "
           "between those of other fields. Missing values as in put.")
      .def("acquire", &acquire, "field"_a,
           "The memory that the servers read as an array, to write in place, or None if the field is not "
           "wanted. Do not use it after publish.")
      .def("publish", &PythonSession::publish, "field"_a, "Hands over the contents of the slot.");
}

void bind_checkpoints(nb::class_<PythonSession>& type) {
  type.def("restarting", &PythonSession::restarting,
           "The step and the time of the checkpoint from which the run restarts; None if it starts from the "
           "beginning. Call it before ready.")
      .def("available", &PythonSession::available, "input"_a,
           "Whether the configuration provides this input: False only for an optional one. After ready; the "
           "same on all ranks.")
      .def("get", &PythonSession::get, "field"_a, "array"_a.none() = nb::none(),
           "This rank's part of an input at the time of the present step, or of a field of the checkpoint: "
           "fills the array (of any strides), or returns a new one. An input waits only if its records are "
           "not read yet; a field of the checkpoint reads the disk.")
      .def("get_value", &PythonSession::get_value, "name"_a,
           "The value of that name in the checkpoint: a number, text, or a list of numbers.")
      .def("checkpoint_due", &PythonSession::checkpoint_due,
           "Whether a checkpoint is due at this step, and its fields are wanted; the same on all ranks.")
      .def("request_checkpoint", &PythonSession::request_checkpoint,
           "Makes a checkpoint due at this step; call it on all ranks.")
      .def("checkpoint", &PythonSession::checkpoint,
           "Makes the checkpoint of this step, of what was put until now; call it on all ranks. Does not "
           "wait.")
      .def("put_value", &PythonSession::put_value, "name"_a, "value"_a,
           "Stores a number, text or a list of numbers in all checkpoints from now on.");
}

}  // namespace

void bind_session(nb::module_& module) {
  nb::class_<PythonSession> type(module, "Session", "One model component's connection to the servers.");
  type.def_static(
          "start", &PythonSession::start, "comm"_a.none(), "config"_a, "component"_a = "model",
          "initial_time"_a = 0.0, "initial_step"_a = 0, "text"_a = "",
          "text: a configuration in YAML that the model gives beside the user's file, which has the last "
          "word: what it gives replaces what the text gives, and a key without a value leaves it out. "
          "Collective. On a rank that becomes a server it returns when the run is over.")
      .def("open_output", &PythonSession::open_output, "comm"_a.none(), "name"_a, "initial_time"_a = 0.0,
           "initial_step"_a = 0, "text"_a = "",
           "Opens an output stream: a further session with its own declarations, files, steps and times, on "
           "some or all ranks of this one and on the same servers; at any time. Its files are those of "
           "`text`, a configuration in YAML, and of `streams: NAME:` in the user's file, which has the last "
           "word. Collective over comm. finish of this session finishes the streams that are still open.")
      .def("is_server", &PythonSession::is_server, "Whether this rank was a server.")
      .def("is_off", &PythonSession::is_off, "Mode off: every call returns at once.")
      .def("model_comm", &PythonSession::model_comm,
           "The model ranks of this component: an mpi4py communicator, or its Fortran handle without mpi4py. "
           "Valid "
           "until MPI is finalised, also after finish.");
  bind_declarations(type);
  bind_exchange(type);
  bind_checkpoints(type);
  type.def("output_lost", &PythonSession::output_lost,
           "With `on_server_loss: continue`: the server that was lost, and the step after which nothing is "
           "written; empty while there is output.");
  type.def("stop_requested", &PythonSession::stop_requested,
           "Collective. Whether SIGTERM or SIGINT came; the model then has `grace` to finish.");
  type.def("finish", &PythonSession::finish, "Collective. Blocks until everything is committed to disk.")
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", &leave, "exc_type"_a.none(), "exc_value"_a.none(), "traceback"_a.none());
}

}  // namespace tailrace::bindings
