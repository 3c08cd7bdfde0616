// Tailrace for C++: hand a model's fields to servers that average and write them while the model continues.
//
//   auto io = tailrace::Session::start(MPI_Comm_c2f(comm), "tailrace.yaml", {.component = "bubble"});
//   if (io.is_server()) return 0;                     // this rank served until the run was over
//   io.option("x_size", nx);
//   io.grid({.name = "les", .dims = {"z", "y", "x"}, .shape = {nz, ny, nx}, .offset = {0, y0, 0}, .count =
//   {nz, nyl, nx}}); const auto w = io.field({.name = "w", .grid = "les", .units = "m s-1"}); io.ready();
//   while (...) { io.step(step, t); if (io.wants(w)) io.put(w, w_values); }
//   io.finish();
//
// All failures are thrown as tailrace::Error, including those on a server since the last call. A
// Session is used from one thread at a time. Dimensions and indices: slowest first, counted from 0.
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

// A view of an array in the caller's memory, of rank 0 (scalar) to 5. Strides count elements; empty strides:
// C order.
struct ArrayView {
  const void* data = nullptr;
  Type type = Type::float64;
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> strides{};
  // Messages list extents in the order of Fortran's subscripts, for callers who count that way. `shape` and
  // `strides` are slowest first in any case.
  bool fastest_first_in_messages = false;
};

// The same, to be written to.
struct MutableArrayView {
  void* data = nullptr;
  Type type = Type::float64;
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> strides{};
};

// Of a model, and no field: a seed, an option, the words of a calendar.
using Value = std::variant<std::vector<std::int64_t>, std::vector<double>, std::string>;

// Where a run goes on: behind this step.
struct RestartPoint {
  std::int64_t step = 0;
  double time = 0.0;  // seconds of model time
};

struct StartOptions {
  std::string component = "model";
  // Before the first step: seconds of model time, and the step. A run that goes on from a checkpoint begins
  // where that says, whatever stands here.
  double initial_time = 0.0;
  std::int64_t initial_step = 0;
};

struct GridSpec {
  std::string name{};
  std::vector<std::string> dims{};
  std::vector<std::int64_t> shape{};  // global extents
  // block: both given. Neither: every rank holds the whole (replicated) and the first rank's values are
  // taken.
  std::vector<std::int64_t> offset{};
  std::vector<std::int64_t> count{};
  // indexed: the global indices of this rank's cells along the dimension of that name (and then no offset,
  // count).
  std::string indexed_dim{};
  std::span<const std::int64_t> indices{};
  bool partial = false;  // every rank holds a contribution of the full shape
};

// The value of an attribute: text, or numbers, which keep their type in the file. Only what readers hold
// against the values of a variable (valid_range, valid_min, valid_max, flag_values, flag_masks, actual_range,
// missing_value) takes the variable's type.
using Attribute = std::variant<std::string, double, float, std::int64_t, std::int32_t, std::vector<double>,
                               std::vector<float>, std::vector<std::int64_t>, std::vector<std::int32_t>,
                               std::int16_t, std::int8_t, std::uint8_t, std::vector<std::int16_t>,
                               std::vector<std::int8_t>, std::vector<std::uint8_t>>;

struct CoordinateSpec {
  std::string name{};
  std::vector<std::string> dims{};  // empty: the dimension of the coordinate's own name
  std::string units{};
  std::string standard_name{};
  std::string long_name{};
  std::map<std::string, Attribute> attributes{};
  bool scalar = false;  // no dims: one value, for all cells of the grid
  // The ends of the cells: for each value as many vertices, 2 along a dimension of its own. A part where the
  // values are a part; a rank without cells gives the number of vertices too.
  std::span<const double> bounds{};
  std::size_t vertices = 0;
  // Instead of them: halfway between the values, which must lie evenly along a dimension of their own.
  bool computed_bounds = false;
  std::string measure{};  // "area" or "volume": the values say how large the cells are (CF's cell_measures)
};

// How the coordinates of a grid lie on the Earth (CF 5.6 and appendix F).
struct GridMappingSpec {
  std::string grid_mapping_name{};  // "rotated_latitude_longitude"
  std::string name = "crs";         // of its variable
  std::map<std::string, Attribute> attributes{};
};

// Faces of an unstructured grid (UGRID 1.0), in any orientation: clockwise ones are turned round.
// `face_nodes` has a row of `nodes_per_face` node numbers (global, from 0, padded with -1) for each local
// cell. Either every rank gives all nodes, and the same; or each gives
// those of its own cells, with their numbers in `node_indices`, and how many there are in the whole mesh.
// Nodes that several ranks give must be the same to the last bit, and each must be given by one of them.
struct MeshSpec {
  std::string name = "mesh";
  std::span<const double> node_x{};  // degrees east, or in `node_units`
  std::span<const double> node_y{};  // degrees north
  std::int64_t nodes_per_face = 3;
  std::span<const std::int32_t> face_nodes{};
  std::int64_t global_nodes = 0;                 // 0: node_x and node_y have all of them
  std::span<const std::int64_t> node_indices{};  // of node_x and node_y
  std::string node_units{};                      // in a plane: a length, such as "m"; empty: degrees
};

// A grid whose cells are edges or nodes of a mesh.
struct MeshLocationSpec {
  std::string mesh = "mesh";
  std::string location{};                      // "edge" or "node"
  std::span<const std::int32_t> edge_nodes{};  // of edges: two node numbers (global, from 0) a local cell
};

struct FieldSpec {
  // Without a namespace it stands for all `NAMESPACE.name` that the configuration lists and the model does
  // not declare: wants asks for all of them, and a put goes to each that is wanted.
  std::string name{};
  std::string grid{};  // empty: a scalar
  Type type = Type::float64;
  std::string units{};
  std::string standard_name{};
  std::string long_name{};
  std::map<std::string, Attribute> attributes{};
  // What stands for a missing value in the arrays, and in the files as _FillValue; NaN: any NaN is missing.
  // Reductions over time then weigh, cell by cell, only what is there. None: every value counts.
  std::optional<double> fill_value{};
};

// Identifies a field in wants, put and acquire without a look-up. Valid for the session that returned it.
struct FieldHandle {
  int index = -1;
};

class TAILRACE_EXPORT Session {
 public:
  // Collective over the communicator, which is given by its Fortran handle (MPI_Comm_c2f) and is duplicated.
  // On a rank that becomes a server it returns when the run is over, with is_server() true. Blocks.
  static Session start(int communicator, const std::string& configuration, const StartOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();  // without finish: informs the servers that this rank left

  bool is_server() const noexcept;
  bool is_off() const noexcept;  // mode off: every call returns at once
  int model_comm() const;        // Fortran handle: the model ranks of this component; valid until finish

  // Whether the run goes on from a checkpoint (`checkpoint.restart`), and from which step and time: the
  // model's next step comes after it. Nothing where it begins afresh. Local; from start on. A model must ask,
  // for ready fails where there is a checkpoint of which it does not know.
  std::optional<RestartPoint> restarting();
  // The names that the configuration lists under `fields`, with their namespaces, for a model that can supply
  // more than it would declare. Before ready; local. A name with an option of the model in it needs that one.
  std::vector<std::string> wanted_names() const;

  // Declarations, before ready; local. Names, shapes and types must agree over the component's ranks.
  void option(const std::string& name, const std::string& value);
  void option(const std::string& name, std::int64_t value);
  void option(const std::string& name, double value);
  void grid(const GridSpec& spec);
  // Values along undecomposed dims: all. Along decomposed dims: all, or this rank's part (distinguished by
  // the size). A scalar one may have the name of a field in place of that of a grid: then it holds for this
  // field alone, such as a height of 2 m.
  void coordinate(const std::string& grid, const CoordinateSpec& spec, std::span<const double> values);
  void mesh(const std::string& grid, const MeshSpec& spec);
  void mesh_location(const std::string& grid, const MeshLocationSpec& spec);
  void grid_mapping(const std::string& grid, const GridMappingSpec& spec);
  FieldHandle field(const FieldSpec& spec);
  // Collective over the component. Checks declarations and configuration together; throws the same error
  // everywhere.
  void ready();

  // Sets the model's time: `step` must increase, `time` (seconds) must not decrease. The puts that follow
  // belong to it. Local; wakes the servers if needed. In mode inline it does the servers' work.
  void step(std::int64_t step, double time);
  FieldHandle handle(std::string_view name) const;  // throws Error(usage) with the nearest name
  // Whether a file needs the field at this step. A fixed one (`every: once`) is wanted from ready until it
  // was put, so it may be put before the first step.
  bool wants(FieldHandle field) const;
  bool wants(std::string_view name) const { return wants(handle(name)); }
  // Whether nothing needs the field at this step, but a file takes what is put last (`also_at_end`). wants is
  // true for it at each step; a model that puts it only where it ends copies it once.
  bool wants_at_end(FieldHandle field) const;
  bool wants_at_end(std::string_view name) const { return wants_at_end(handle(name)); }
  // Copies the array once and returns; at once where the field is not wanted. Blocks only when the buffer is
  // full.
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
  // Dense values in C order; `count` elements in all. The cheapest way.
  void put_dense(FieldHandle field, const void* data, Type type, std::size_t count);
  // True where a put would have nothing to do, and then replaces it, so that a language binding need not
  // describe the array; errors of a call are left to the put.
  bool put_unwanted(FieldHandle field) noexcept;
  // The slot itself, to write the local block into (C order); empty where the field is not wanted. Ends with
  // publish. One slot at a time.
  std::span<std::byte> acquire(FieldHandle field);
  void publish(FieldHandle field);

  // Fills this rank's part of a field that the checkpoint has, under the decomposition of this run. After
  // ready, where restarting() says so. Local; reads the disk.
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
  // The value of that name in the checkpoint. Local. Error(usage) with the nearest name where it has none.
  Value get_value(const std::string& name);

  // Whether a checkpoint is due at this step: by `checkpoint.every`, after request_checkpoint, or, with
  // `checkpoint.on_signal`, because SIGTERM or SIGINT came. The fields of `checkpoint.fields` are wanted
  // then: put them, and call checkpoint. The same answer on all ranks; collective over the component where
  // signals count and none is due otherwise. False once it was made. A field that was put at this step
  // already is not copied again, so all may be put that belong to it.
  bool checkpoint_due();
  // Makes one due at this step. Local; to be called on all ranks at the same step.
  void request_checkpoint();
  // The checkpoint of this step holds what was put until now, and the servers' state; nothing more may be put
  // at this step. On all ranks at the same step. Does not wait: the servers write it meanwhile; in mode
  // inline it waits for the other ranks.
  void checkpoint();
  // Belongs to all checkpoints from now on. The value of the component's first rank counts. Local.
  void put_value(const std::string& name, const Value& value);

  // With `servers.on_server_loss: continue`: which server was lost, from which step on nothing is written,
  // and how far each file is whole. Empty while there is output. Local: the ranks hear of a loss one after
  // the other. To be asked after finish too.
  const std::string& output_lost() const noexcept;
  // Collective over the component, with the same answer on all ranks: whether SIGTERM or SIGINT came to the
  // servers (or, with `signals: all`, to a model rank). The model then has `grace` to finish. Between ready
  // and finish.
  bool stop_requested();
  // Collective over the component. Blocks until everything is committed to disk; a failure on a server is
  // thrown here at the latest. After it only is_server and output_lost may be called. A second call does
  // nothing.
  void finish();

 private:
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A server rank in an MPMD launch: joins the `Session::start` of the models over the given communicator and
// returns when the run is over. Collective with their start.
TAILRACE_EXPORT void serve(int communicator, const std::string& configuration);
// The same for a program that is only a server: it initialises and finalises MPI itself.
TAILRACE_EXPORT void serve(const std::string& configuration);

// Reads and checks a configuration as far as possible without a model, and describes it (a tree of files,
// variables and periods). Options of the model may be supplied. `declared`, if not empty, is the file with
// the declarations of a model from a run's report directory (declared.COMPONENT.json): then everything is
// checked and described, with the plan of the diagnostics. `restart`, if not empty (it wants `declared`): a
// directory of checkpoints, as tailrace/checkpoints.hpp takes it; whether a run would go on from the newest
// complete one is checked too. Throws Error(configuration) with all mistakes.
TAILRACE_EXPORT std::string check(const std::string& configuration,
                                  const std::map<std::string, std::string>& options = {},
                                  const std::string& declared = "", const std::string& restart = "");
// The plan of the diagnostics as a graph in the language of Graphviz's dot. Throws as check does.
TAILRACE_EXPORT std::string plan_graph(const std::string& configuration, const std::string& declared,
                                       const std::map<std::string, std::string>& options = {});
// The report directory of a checked configuration; empty if there is no report (servers.report: false) or
// there are no servers (servers.mode: off). As in the configuration: relative to the directory where the job
// is started.
// Throws as check does.
TAILRACE_EXPORT std::string report_directory(const std::string& configuration);

struct Conversion {
  std::string text;                   // YAML
  std::vector<std::string> warnings;  // a line each, with file:line:column
};
// Converts the XML of MONC's I/O server, with its includes, to a configuration. The given options are
// inserted, others stay in braces; `legacy` keeps MONC's values where they are wrong. Throws
// Error(configuration) with the mistakes.
TAILRACE_EXPORT Conversion convert_monc(const std::string& path,
                                        const std::map<std::string, std::string>& options = {},
                                        bool legacy = false);

TAILRACE_EXPORT std::string reference();  // the options as a Markdown page
TAILRACE_EXPORT std::string schema();     // the same as a JSON schema
// For a model that calls HDF5 or netCDF-4 itself in mode attached, where the library is not thread-safe:
// between the two no thread of Tailrace calls HDF5. Around each such call of the model, with no call of
// Tailrace in between; not to be nested. Waits for a write under way.
TAILRACE_EXPORT void hdf5_lock();
TAILRACE_EXPORT void hdf5_unlock();
TAILRACE_EXPORT std::string version();

// An operator of expressions. `kind`: elementwise, reduction, kernel, or rewrite (composed of the
// others).
struct ExpressionFunction {
  std::string name, kind, signature, says, cost, source;
};
TAILRACE_EXPORT std::vector<ExpressionFunction> expression_functions();  // by name

struct Inspection {
  bool readable = false;  // by any stock reader, in its present state
  bool repaired = false;
  std::string report;  // one sentence
};
// Checks a file that Tailrace wrote and, on request, repairs what a killed run left behind. Throws
// Error(resource).
TAILRACE_EXPORT Inspection inspect(const std::string& path, bool repair);

}  // namespace tailrace
