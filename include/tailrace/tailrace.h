/* Tailrace for C: hand a model's fields to servers that average and write them while the model continues.
 *
 *   tailrace_error error = TAILRACE_NO_ERROR;
 *   tailrace_session* io = tailrace_start(comm, "tailrace.yaml", NULL, &error);
 *   if (io == NULL) { fprintf(stderr, "%s\n", error.message); ... }
 *   tailrace_grid(io, &(tailrace_grid_spec){.name = "les", .rank = 3, .dims = dims, .shape = shape,
 *                                           .offset = offset, .count = count}, &error);
 *   int w = tailrace_field(io, &(tailrace_field_spec){.name = "w", .grid = "les", .type = TAILRACE_FLOAT64,
 *                                                     .units = "m s-1"}, &error);
 *   tailrace_ready(io, &error);
 *   while (...) {
 *     tailrace_step(io, step, t, &error);
 *     if (tailrace_wants(io, w, &error)) tailrace_put(io, w, values, TAILRACE_FLOAT64, count, &error);
 *   }
 *   tailrace_finish(io, &error);
 *   tailrace_free(io);
 *
 * Conventions
 * - Nothing is global: all state belongs to the session, and several sessions may exist at once.
 * - Nothing aborts or exits. A function that can fail has a last parameter `error`, which may be NULL. It
 *   returns 0, or a tailrace_error_code; those that return a handle or yes/no return -1, those that
 *   return a pointer NULL. At every such call `*error` is first cleared (so it must be initialised) and,
 *   on failure, filled with code and message; the message is valid until the next call with the same `error`
 *   or tailrace_error_clear, which ends every use of it.
 * - A failure on a server is reported by the next call of the model.
 * - A session is used from one thread at a time; different sessions from different threads at once.
 * - Strings and arrays that are passed in are copied before the call returns and remain owned by the caller.
 * - Dimensions and indices: slowest first (C order), counted from 0. Optional parts of a spec: NULL or 0,
 *   as a designated initialiser leaves them.
 * - Communicators: the functions whose names end in _fortran take the Fortran handle (MPI_Comm_c2f); the
 *   inline functions of the same name without it take an MPI_Comm. Define TAILRACE_NO_MPI to leave those
 *   and mpi.h out.
 */
#ifndef TAILRACE_H
#define TAILRACE_H

#include <stddef.h>
#include <stdint.h>

#ifndef TAILRACE_NO_MPI
#include <mpi.h>
#endif

#include "tailrace/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tailrace_session tailrace_session;

enum tailrace_error_code {
  TAILRACE_OK = 0,
  TAILRACE_USAGE = 1,         /* a call was made in the wrong order, with a wrong name, type or size */
  TAILRACE_CONFIGURATION = 2, /* the configuration is not valid; the message names file:line:column */
  TAILRACE_RESOURCE = 3,      /* the environment failed: disk full, directory not writable, no memory */
  TAILRACE_LOST = 4,          /* a peer (model rank or server) has died */
  TAILRACE_FULL = 5,          /* the buffer is full and `when_full: fail` is set */
  TAILRACE_INTERNAL = 6       /* a bug in Tailrace */
};

enum tailrace_type { TAILRACE_FLOAT32 = 0, TAILRACE_FLOAT64 = 1, TAILRACE_INT32 = 2, TAILRACE_INT64 = 3 };

enum { TAILRACE_MAX_RANK = 5 };

typedef struct tailrace_error {
  int code;
  char* message; /* NULL when code is 0, or when there was no memory for it */
} tailrace_error;
/* clang-format off */
#define TAILRACE_NO_ERROR {0, NULL}
/* clang-format on */
TAILRACE_EXPORT void tailrace_error_clear(tailrace_error* error);

typedef struct tailrace_start_options {
  const char* component; /* NULL: "model" */
  double initial_time;   /* seconds of model time before the first step */
  int64_t initial_step;
} tailrace_start_options;

typedef struct tailrace_grid_spec {
  const char* name;
  int rank;
  const char* const* dims; /* rank names */
  const int64_t* shape;    /* global extents */
  /* block: both given. Neither: every rank holds the whole (replicated) and the first rank's values are
   * taken. */
  const int64_t* offset;
  const int64_t* count;
  /* indexed: the global indices of this rank's cells along the dimension of that name (no offset, count). */
  const char* indexed_dim;
  const int64_t* indices;
  size_t index_count;
  int partial; /* not 0: every rank holds a contribution of the full shape */
} tailrace_grid_spec;

/* A text; or, where `numbers` is given, `count` of them, of that tailrace_type, which keep it in the file.
 * Only what readers hold against the values of a variable (valid_range, valid_min, valid_max, flag_values,
 * flag_masks, actual_range, missing_value) takes the variable's type. */
typedef struct tailrace_attribute {
  const char* name;
  const char* value;
  const void* numbers;
  size_t count;
  int type;
} tailrace_attribute;

typedef struct tailrace_coordinate_spec {
  const char* name;
  int rank;                /* 0: along the dimension of the coordinate's own name */
  const char* const* dims; /* rank names */
  const char* units;
  const char* standard_name;
  const char* long_name;
  const tailrace_attribute* attributes;
  size_t attribute_count;
  int scalar; /* not 0: no dims, one value for all cells of the grid */
  /* The ends of the cells: for each value as many vertices, 2 along a dimension of its own. A part where the
   * values are a part; a rank without cells gives the number of vertices too. */
  const double* bounds;
  size_t vertices;
  /* Not 0, instead of them: halfway between the values, which must lie evenly along their dimension. */
  int computed_bounds;
  const char* measure; /* "area" or "volume": the values say how large the cells are (CF's cell_measures) */
} tailrace_coordinate_spec;

/* How the coordinates of a grid lie on the Earth (CF 5.6 and appendix F). */
typedef struct tailrace_grid_mapping_spec {
  const char* grid_mapping_name; /* "rotated_latitude_longitude" */
  const char* name;              /* of its variable; NULL: "crs" */
  const tailrace_attribute* attributes;
  size_t attribute_count;
} tailrace_grid_mapping_spec;

/* Faces of an unstructured grid (UGRID 1.0), in any orientation: clockwise ones are turned round.
 * `face_nodes` has a row of `nodes_per_face` node numbers (global, from 0, padded with -1) for each local
 * cell. Either every rank gives all nodes, and the same; or each gives
 * those of its own cells, with their numbers in `node_indices`, and how many there are in the whole mesh.
 * Nodes that several ranks give must be the same to the last bit, and each must be given by one of them. */
typedef struct tailrace_mesh_spec {
  const char* name;     /* NULL: "mesh" */
  const double* node_x; /* degrees east, or in node_units */
  const double* node_y; /* degrees north */
  size_t node_count;
  int64_t nodes_per_face;
  const int32_t* face_nodes;
  size_t face_count;
  int64_t global_nodes;        /* 0: node_x and node_y have all nodes */
  const int64_t* node_indices; /* node_count numbers of the nodes given */
  const char* node_units;      /* in a plane: a length, such as "m"; NULL: degrees */
} tailrace_mesh_spec;

/* A grid whose cells are edges or nodes of a mesh. */
typedef struct tailrace_mesh_location_spec {
  const char* mesh;          /* NULL: "mesh" */
  const char* location;      /* "edge" or "node" */
  const int32_t* edge_nodes; /* of edges: two node numbers (global, from 0) for each local cell */
  size_t edge_count;
} tailrace_mesh_location_spec;

typedef struct tailrace_field_spec {
  /* Without a namespace it stands for all `NAMESPACE.name` that the configuration lists and the model does
   * not declare: tailrace_wants asks for all of them, and a put goes to each that is wanted. */
  const char* name;
  const char* grid; /* NULL: a scalar */
  int type;         /* a tailrace_type; 0 is TAILRACE_FLOAT32 */
  const char* units;
  const char* standard_name;
  const char* long_name;
  const tailrace_attribute* attributes;
  size_t attribute_count;
  /* What stands for a missing value in the arrays, and in the files as _FillValue; NAN: any NaN is missing.
   * Reductions over time then weigh, cell by cell, only what is there. NULL: every value counts. Copied. */
  const double* fill_value;
} tailrace_field_spec;

/* Collective over the communicator, which is duplicated. `options` may be NULL. On a rank that becomes a
 * server it returns when the run is over; tailrace_is_server then returns 1. Blocks. Free the session with
 * tailrace_free. */
TAILRACE_EXPORT tailrace_session* tailrace_start_fortran(int communicator, const char* configuration,
                                                         const tailrace_start_options* options,
                                                         tailrace_error* error);
/* Frees the session; NULL is allowed. Without tailrace_finish before it, informs the servers that this rank
 * left. */
TAILRACE_EXPORT void tailrace_free(tailrace_session* session);

TAILRACE_EXPORT int tailrace_is_server(const tailrace_session* session);
/* Mode off: every call returns at once. */
TAILRACE_EXPORT int tailrace_is_off(const tailrace_session* session);
/* The model ranks of this component; valid until tailrace_finish. -1 on failure. */
TAILRACE_EXPORT int tailrace_model_comm_fortran(const tailrace_session* session, tailrace_error* error);

/* 1 where the run goes on from a checkpoint (`checkpoint.restart`), with the step and the time of it: the
 * model's next step comes after them. 0 where it begins afresh, -1 on failure. `step` and `time` may be NULL.
 * Local; from start on. A model must ask, for tailrace_ready fails where there is a checkpoint of which it
 * does not know. */
TAILRACE_EXPORT int tailrace_restarting(tailrace_session* session, int64_t* step, double* time,
                                        tailrace_error* error);

/* The names that the configuration lists under `fields`, with their namespaces, for a model that can supply
 * more than it would declare. Before tailrace_ready; local. A name with an option of the model in it needs
 * that one. Sets `*names` to an array that is the session's, until the next such call; returns how many there
 * are, or -1. */
TAILRACE_EXPORT int tailrace_wanted_names(tailrace_session* session, const char* const** names,
                                          tailrace_error* error);
/* Declarations, before tailrace_ready; local. Names, shapes and types must agree on all ranks. */
TAILRACE_EXPORT int tailrace_option_string(tailrace_session* session, const char* name, const char* value,
                                           tailrace_error* error);
TAILRACE_EXPORT int tailrace_option_int(tailrace_session* session, const char* name, int64_t value,
                                        tailrace_error* error);
TAILRACE_EXPORT int tailrace_option_real(tailrace_session* session, const char* name, double value,
                                         tailrace_error* error);
TAILRACE_EXPORT int tailrace_grid(tailrace_session* session, const tailrace_grid_spec* spec,
                                  tailrace_error* error);
/* Values along undecomposed dims: all. Along decomposed dims: all, or this rank's part (distinguished by
 * the size). A scalar one may have the name of a field in place of that of a grid: then it holds for this
 * field alone, such as a height of 2 m. */
TAILRACE_EXPORT int tailrace_coordinate(tailrace_session* session, const char* grid,
                                        const tailrace_coordinate_spec* spec, const double* values,
                                        size_t count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_mesh(tailrace_session* session, const char* grid, const tailrace_mesh_spec* spec,
                                  tailrace_error* error);
/* The mesh is that of another grid, declared before. */
TAILRACE_EXPORT int tailrace_mesh_location(tailrace_session* session, const char* grid,
                                           const tailrace_mesh_location_spec* spec, tailrace_error* error);
TAILRACE_EXPORT int tailrace_grid_mapping(tailrace_session* session, const char* grid,
                                          const tailrace_grid_mapping_spec* spec, tailrace_error* error);
/* Returns the field's handle, valid for this session, or -1. */
TAILRACE_EXPORT int tailrace_field(tailrace_session* session, const tailrace_field_spec* spec,
                                   tailrace_error* error);
/* Collective over the component. Checks declarations and configuration together; fails on all ranks alike. */
TAILRACE_EXPORT int tailrace_ready(tailrace_session* session, tailrace_error* error);

/* Sets the model's time: `step` must increase, `time` (seconds) must not decrease. The puts that follow
 * belong to it. Local; wakes the servers if needed. In mode inline it does the servers' work. */
TAILRACE_EXPORT int tailrace_step(tailrace_session* session, int64_t step, double time,
                                  tailrace_error* error);
/* The handle of a declared field, or -1 (the message then has the nearest name). */
TAILRACE_EXPORT int tailrace_handle(const tailrace_session* session, const char* name, tailrace_error* error);
/* 1: a file needs the field at this step; 0: none does; -1: failure. A fixed field (`every: once`) is wanted
 * from ready until it was put, so it may be put before the first step. */
TAILRACE_EXPORT int tailrace_wants(const tailrace_session* session, int field, tailrace_error* error);
/* 1: nothing needs the field at this step, but a file takes what is put last (`also_at_end`); 0: else; -1:
 * failure. tailrace_wants is 1 for it at each step; a model that puts it only where it ends copies it once.
 */
TAILRACE_EXPORT int tailrace_wants_at_end(const tailrace_session* session, int field, tailrace_error* error);
/* Copies `count` dense elements (C order) once and returns; at once where the field is not wanted. Blocks
 * only when the buffer is full. */
TAILRACE_EXPORT int tailrace_put(tailrace_session* session, int field, const void* data, int type,
                                 size_t count, tailrace_error* error);
/* The same for an array of rank 0 to 5 with the given extents. Strides count elements, not bytes; NULL:
 * dense. */
TAILRACE_EXPORT int tailrace_put_strided(tailrace_session* session, int field, const void* data, int type,
                                         int rank, const int64_t* shape, const int64_t* strides,
                                         tailrace_error* error);
/* 1 where a put would have nothing to do, and then replaces it: for language bindings, which need not
 * describe the array. 0: call the put, which also reports errors. */
TAILRACE_EXPORT int tailrace_put_unwanted(tailrace_session* session, int field);
/* Sets `*slot` to the memory that the servers read, `*bytes` long, to write the local block into (C order),
 * or to NULL where the field is not wanted (then no publish follows). One slot at a time; tailrace_publish
 * ends it. */
TAILRACE_EXPORT int tailrace_acquire(tailrace_session* session, int field, void** slot, size_t* bytes,
                                     tailrace_error* error);
TAILRACE_EXPORT int tailrace_publish(tailrace_session* session, int field, tailrace_error* error);
/* The part of a field on this rank: writes the extents and the tailrace_type, returns the rank or -1. */
TAILRACE_EXPORT int tailrace_local_shape(const tailrace_session* session, int field,
                                         int64_t shape[TAILRACE_MAX_RANK], int* type, tailrace_error* error);

/* Fills this rank's part of a field that the checkpoint has, under the decomposition of this run: `count`
 * dense elements (C order). After tailrace_ready, where tailrace_restarting says so. Local; reads the disk.
 */
TAILRACE_EXPORT int tailrace_get(tailrace_session* session, int field, void* data, int type, size_t count,
                                 tailrace_error* error);
/* The same into an array of rank 0 to 5 with the given extents. Strides count elements, not bytes; NULL:
 * dense. */
TAILRACE_EXPORT int tailrace_get_strided(tailrace_session* session, int field, void* data, int type, int rank,
                                         const int64_t* shape, const int64_t* strides, tailrace_error* error);
/* The value of that name in the checkpoint. Writes at most `capacity` numbers, or characters with the ending
 * zero, and to `*count` how many there are (of text without the zero); a failure where they are more, of
 * another kind, or not there. Local. */
TAILRACE_EXPORT int tailrace_get_value_int(tailrace_session* session, const char* name, int64_t* values,
                                           size_t capacity, size_t* count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_get_value_real(tailrace_session* session, const char* name, double* values,
                                            size_t capacity, size_t* count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_get_value_string(tailrace_session* session, const char* name, char* text,
                                              size_t capacity, size_t* count, tailrace_error* error);

/* 1 where a checkpoint is due at this step: by `checkpoint.every`, after tailrace_request_checkpoint, or,
 * with `checkpoint.on_signal`, because SIGTERM or SIGINT came. The fields of `checkpoint.fields` are wanted
 * then: put them, and call tailrace_checkpoint. 0 where none is, or once it was made; -1 on failure. The same
 * on all ranks; collective over the component where signals count and none is due otherwise. A field that was
 * put at this step already is not copied again, so all may be put that belong to it. */
TAILRACE_EXPORT int tailrace_checkpoint_due(tailrace_session* session, tailrace_error* error);
/* Makes one due at this step. Local; to be called on all ranks at the same step. */
TAILRACE_EXPORT int tailrace_request_checkpoint(tailrace_session* session, tailrace_error* error);
/* The checkpoint of this step holds what was put until now, and the servers' state; nothing more may be put
 * at this step. On all ranks at the same step. Does not wait: the servers write it meanwhile; in mode inline
 * it waits for the other ranks. */
TAILRACE_EXPORT int tailrace_checkpoint(tailrace_session* session, tailrace_error* error);
/* Belongs to all checkpoints from now on. The value of the component's first rank counts. Local. */
TAILRACE_EXPORT int tailrace_put_value_int(tailrace_session* session, const char* name, const int64_t* values,
                                           size_t count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_put_value_real(tailrace_session* session, const char* name, const double* values,
                                            size_t count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_put_value_string(tailrace_session* session, const char* name, const char* text,
                                              tailrace_error* error);

/* With `servers.on_server_loss: continue`: which server was lost, from which step on nothing is written, and
 * how far each file is whole. Empty while there is output. Local: the ranks hear of a loss one after the
 * other. May be asked after tailrace_finish too; the text is the session's. */
TAILRACE_EXPORT const char* tailrace_output_lost(const tailrace_session* session);
/* Collective over the component, with the same answer on all ranks: 1 if SIGTERM or SIGINT came to the
 * servers (or, with `signals: all`, to a model rank), 0 if not, -1 on failure. The model then has `grace` to
 * finish. */
TAILRACE_EXPORT int tailrace_stop_requested(tailrace_session* session, tailrace_error* error);
/* Collective over the component. Blocks until everything is committed to disk; a failure on a server is
 * reported here at the latest. After it only tailrace_is_server, tailrace_is_off, tailrace_output_lost
 * and tailrace_free. A second call does nothing. */
TAILRACE_EXPORT int tailrace_finish(tailrace_session* session, tailrace_error* error);

/* A server rank in an MPMD launch: joins the tailrace_start of the models over the given communicator and
 * returns when the run is over. Collective with their start. */
TAILRACE_EXPORT int tailrace_serve_fortran(int communicator, const char* configuration,
                                           tailrace_error* error);
/* The same for a program that is only a server: it initialises and finalises MPI itself. */
TAILRACE_EXPORT int tailrace_serve_alone(const char* configuration, tailrace_error* error);

/* For a model that calls HDF5 or netCDF-4 itself in mode attached, where the library is not thread-safe:
 * between the two no thread of Tailrace calls HDF5. Around each such call of the model, with no call of
 * Tailrace in between; not to be nested. Waits for a write under way. */
TAILRACE_EXPORT void tailrace_hdf5_lock(void);
TAILRACE_EXPORT void tailrace_hdf5_unlock(void);

TAILRACE_EXPORT const char* tailrace_version(void);

#ifndef TAILRACE_NO_MPI
static inline tailrace_session* tailrace_start(MPI_Comm communicator, const char* configuration,
                                               const tailrace_start_options* options, tailrace_error* error) {
  return tailrace_start_fortran((int)MPI_Comm_c2f(communicator), configuration, options, error);
}
/* MPI_COMM_NULL on failure. */
static inline MPI_Comm tailrace_model_comm(const tailrace_session* session, tailrace_error* error) {
  const int communicator = tailrace_model_comm_fortran(session, error);
  return communicator == -1 ? MPI_COMM_NULL : MPI_Comm_f2c((MPI_Fint)communicator);
}
static inline int tailrace_serve(MPI_Comm communicator, const char* configuration, tailrace_error* error) {
  return tailrace_serve_fortran((int)MPI_Comm_c2f(communicator), configuration, error);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
