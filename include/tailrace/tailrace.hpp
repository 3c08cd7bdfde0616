// Tailrace for C++: hand a model's fields to servers that average and write them while the model continues.
//
//   auto io = tailrace::Session::start(MPI_Comm_c2f(comm), "tailrace.yaml", {.component = "bubble"});
//   if (io.is_server()) return 0;                     // this rank served until the run was over
//   io.option("x_size", nx);
//   io.grid({.name = "les", .dims = {"z", "y", "x"}, .shape = {nz, ny, nx},
//            .offset = {0, y0, 0}, .count = {nz, nyl, nx}});
//   const auto w = io.field({.name = "w", .grid = "les", .units = "m s-1"});
//   io.ready();
//   while (...) {
//     io.step(step, t);
//     if (io.wants(w)) io.put(w, w_values);
//   }
//   io.finish();
//
// Conventions
// - All failures are thrown as tailrace::Error (error.hpp). A call throws Error(usage) if an argument is
//   wrong, or if it is made at the wrong time or on a server rank. Comments name the other kinds. A failure
//   on a server is thrown, with its own kind, by the next call of the model that puts, steps, checkpoints or
//   finishes.
// - A call is local and does not wait for other ranks or for a disk, unless its comment states it. In mode
//   inline the calls of the time loop also do the servers' work.
// - A session is used from one thread at a time; different sessions from different threads at once.
// - Strings, spans and arrays that are passed in are copied before the call returns and remain owned by the
//   caller.
// - Dimensions and indices: slowest first (C order), counted from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tailrace/error.hpp"
#include "tailrace/export.h"

namespace tailrace {

// The values are part of the C interface: do not renumber.
enum class Type : int { float32 = 0, float64 = 1, int32 = 2, int64 = 3 };

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<std::remove_cv_t<T>, float>)
    return Type::float32;
  else if constexpr (std::is_same_v<std::remove_cv_t<T>, double>)
    return Type::float64;
  else if constexpr (std::is_same_v<std::remove_cv_t<T>, std::int32_t>)
    return Type::int32;
  else {
    static_assert(std::is_same_v<std::remove_cv_t<T>, std::int64_t>, "float, double, int32_t or int64_t");
    return Type::int64;
  }
}

// A view of an array in the caller's memory, of rank 0 (scalar) to 5. Strides count elements, not bytes;
// empty strides: dense, in C order.
struct ArrayView {
  const void* data = nullptr;
  Type type = Type::float64;
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> strides{};
  // Messages list extents in the order of Fortran's subscripts, for callers who count that way. `shape` and
  // `strides` are slowest first in any case.
  bool fastest_first_in_messages = false;
};

// A view of an array that the call fills; otherwise as ArrayView.
struct MutableArrayView {
  void* data = nullptr;
  Type type = Type::float64;
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> strides{};
};

// A value that a model keeps in a checkpoint besides fields: a seed, a counter, the name of a calendar.
using Value = std::variant<std::vector<std::int64_t>, std::vector<double>, std::string>;

// The step and time of the checkpoint from which a run restarts; the model's next step comes after them.
struct RestartPoint {
  std::int64_t step = 0;
  double time = 0.0;  // seconds of model time
};

struct StartOptions {
  std::string component = "model";
  // The model's time in seconds, and its step, before the first step. In a run that restarts from a
  // checkpoint, the checkpoint's replace them.
  double initial_time = 0.0;
  std::int64_t initial_step = 0;
  // A configuration in YAML that the model gives beside the user's file, such as the files that it would
  // write by itself; read on the first rank of the component. The user has the last word: what the file gives
  // replaces what the text gives, option by option (lists as a whole), and a key without a value in the file
  // leaves out that of the text. With an empty path the text is the whole configuration.
  std::string text{};
};

struct GridSpec {
  std::string name{};
  std::vector<std::string> dims{};
  std::vector<std::int64_t> shape{};  // global extents
  // A block: the global indices of its first cell, and its extents. Both empty: every rank holds the whole
  // grid (replicated), and the files take the values of the first rank.
  std::vector<std::int64_t> offset{};
  std::vector<std::int64_t> count{};
  // An indexed grid: the global indices of this rank's cells along the dimension of that name, without offset
  // and count.
  std::string indexed_dim{};
  std::span<const std::int64_t> indices{};
  bool partial = false;  // every rank holds a contribution to the sum, of the full shape
  // Messages add it to the indices of cells: 1 for callers who count from 1. `offset` and `indices` count
  // from 0 in any case.
  int first_index_in_messages = 0;
};

// A grid of the cells of HEALPix (Gorski et al. 2005), with their numbers as its coordinate and with the grid
// mapping of CF 1.13.
struct HealpixGridSpec {
  std::string name{};
  int level = 0;                 // 12 * 4^level cells
  std::string order = "nested";  // how cells are numbered: "nested" or "ring"
  // Further dimensions in front of that of the cells, such as levels, and their extents. Every rank holds
  // them whole.
  std::vector<std::string> dims{};
  std::vector<std::int64_t> shape{};
  // This rank's cells: `count` of them from number `first` on, or a list of their numbers, in any order. The
  // numbers are those of HEALPix, which begin at 0 in all languages. Neither: none.
  std::int64_t first = 0, count = 0;
  std::span<const std::int64_t> cells{};
  std::string cell_dim = "cell";
};

// The value of an attribute: text, or numbers, which keep their type in the file. Only attributes that
// readers compare with the values of a variable (valid_range, valid_min, valid_max, flag_values, flag_masks,
// actual_range, missing_value) take the variable's type.
using Attribute = std::variant<std::string, double, float, std::int64_t, std::int32_t, std::vector<double>,
                               std::vector<float>, std::vector<std::int64_t>, std::vector<std::int32_t>,
                               std::int16_t, std::int8_t, std::uint8_t, std::vector<std::int16_t>,
                               std::vector<std::int8_t>, std::vector<std::uint8_t>>;

struct CoordinateSpec {
  std::string name{};
  std::vector<std::string> dims{};  // empty: the dimension of the coordinate's own name
  std::string units{};              // UDUNITS, such as "degrees_north"
  std::string standard_name{};
  std::string long_name{};
  std::map<std::string, Attribute> attributes{};
  bool scalar = false;  // no dims: one value, for all cells of the grid
  // The bounds of the cells, in the units of the values: `vertices` numbers for each value, with the vertices
  // fastest; 2 for a coordinate along its own dimension. They cover what the values cover, all cells or this
  // rank's. A rank without cells sets `vertices` too.
  std::span<const double> bounds{};
  std::size_t vertices = 0;
  // In place of `bounds`: halfway between the values, which must be evenly spaced along their own dimension.
  bool computed_bounds = false;
  std::string measure{};  // "area" or "volume": the values are the sizes of the cells (CF's cell_measures)
};

// How the coordinates of a grid lie on the Earth (CF 5.6 and appendix F).
struct GridMappingSpec {
  std::string grid_mapping_name{};  // "rotated_latitude_longitude"
  std::string name = "crs";         // the name of its variable
  std::map<std::string, Attribute> attributes{};
};

// Faces of an unstructured grid (UGRID 1.0). Clockwise faces are reversed. `face_nodes` has a row of
// `nodes_per_face` different node numbers (global, from 0) for each local cell, padded with -1.
// Either every rank supplies all nodes, and the same ones; or each supplies the nodes of its
// own cells, their numbers in `node_indices`, and the number of nodes in the whole mesh. A node that several
// ranks supply must be the same to the last bit, and at least one rank must supply each node.
struct MeshSpec {
  std::string name = "mesh";
  std::span<const double> node_x{};  // degrees east, or in `node_units`
  std::span<const double> node_y{};  // degrees north, or in `node_units`
  std::int64_t nodes_per_face = 3;
  std::span<const std::int32_t> face_nodes{};
  std::int64_t global_nodes = 0;                 // 0: node_x and node_y have all of them
  std::span<const std::int64_t> node_indices{};  // global numbers, from 0, of the nodes in node_x and node_y
  std::string node_units{};                      // a unit of length, such as "m", for a plane; empty: degrees
  int first_index_in_messages = 0;               // as in GridSpec, of nodes
};

// A grid whose cells are edges or nodes of a mesh.
struct MeshLocationSpec {
  std::string mesh = "mesh";
  std::string location{};                      // "edge" or "node"
  std::span<const std::int32_t> edge_nodes{};  // for each local edge two global node numbers, from 0
  int first_index_in_messages = 0;             // as in GridSpec, of nodes
};

// The number that marks a missing value. An int64 field compares its values with `whole`: a whole number that
// no double holds, such as netCDF's default -9223372036854775806, stays exact if it is given as an integer.
struct FillValue {
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr FillValue(T value)  // NOLINT(google-explicit-constructor): a number is a fill value
      : number(static_cast<double>(value)), whole(whole_of(value)) {}

  double number = 0.0;
  std::int64_t whole = 0;  // 0 if the number is not an int64

 private:
  template <class T>
  static constexpr std::int64_t whole_of(T value) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<std::int64_t>(value);
    else
      return value >= static_cast<T>(-9223372036854775808.0) && value < static_cast<T>(9223372036854775808.0)
                 ? static_cast<std::int64_t>(value)
                 : 0;
  }
};

struct FieldSpec {
  // A name without a namespace declares every `NAMESPACE.name` that the configuration lists and the model
  // does not declare itself: wants is true if any of them is wanted, and a put serves each that is.
  std::string name{};
  std::string grid{};  // empty: a scalar
  Type type = Type::float64;
  std::string units{};  // UDUNITS, such as "m s-1"
  std::string standard_name{};
  std::string long_name{};
  std::map<std::string, Attribute> attributes{};
  // The number that marks a missing value in the arrays, and in the files as _FillValue; NaN: any NaN.
  // Reductions over time then use, cell by cell, only the values that are present. None: every value counts.
  std::optional<FillValue> fill_value{};
};

// A field that the model gets from files, which the servers read ahead of it.
struct InputSpec {
  std::string name{};  // that of an entry of `input.NAME.fields` in the configuration
  std::string grid{};  // empty: a scalar
  Type type = Type::float64;
  std::string units{};    // UDUNITS, such as "degC": get gives the values in these units
  bool optional = false;  // the configuration need not provide it; ask available then
  // The number that get writes where the files have no value, if the configuration has `missing: keep`; none:
  // NaN for real numbers.
  std::optional<FillValue> fill_value{};
};

// Identifies a field in wants, put, acquire, get and available without looking up its name. Valid for the
// session that returned it.
struct FieldHandle {
  int index = -1;
};

// The connection of one model component to the servers; on a server rank, only what it was.
class TAILRACE_EXPORT Session {
 public:
  // Splits the communicator into model and server ranks. It is given by its Fortran handle (MPI_Comm_c2f) and
  // duplicated. `configuration` is the path of a YAML file, read on the first rank of the component. On a
  // rank that becomes a server it returns when the run is over, with is_server() true. Collective over the
  // communicator; blocks. Error(configuration) on all ranks if the configuration is not valid.
  static Session start(int communicator, const std::string& configuration, const StartOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();  // without finish before it: the servers learn that this rank left and keep what was committed

  // Opens an output stream (below: a stream): a further session with its own declarations, files, steps and
  // times, on the same servers. Its ranks are those of `communicator` (its Fortran handle), some or all of
  // the model ranks of this session. At any time between start and finish, also between steps, and also if
  // ready comes later or never. The result takes all calls of a session except those of checkpoints and
  // inputs, and open_file, close_file and written. `options.component` is not used. Its files are those of
  // `options.text`, read on the first rank of the communicator, and of `streams: NAME:` in the user's file,
  // which has the last word as in start. In their names `{stream}` is `name`. The calls of a session and its
  // streams are made from one thread at a time, and in the same order on all ranks that two streams share.
  // Collective over the communicator, which it duplicates; blocks until all its ranks have called. `finish`
  // of this session finishes the streams that are still open. In mode inline the communicator must have all
  // model ranks. Error(usage) if a stream of that name is open on one of the ranks; Error(configuration).
  Session open_output(int communicator, const std::string& name, const StartOptions& options = {});

  bool is_server() const noexcept;  // this rank was a server, and the run is over
  bool is_off() const noexcept;     // mode off: every call returns at once
  // The Fortran handle of a communicator of the model ranks of this component. It stays valid until
  // MPI_Finalize, also after finish and without the session, and errors on it are handled as on the
  // communicator that start was given. Also after finish.
  int model_comm() const;

  // The step and time of the checkpoint from which the run restarts (`checkpoint.restart`); empty if the run
  // starts from the beginning. From start on. A model must ask: where there is a checkpoint and nobody asked,
  // ready fails.
  std::optional<RestartPoint> restarting();
  // The names that the configuration lists under `fields`, with their namespaces, for a model that can supply
  // more fields than it would declare. Names with `*` or `?` are left out: these stand for fields that the
  // model declares anyway. Before ready. Options that occur in the names must be set before.
  std::vector<std::string> wanted_names() const;

  // Declarations, before ready. Names, shapes and types must agree on all ranks of the component; ready
  // compares them.

  // Sets the value of `{name}` in the configuration.
  void option(const std::string& name, const std::string& value);
  void option(const std::string& name, std::int64_t value);
  void option(const std::string& name, double value);
  // Declares a grid and the part of it that this rank holds.
  void grid(const GridSpec& spec);
  // Declares a further block of this rank on a grid with offset and count, before the grid's coordinates and
  // fields. The ranks may have different numbers of blocks. Where this rank has several, its part of a field
  // or coordinate has the values of all its blocks, one block after the other in the order of their
  // declaration, as an array of rank 1; put_block takes them one by one.
  void add_block(const std::string& grid, const std::vector<std::int64_t>& offset,
                 const std::vector<std::int64_t>& count);
  // The dense values of a coordinate (C order), in spec.units. Along dims that are not decomposed: all of
  // them. Along decomposed dims: all, or this rank's part, which their number distinguishes. `grid` of a
  // scalar coordinate may be the name of a field: the coordinate, such as a height of 2 m, then belongs to
  // this field alone.
  void coordinate(const std::string& grid, const CoordinateSpec& spec, std::span<const double> values);
  // Declares a grid of HEALPix cells, and the cells that this rank holds: in one call what `grid`,
  // `coordinate` and `grid_mapping` do.
  void healpix_grid(const HealpixGridSpec& spec);
  // Makes the cells of a grid the faces of a mesh.
  void mesh(const std::string& grid, const MeshSpec& spec);
  // Makes the cells of a grid the edges or nodes of a mesh that was declared with another grid.
  void mesh_location(const std::string& grid, const MeshLocationSpec& spec);
  // States how the coordinates of a grid lie on the Earth.
  void grid_mapping(const std::string& grid, const GridMappingSpec& spec);
  // Declares a field.
  FieldHandle field(const FieldSpec& spec);
  // Gives an attribute to a field that was declared before, or, without a field, to all files of the
  // component; a later value replaces an earlier one. In a file with `layout: wrf` a text is written exactly
  // as it is, with its blanks, and also if it is empty. `coordinates` of a field names fields that are its
  // coordinates.
  void set_attribute(const std::string& name, const Attribute& value, const std::string& field = {});
  // Declares a field that the model gets from files, by `input` in the configuration. Unless it is optional,
  // ready fails if the configuration does not provide it. The handle is for get and available.
  FieldHandle input(const InputSpec& spec);
  // Ends the declarations, checks them against the configuration, and connects to the servers. Collective
  // over the component; blocks until the servers have created their files and opened those of the inputs. On
  // failure all ranks throw the same error: of configuration, usage, resource or lost.
  void ready();

  // Sets the model's step, which must increase, and its time in seconds, which must not decrease. The puts
  // that follow belong to them. Wakes the servers if needed. Blocks only when the buffer is full.
  void step(std::int64_t step, double time);
  // For a stream, after its ready. The records of the steps that follow go to files of which the model gives
  // the name: in the configuration of the stream they are the entries of `output` whose names contain
  // `{file}`, which is replaced by `path`. They have the global attributes that set_attribute gave to the
  // stream before this call. A file that is open is closed first, and a file to which no step writes a record
  // is not made. No file that exists is replaced, unless the user gives the entry `if_exists: replace`, and
  // none that the first rank has opened before: Error(resource). Collective over the stream; blocks until all
  // its ranks have called.
  void open_file(const std::string& path);
  // Ends the files of open_file with the records of the steps until now. A stream that has such files makes
  // no step until the next one is open. Local; call it on all ranks of the stream at the same step.
  void close_file();
  // Whether all records that the steps of this stream up to `step` complete are in their files on the disk. A
  // step for which `write_every` keeps a record back is not written until that record is. Local. After the
  // step; not after finish, which returns when all is written.
  bool written(std::int64_t step);
  // The handle of a declared field. The message of Error(usage) suggests the nearest name.
  FieldHandle handle(std::string_view name) const;
  // Whether a file, a diagnostic, a checkpoint or an input needs the field at this step. A fixed field
  // (`every: once`) is wanted from ready until it was put, so it may be put before the first step.
  bool wants(FieldHandle field) const;
  bool wants(std::string_view name) const { return wants(handle(name)); }
  // Whether nothing needs the field at this step, but a file writes the last put of the run (`also_at_end`).
  // wants is true for such a field at each step. A model that puts it only at its last step copies it once.
  bool wants_at_end(FieldHandle field) const;
  bool wants_at_end(std::string_view name) const { return wants_at_end(handle(name)); }
  // Copies this rank's part of a field once: an array with the extents of the part, or of rank 1 with all of
  // its elements, of the type with which the field was declared and in its units. Returns at once if the
  // field is not wanted. Blocks only when the buffer is full; with `when_full: fail` it throws Error(full)
  // then. The array may be reused when the call returns.
  void put(FieldHandle field, const ArrayView& array);
  void put(std::string_view name, const ArrayView& array) { put(handle(name), array); }
  template <class T>
  void put(FieldHandle field, std::span<const T> values) {
    put_dense(field, values.data(), type_of<T>(), values.size());
  }
  template <class T>
  void put(FieldHandle field, const std::vector<T>& values) {
    put(field, std::span<const T>(values));
  }
  // Copies one block of this rank (add_block; number 0 is that of `grid`): an array with its extents, or of
  // rank 1. The put of the field is complete when all its blocks have been put at this step, in any order,
  // also between those of other fields. Costs a second copy of the block if there are several.
  void put_block(FieldHandle field, std::size_t block, const ArrayView& array);
  void put_block(std::string_view name, std::size_t block, const ArrayView& array) {
    put_block(handle(name), block, array);
  }
  // The same of `count` dense elements in C order. The cheapest way.
  void put_dense(FieldHandle field, const void* data, Type type, std::size_t count);
  // True if a put would have nothing to do; this call then replaces it, so that a language binding need not
  // describe the array. The put reports errors.
  bool put_unwanted(FieldHandle field) noexcept;
  // The memory that the servers read, into which the caller writes this rank's part (dense, C order, the
  // field's type); empty if the field is not wanted, and then no publish follows. One slot at a time: it ends
  // with publish and must not be used after it. Blocks as a put.
  std::span<std::byte> acquire(FieldHandle field);
  // Hands the contents of the slot of this field to the servers.
  void publish(FieldHandle field);

  // Whether the configuration provides this input: false only for an optional one. The same during the whole
  // run, and on all ranks. After ready; in mode off it is false. Error(usage) for a field that is no input.
  bool available(FieldHandle input) const;
  bool available(std::string_view name) const { return available(handle(name)); }
  // Fills the array with this rank's part of an input or of a field of the checkpoint, after ready. The array
  // has the extents of the part, or is of rank 1 with all of its elements, of the type that was declared.
  // An input has its values at the time of the present step, before the first step at the time where the run
  // begins. It may be got at any step, several times or not at all. Local; it waits only if the servers have
  // not read the records of this time yet. Error(resource) with the file, the variable and the record if they
  // cannot be read; Error(usage) if the configuration does not provide it; Error(lost) once a server is lost,
  // also if the model goes on without output.
  // A field of the checkpoint is got if restarting() returned a point, under the decomposition of this run.
  // Local, but reads the disk. Error(usage) if the checkpoint does not hold it; Error(resource) if it cannot
  // be read.
  void get(FieldHandle field, const MutableArrayView& array);
  void get(std::string_view name, const MutableArrayView& array) { get(handle(name), array); }
  template <class T>
  void get(FieldHandle field, std::span<T> values) {
    get(field, {values.data(), type_of<T>(), {static_cast<std::int64_t>(values.size())}, {}});
  }
  template <class T>
  void get(FieldHandle field, std::vector<T>& values) {
    get(field, std::span<T>(values));
  }
  // The value of that name in the checkpoint. Local, but reads the disk. Error(usage) with the nearest name
  // if the checkpoint has none of this name.
  Value get_value(const std::string& name);

  // Whether a checkpoint is due at this step: by `checkpoint.every`, after request_checkpoint, or, with
  // `checkpoint.on_signal`, after a signal; at the step where the run begins not by `every`. The fields of
  // `checkpoint.fields` are then wanted: put them, and call checkpoint. False once it was made. The same
  // answer on all ranks. Collective over the component if signals count and no other reason makes one due;
  // otherwise local. A field that was already put at this step is not copied again, so the model may put all
  // fields of the checkpoint.
  bool checkpoint_due();
  // Makes a checkpoint due at this step. Local; call it on all ranks at the same step.
  void request_checkpoint();
  // Makes the checkpoint of this step, of what was put until now and of the servers' state. Nothing more may
  // be put at this step. Call it on all ranks at the same step. It does not wait, since the servers write the
  // checkpoint while the model continues; in mode inline it waits for the other ranks.
  void checkpoint();
  // Stores a value under that name in all checkpoints from now on. The value of the component's first rank
  // counts.
  void put_value(const std::string& name, const Value& value);

  // With `servers.on_server_loss: continue`: the server that was lost, the step after which nothing is
  // written, and up to where each file is complete. Empty while there is output. Local: the ranks learn of a
  // loss one after the other. Also after finish.
  const std::string& output_lost() const noexcept;
  // Whether SIGTERM, SIGINT or `servers.stop_signal` reached the servers (or, with `signals: all` or that
  // signal, a model rank); the same answer on all ranks. The model then has `grace` to finish. In a model
  // that calls checkpoint_due, where signals make checkpoints due, only after that was true because of the
  // signal. Between ready and finish. Collective over the component; blocks until all ranks ask.
  bool stop_requested();
  // Ends the run of this component. After a signal that ended the model it makes the checkpoint that is due;
  // if fields of it were not put, the files end all the same, and Error(usage) has what is lost. Collective
  // over the component; blocks until everything is committed to disk. A failure on a server is thrown here at
  // the latest. After it only is_server, is_off, model_comm and output_lost may be called. A second call does
  // nothing.
  void finish();

 private:
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Runs a server rank in an MPMD launch: joins the `Session::start` of the models over the same communicator
// (a Fortran handle), of which it is a collective part, and returns when the run is over.
// Error(configuration) if the configuration is not valid.
TAILRACE_EXPORT void serve(int communicator, const std::string& configuration);
// The same for a program that is only a server: it initialises and finalises MPI itself.
TAILRACE_EXPORT void serve(const std::string& configuration);

// Reads and checks a configuration as far as possible without a model, and describes it (a tree of files,
// variables and periods). It opens the headers of the files of `input`, in processes of their own, and
// describes the times that they cover. `options` are those of the model. `declared`, if not empty, is the
// file with the declarations of a model from a run's report directory (declared.COMPONENT.json): then
// everything is checked and described, with the plan of the diagnostics. `restart`, if not empty, is a
// directory of checkpoints, as in tailrace/checkpoints.hpp, and needs `declared`: then the call also checks
// whether a run would restart from the newest complete checkpoint. Throws Error(configuration) with all
// mistakes.
TAILRACE_EXPORT std::string check(const std::string& configuration,
                                  const std::map<std::string, std::string>& options = {},
                                  const std::string& declared = "", const std::string& restart = "");
// The plan of the diagnostics as a graph in the language of Graphviz's dot. Throws the errors of check.
TAILRACE_EXPORT std::string plan_graph(const std::string& configuration, const std::string& declared,
                                       const std::map<std::string, std::string>& options = {});
struct RunOutline {
  std::int64_t steps = 1;
  double step_seconds = 1.0;  // of model time
  int ranks = 1;              // of the model
  std::vector<int> servers;   // numbers of dedicated servers whose memory is of interest
};
// Describes what a run with these declarations would put, record and commit, as JSON
// (docs/formats/workload.md): the input of `tailrace plan`. Throws the errors of check, and Error(usage) for
// numbers that are not positive.
TAILRACE_EXPORT std::string workload(const std::string& configuration, const std::string& declared,
                                     const RunOutline& run,
                                     const std::map<std::string, std::string>& options = {});
// The report directory of a checked configuration, relative to the directory in which the job starts; empty
// if there is no report (servers.report: false) or there are no servers (servers.mode: off). Throws the
// errors of check.
TAILRACE_EXPORT std::string report_directory(const std::string& configuration);
// The longest time in seconds from a signal to the end of the servers (servers.grace) in a checked
// configuration; 0 if they take no signal (servers.signals: none) or there are none. Throws the errors of
// check.
TAILRACE_EXPORT double seconds_of_grace(const std::string& configuration);

// The part of a checked configuration that `tailrace serve --yac` and `--pism` need, as JSON
// (src/settings/coupling/request.hpp describes it). `text` as in StartOptions. Throws the errors of check.
TAILRACE_EXPORT std::string coupling_request(const std::string& configuration, const std::string& text = {});

struct Conversion {
  std::string text;                   // YAML
  std::vector<std::string> warnings;  // a line each, with file:line:column
};
// The dialects: the names of other programs whose configurations can be read, and what their notations are
// called ("the XML of MONC").
TAILRACE_EXPORT std::map<std::string, std::string> configuration_dialects();
// Converts a configuration in one of these dialects, with its includes, to YAML. It inserts the given options
// and leaves others in braces. `legacy` keeps the values of the other program even where they are wrong.
// Throws Error(configuration) with all mistakes, and Error(usage) for a dialect that does not exist.
TAILRACE_EXPORT Conversion convert_configuration(const std::string& dialect, const std::string& path,
                                                 const std::map<std::string, std::string>& options = {},
                                                 bool legacy = false);

TAILRACE_EXPORT std::string reference();  // the options as a Markdown page
TAILRACE_EXPORT std::string schema();     // the same as a JSON schema
// For a model that calls HDF5 or netCDF-4 itself in mode attached, with a library that is not thread-safe:
// between lock and unlock no thread of Tailrace calls HDF5. Place them around each such call of the model,
// without a call of Tailrace between them, and do not nest them. The lock blocks until a write that is under
// way ends.
TAILRACE_EXPORT void hdf5_lock();
TAILRACE_EXPORT void hdf5_unlock();
TAILRACE_EXPORT std::string version();  // "MAJOR.MINOR.PATCH"

// An operator of expressions. `kind`: elementwise, reduction, kernel, or rewrite (composed of the others).
// `says`: what it computes.
struct ExpressionFunction {
  std::string name, kind, signature, says, cost, source;
};
TAILRACE_EXPORT std::vector<ExpressionFunction> expression_functions();  // by name

struct Inspection {
  bool readable = false;  // by any other reader of the format, in its present state
  bool repaired = false;
  std::string report;  // one sentence
};
// Checks a file that Tailrace wrote and, on request, repairs what a killed run left behind. Reads the disk.
// Throws Error(resource) if the file cannot be read or repaired.
TAILRACE_EXPORT Inspection inspect(const std::string& path, bool repair);

}  // namespace tailrace
