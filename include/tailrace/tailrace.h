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
 *   returns 0 or a tailrace_error_code. On failure a function that returns a handle, a count or yes/no
 *   returns -1, and one that returns a pointer returns NULL. Every such call first clears `*error`, so it
 *   must be initialised, and on failure fills it with code and message. The message is valid until the next
 *   call with the same `error`. Call tailrace_error_clear after the last one.
 * - Every function fails with TAILRACE_USAGE if an argument is wrong, or if it is called at the wrong time or
 *   on a server rank. Comments name the other kinds of failure.
 * - A failure on a server is reported by the next call of the model that puts, steps, checkpoints or
 *   finishes, with the code of that failure: TAILRACE_RESOURCE, TAILRACE_LOST or TAILRACE_INTERNAL.
 * - A function is local and does not wait for other ranks or for a disk, unless its comment states it. In
 *   mode inline the calls of the time loop also do the servers' work.
 * - A session is used from one thread at a time; different sessions from different threads at once.
 * - Strings and arrays that are passed in are copied before the call returns and remain owned by the caller.
 * - Dimensions and indices: slowest first (C order), counted from 0. Optional members of a spec are NULL or
 *   0, as a designated initialiser leaves them.
 * - Communicators: the functions whose names end in _fortran take the Fortran handle (MPI_Comm_c2f); the
 *   inline functions of the same name without it take an MPI_Comm. Define TAILRACE_NO_MPI to omit those and
 *   mpi.h.
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

/* The connection of one model component to the servers; on a server rank, only what it was. */
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

enum { TAILRACE_MAX_RANK = 5 }; /* of the arrays that are put, acquired or got */

typedef struct tailrace_error {
  int code;
  char* message; /* owned by the library; NULL when code is 0, or when there was no memory for it */
} tailrace_error;
/* clang-format off */
#define TAILRACE_NO_ERROR {0, NULL}
/* clang-format on */
/* Frees the message and sets the code to 0. NULL is allowed. */
TAILRACE_EXPORT void tailrace_error_clear(tailrace_error* error);

typedef struct tailrace_start_options {
  const char* component; /* NULL: "model" */
  /* The model's time in seconds, and its step, before the first step. In a run that restarts from a
   * checkpoint, the checkpoint's replace them. */
  double initial_time;
  int64_t initial_step;
  /* A configuration in YAML that the model gives beside the user's file, such as the files that it would
   * write by itself; read on the first rank of the component; NULL: none. The user has the last word: what
   * the file gives replaces what the text gives, option by option (lists as a whole), and a key without a
   * value in the file leaves out that of the text. With an empty path the text is the whole configuration. */
  const char* text;
} tailrace_start_options;

typedef struct tailrace_grid_spec {
  const char* name;
  int rank;
  const char* const* dims; /* `rank` names */
  const int64_t* shape;    /* `rank` global extents */
  /* A block: `rank` elements each, the global indices of its first cell and its extents. Both NULL: every
   * rank holds the whole grid (replicated), and the files take the values of the first rank. */
  const int64_t* offset;
  const int64_t* count;
  /* An indexed grid: the `index_count` global indices of this rank's cells along the dimension of that name,
   * without offset and count. */
  const char* indexed_dim;
  const int64_t* indices;
  size_t index_count;
  int partial; /* not 0: every rank holds a contribution to the sum, of the full shape */
} tailrace_grid_spec;

/* A grid of the cells of HEALPix (Gorski et al. 2005), with their numbers as its coordinate and with the grid
 * mapping of CF 1.13. */
typedef struct tailrace_healpix_grid_spec {
  const char* name;
  int level;         /* 12 * 4^level cells */
  const char* order; /* how cells are numbered: "nested" or "ring"; NULL: "nested" */
  /* `rank` further dimensions in front of that of the cells, such as levels, and their extents. Every rank
   * holds them whole. */
  int rank;
  const char* const* dims;
  const int64_t* shape;
  /* This rank's cells: `count` of them from number `first` on, or the `cell_count` numbers in `cells`, in any
   * order. The numbers are those of HEALPix, which begin at 0 in all languages. */
  int64_t first;
  int64_t count;
  const int64_t* cells;
  size_t cell_count;
  const char* cell_dim; /* NULL: "cell" */
} tailrace_healpix_grid_spec;

/* The text `value`; or `count` numbers of the tailrace_type `type`, which keep their type in the file. Only
 * attributes that readers compare with the values of a variable (valid_range, valid_min, valid_max,
 * flag_values, flag_masks, actual_range, missing_value) take the variable's type. */
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
  const char* const* dims; /* `rank` names */
  const char* units;       /* UDUNITS, such as "degrees_north" */
  const char* standard_name;
  const char* long_name;
  const tailrace_attribute* attributes;
  size_t attribute_count;
  int scalar; /* not 0: no dims, one value for all cells of the grid */
  /* The bounds of the cells, in the units of the values: `vertices` numbers for each value, with the vertices
   * fastest; 2 for a coordinate along its own dimension. They cover what the values cover, all cells or this
   * rank's. A rank without cells sets `vertices` too. */
  const double* bounds;
  size_t vertices;
  /* Not 0, in place of `bounds`: halfway between the values, which must be evenly spaced along their
   * dimension. */
  int computed_bounds;
  const char* measure; /* "area" or "volume": the values are the sizes of the cells (CF's cell_measures) */
} tailrace_coordinate_spec;

/* How the coordinates of a grid lie on the Earth (CF 5.6 and appendix F). */
typedef struct tailrace_grid_mapping_spec {
  const char* grid_mapping_name; /* "rotated_latitude_longitude" */
  const char* name;              /* the name of its variable; NULL: "crs" */
  const tailrace_attribute* attributes;
  size_t attribute_count;
} tailrace_grid_mapping_spec;

/* Faces of an unstructured grid (UGRID 1.0). Clockwise faces are reversed. `face_nodes` has a row of
 * `nodes_per_face` node numbers (global, from 0, padded with -1) for each of the `face_count` local cells.
 * Either every rank supplies all nodes, and the same ones; or each supplies the nodes of its own cells, their
 * numbers in `node_indices`, and the number of nodes in the whole mesh. A node that several ranks supply must
 * be the same to the last bit, and at least one rank must supply each node. */
typedef struct tailrace_mesh_spec {
  const char* name;     /* NULL: "mesh" */
  const double* node_x; /* node_count numbers: degrees east, or in node_units */
  const double* node_y; /* node_count numbers: degrees north, or in node_units */
  size_t node_count;
  int64_t nodes_per_face;
  const int32_t* face_nodes;
  size_t face_count;
  int64_t global_nodes;        /* 0: node_x and node_y have all nodes */
  const int64_t* node_indices; /* node_count global numbers, from 0, of the nodes in node_x and node_y */
  const char* node_units;      /* a unit of length, such as "m", for a plane; NULL: degrees */
} tailrace_mesh_spec;

/* A grid whose cells are edges or nodes of a mesh. */
typedef struct tailrace_mesh_location_spec {
  const char* mesh;          /* NULL: "mesh" */
  const char* location;      /* "edge" or "node" */
  const int32_t* edge_nodes; /* for each of edge_count local edges two global node numbers, from 0 */
  size_t edge_count;
} tailrace_mesh_location_spec;

typedef struct tailrace_field_spec {
  /* A name without a namespace declares every `NAMESPACE.name` that the configuration lists and the model
   * does not declare itself: tailrace_wants is 1 if any of them is wanted, and a put serves each that is. */
  const char* name;
  const char* grid;  /* NULL: a scalar */
  int type;          /* a tailrace_type; 0 is TAILRACE_FLOAT32 */
  const char* units; /* UDUNITS, such as "m s-1" */
  const char* standard_name;
  const char* long_name;
  const tailrace_attribute* attributes;
  size_t attribute_count;
  /* The number that marks a missing value in the arrays, and in the files as _FillValue; NAN: any NaN.
   * Reductions over time then use, cell by cell, only the values that are present. NULL: every value counts.
   * For int64 it is exact up to 2^53; -2^63 is INT64_MIN, and no double is netCDF's default, NC_FILL_INT64.
   */
  const double* fill_value;
} tailrace_field_spec;

/* A field that the model gets from files, which the servers read ahead of it. */
typedef struct tailrace_input_spec {
  const char* name;  /* that of an entry of `input.NAME.fields` in the configuration */
  const char* grid;  /* NULL: a scalar */
  int type;          /* a tailrace_type; 0 is TAILRACE_FLOAT32 */
  const char* units; /* UDUNITS, such as "degC": tailrace_get gives the values in these units */
  int optional;      /* not 0: the configuration need not provide it; ask tailrace_available then */
  /* The number that tailrace_get writes where the files have no value, if the configuration has
   * `missing: keep`; NULL: NaN for real numbers. */
  const double* fill_value;
} tailrace_input_spec;

/* Splits the communicator, which it duplicates, into model and server ranks. `configuration` is the path of a
 * YAML file, read on the first rank of the component. `options` may be NULL. On a rank that becomes a server
 * it returns when the run is over; tailrace_is_server then returns 1. Collective over the communicator;
 * blocks. The caller owns the session and frees it with tailrace_free. TAILRACE_CONFIGURATION on all ranks if
 * the configuration is not valid. */
TAILRACE_EXPORT tailrace_session* tailrace_start_fortran(int communicator, const char* configuration,
                                                         const tailrace_start_options* options,
                                                         tailrace_error* error);
/* Opens an output stream (below: a stream): a further session with its own declarations, files, steps and
 * times, on the same servers. Its ranks are those of `communicator`, some or all of the model ranks of
 * `session`. At any time between tailrace_start and tailrace_finish of `session`, also between its steps, and
 * also if tailrace_ready of `session` comes later or never. The result takes all calls of a session except
 * those of checkpoints and inputs, and tailrace_open_file, tailrace_close_file and tailrace_written.
 * `options` may be NULL; `options->component` is not used. Its files are those of `options->text`, read on
 * the first rank of the communicator, and of `streams: NAME:` in the user's file, which has the last word as
 * in tailrace_start. In their names `{stream}` is `name`. The calls of a session and its streams are made
 * from one thread at a time, and in the same order on all ranks that two streams share.
 * Collective over `communicator`, which it duplicates; blocks until all its ranks have called. The caller
 * frees the stream with tailrace_free, before or after `session`. tailrace_finish of `session` finishes the
 * streams that are still open. In mode inline the communicator must have all model ranks.
 * TAILRACE_USAGE if a stream of that name is open on one of the ranks; TAILRACE_CONFIGURATION. */
TAILRACE_EXPORT tailrace_session* tailrace_open_output_fortran(tailrace_session* session, int communicator,
                                                               const char* name,
                                                               const tailrace_start_options* options,
                                                               tailrace_error* error);
/* Frees the session; NULL is allowed. If tailrace_finish was not called before, the servers learn that this
 * rank left and keep what was committed. */
TAILRACE_EXPORT void tailrace_free(tailrace_session* session);

/* 1 on a rank that was a server, which then only frees the session; otherwise 0. Cannot fail. */
TAILRACE_EXPORT int tailrace_is_server(const tailrace_session* session);
/* 1 in mode off, where every call returns at once; otherwise 0. Cannot fail. */
TAILRACE_EXPORT int tailrace_is_off(const tailrace_session* session);
/* The Fortran handle of a communicator of the model ranks of this component, or -1. It stays valid until
 * MPI_Finalize, also after tailrace_finish and tailrace_free, and errors on it are handled as on the
 * communicator that tailrace_start was given. Also after tailrace_finish. */
TAILRACE_EXPORT int tailrace_model_comm_fortran(const tailrace_session* session, tailrace_error* error);

/* 1 if the run restarts from a checkpoint (`checkpoint.restart`), with the checkpoint's step and time
 * (seconds): the model's next step comes after them. 0 if the run starts from the beginning; `*step` and
 * `*time` then keep their values. -1 on failure. `step` and `time` may be NULL. From tailrace_start on. A
 * model must ask: where there is a checkpoint and nobody asked, tailrace_ready fails. */
TAILRACE_EXPORT int tailrace_restarting(tailrace_session* session, int64_t* step, double* time,
                                        tailrace_error* error);

/* The names that the configuration lists under `fields`, with their namespaces, for a model that can supply
 * more fields than it would declare. Before tailrace_ready. Options that occur in the names must be set
 * before. Returns the number of names, or -1. Sets `*names` to an array that the session owns and that is
 * valid until the next such call. */
TAILRACE_EXPORT int tailrace_wanted_names(tailrace_session* session, const char* const** names,
                                          tailrace_error* error);
/* Declarations, before tailrace_ready. Names, shapes and types must agree on all ranks of the component;
 * tailrace_ready compares them. */

/* Sets the value of `{name}` in the configuration. */
TAILRACE_EXPORT int tailrace_option_string(tailrace_session* session, const char* name, const char* value,
                                           tailrace_error* error);
TAILRACE_EXPORT int tailrace_option_int(tailrace_session* session, const char* name, int64_t value,
                                        tailrace_error* error);
TAILRACE_EXPORT int tailrace_option_real(tailrace_session* session, const char* name, double value,
                                         tailrace_error* error);
/* Declares a grid and the part of it that this rank holds. */
TAILRACE_EXPORT int tailrace_grid(tailrace_session* session, const tailrace_grid_spec* spec,
                                  tailrace_error* error);
/* Declares a further block of this rank on a grid with offset and count (`rank` elements each), before the
 * grid's coordinates and fields. The ranks may have different numbers of blocks. Where this rank has several,
 * its part of a field or coordinate has the values of all its blocks, one block after the other in the order
 * of their declaration; tailrace_put_block takes them one by one. */
TAILRACE_EXPORT int tailrace_add_block(tailrace_session* session, const char* grid, int rank,
                                       const int64_t* offset, const int64_t* count, tailrace_error* error);
/* The `count` dense values of a coordinate (C order), in spec->units. Along dims that are not decomposed: all
 * of them. Along decomposed dims: all, or this rank's part, which `count` distinguishes. `grid` of a scalar
 * coordinate may be the name of a field: the coordinate, such as a height of 2 m, then belongs to this field
 * alone. */
TAILRACE_EXPORT int tailrace_coordinate(tailrace_session* session, const char* grid,
                                        const tailrace_coordinate_spec* spec, const double* values,
                                        size_t count, tailrace_error* error);
/* Declares a grid of HEALPix cells, and the cells that this rank holds: in one call what tailrace_grid,
 * tailrace_coordinate and tailrace_grid_mapping do. */
TAILRACE_EXPORT int tailrace_healpix_grid(tailrace_session* session, const tailrace_healpix_grid_spec* spec,
                                          tailrace_error* error);
/* Makes the cells of a grid of one dimension the faces of a mesh. */
TAILRACE_EXPORT int tailrace_mesh(tailrace_session* session, const char* grid, const tailrace_mesh_spec* spec,
                                  tailrace_error* error);
/* Makes the cells of a grid the edges or nodes of a mesh that was declared with another grid. */
TAILRACE_EXPORT int tailrace_mesh_location(tailrace_session* session, const char* grid,
                                           const tailrace_mesh_location_spec* spec, tailrace_error* error);
/* States how the coordinates of a grid lie on the Earth. */
TAILRACE_EXPORT int tailrace_grid_mapping(tailrace_session* session, const char* grid,
                                          const tailrace_grid_mapping_spec* spec, tailrace_error* error);
/* Gives an attribute to a field that was declared before, or, where `field` is NULL or empty, to all files of
 * the component; a later value replaces an earlier one. In a file with `layout: wrf` a text is written
 * exactly as it is, with its blanks, and also if it is empty. `coordinates` of a field names fields that are
 * its coordinates. */
TAILRACE_EXPORT int tailrace_set_attribute(tailrace_session* session, const char* field,
                                           const tailrace_attribute* attribute, tailrace_error* error);
/* Declares a field. Returns its handle, which is valid for this session, or -1. */
TAILRACE_EXPORT int tailrace_field(tailrace_session* session, const tailrace_field_spec* spec,
                                   tailrace_error* error);
/* Declares a field that the model gets from files, by `input` in the configuration. Unless it is optional,
 * tailrace_ready fails if the configuration does not provide it. Returns its handle, for tailrace_get and
 * tailrace_available, or -1. */
TAILRACE_EXPORT int tailrace_input(tailrace_session* session, const tailrace_input_spec* spec,
                                   tailrace_error* error);
/* Ends the declarations, checks them against the configuration, and connects to the servers. Collective over
 * the component; blocks until the servers have created their files and opened those of the inputs. On failure
 * all ranks report the same error: TAILRACE_CONFIGURATION, TAILRACE_USAGE, TAILRACE_RESOURCE or
 * TAILRACE_LOST. */
TAILRACE_EXPORT int tailrace_ready(tailrace_session* session, tailrace_error* error);

/* Sets the model's step, which must increase, and its time in seconds, which must not decrease. The puts that
 * follow belong to them. Wakes the servers if needed. Blocks only when the buffer is full. */
TAILRACE_EXPORT int tailrace_step(tailrace_session* session, int64_t step, double time,
                                  tailrace_error* error);
/* For a stream of tailrace_open_output, after its tailrace_ready. The records of the steps that follow go to
 * files of which the model gives the name: in the configuration of the stream they are the entries of
 * `output` whose names contain `{file}`, which is replaced by `path`. They have the global attributes that
 * tailrace_set_attribute gave to the stream before this call. A file that is open is closed first, and a
 * file to which no step writes a record is not made. No file that exists is replaced, unless the user gives
 * the entry `if_exists: replace`, and none that the first rank has opened before: TAILRACE_RESOURCE.
 * Collective over the stream; blocks until all its ranks have called. */
TAILRACE_EXPORT int tailrace_open_file(tailrace_session* stream, const char* path, tailrace_error* error);
/* Ends the files of tailrace_open_file with the records of the steps until now. A stream that has such files
 * makes no step until the next one is open. Local; call it on all ranks of the stream at the same step. */
TAILRACE_EXPORT int tailrace_close_file(tailrace_session* stream, tailrace_error* error);
/* 1: all records that the steps of this stream up to `step` complete are in their files on the disk; 0: not
 * yet; -1: failure. A step for which `write_every` keeps a record back is not written until that record is.
 * Local; does not block. After the step; not after tailrace_finish, which returns when all is written. */
TAILRACE_EXPORT int tailrace_written(tailrace_session* stream, int64_t step, tailrace_error* error);
/* The handle of a declared field, or -1; the message then suggests the nearest name. */
TAILRACE_EXPORT int tailrace_handle(const tailrace_session* session, const char* name, tailrace_error* error);
/* 1: a file, a diagnostic, a checkpoint or an input needs the field at this step; 0: none does; -1: failure.
 * A fixed field (`every: once`) is wanted from tailrace_ready until it was put, so it may be put before the
 * first step. */
TAILRACE_EXPORT int tailrace_wants(const tailrace_session* session, int field, tailrace_error* error);
/* 1: nothing needs the field at this step, but a file writes the last put of the run (`also_at_end`); 0:
 * otherwise; -1: failure. tailrace_wants is 1 for such a field at each step. A model that puts it only at its
 * last step copies it once. */
TAILRACE_EXPORT int tailrace_wants_at_end(const tailrace_session* session, int field, tailrace_error* error);
/* Copies this rank's part of a field, `count` dense elements (C order) of the tailrace_type with which the
 * field was declared, in its units. Returns at once if the field is not wanted. Blocks only when the buffer
 * is full; with `when_full: fail` it fails then with TAILRACE_FULL. `data` may be reused when it returns. */
TAILRACE_EXPORT int tailrace_put(tailrace_session* session, int field, const void* data, int type,
                                 size_t count, tailrace_error* error);
/* The same for an array of rank 0 to TAILRACE_MAX_RANK with the `rank` extents of this part, or of rank 1
 * with all of its elements. Strides count elements, not bytes; NULL: dense. */
TAILRACE_EXPORT int tailrace_put_strided(tailrace_session* session, int field, const void* data, int type,
                                         int rank, const int64_t* shape, const int64_t* strides,
                                         tailrace_error* error);
/* Copies one block of this rank (tailrace_add_block; number 0 is that of tailrace_grid), as
 * tailrace_put_strided. The put of the field is complete when all its blocks have been put at this step, in
 * any order, also between those of other fields. Costs a second copy of the block if there are several. */
TAILRACE_EXPORT int tailrace_put_block(tailrace_session* session, int field, size_t block, const void* data,
                                       int type, int rank, const int64_t* shape, const int64_t* strides,
                                       tailrace_error* error);
/* 1 if a put would have nothing to do; this call then replaces it, so that a language binding need not
 * describe the array. 0: call the put, which also reports errors. */
TAILRACE_EXPORT int tailrace_put_unwanted(tailrace_session* session, int field);
/* Sets `*slot` to the memory that the servers read, `*bytes` long, into which the caller writes this rank's
 * part (dense, C order, the field's type), or to NULL if the field is not wanted; then no publish follows.
 * `bytes` may be NULL. One slot at a time: it ends with tailrace_publish and must not be used after it.
 * Blocks as a put. */
TAILRACE_EXPORT int tailrace_acquire(tailrace_session* session, int field, void** slot, size_t* bytes,
                                     tailrace_error* error);
/* Hands the contents of the slot of this field to the servers. */
TAILRACE_EXPORT int tailrace_publish(tailrace_session* session, int field, tailrace_error* error);
/* The part of a field on this rank: writes its extents and its tailrace_type (each may be NULL) and returns
 * its rank, or -1. */
TAILRACE_EXPORT int tailrace_local_shape(const tailrace_session* session, int field,
                                         int64_t shape[TAILRACE_MAX_RANK], int* type, tailrace_error* error);

/* 1: the configuration provides this input; 0: it does not provide this optional one; -1: failure. The same
 * during the whole run, and on all ranks. After tailrace_ready; in mode off it is 0. TAILRACE_USAGE for a
 * field that is no input. */
TAILRACE_EXPORT int tailrace_available(const tailrace_session* session, int input, tailrace_error* error);
/* Fills `data` with this rank's part of an input or of a field of the checkpoint: `count` dense elements (C
 * order) of its type. After tailrace_ready.
 * An input has its values at the time of the present step, before the first step at the time where the run
 * begins. It may be got at any step, several times or not at all. Local; it waits only if the servers have
 * not read the records of this time yet. TAILRACE_RESOURCE with the file, the variable and the record if they
 * cannot be read; TAILRACE_USAGE if the configuration does not provide it; TAILRACE_LOST once a server is
 * lost, also if the model goes on without output.
 * A field of the checkpoint is got if tailrace_restarting returned 1, under the decomposition of this run.
 * Local, but reads the disk. TAILRACE_USAGE if the checkpoint does not hold it; TAILRACE_RESOURCE if it
 * cannot be read. */
TAILRACE_EXPORT int tailrace_get(tailrace_session* session, int field, void* data, int type, size_t count,
                                 tailrace_error* error);
/* The same into an array of rank 0 to TAILRACE_MAX_RANK with `rank` extents. Strides count elements, not
 * bytes; NULL: dense. */
TAILRACE_EXPORT int tailrace_get_strided(tailrace_session* session, int field, void* data, int type, int rank,
                                         const int64_t* shape, const int64_t* strides, tailrace_error* error);
/* The value of that name in the checkpoint. Writes the numbers, or the text with its terminating zero, and
 * sets `*count`, which may be NULL, to their number (of text: without the zero). TAILRACE_USAGE if they are
 * more than `capacity` (`*count` is then set too), of another kind, or not in the checkpoint. After
 * tailrace_ready, if tailrace_restarting returned 1. Local, but reads the disk. */
TAILRACE_EXPORT int tailrace_get_value_int(tailrace_session* session, const char* name, int64_t* values,
                                           size_t capacity, size_t* count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_get_value_real(tailrace_session* session, const char* name, double* values,
                                            size_t capacity, size_t* count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_get_value_string(tailrace_session* session, const char* name, char* text,
                                              size_t capacity, size_t* count, tailrace_error* error);

/* 1 if a checkpoint is due at this step: by `checkpoint.every`, after tailrace_request_checkpoint, or, with
 * `checkpoint.on_signal`, after a signal; at the step where the run begins not by `every`. The fields of
 * `checkpoint.fields` are then wanted: put them, and call tailrace_checkpoint. 0 if none is due, or once it
 * was made; -1 on failure. The same answer on all ranks. Collective over the component if signals count and
 * no other reason makes one due; otherwise local. A field that was already put at this step is not copied
 * again, so the model may put all fields of the checkpoint.
 *
 */
TAILRACE_EXPORT int tailrace_checkpoint_due(tailrace_session* session, tailrace_error* error);
/* Makes a checkpoint due at this step. Local; call it on all ranks at the same step. */
TAILRACE_EXPORT int tailrace_request_checkpoint(tailrace_session* session, tailrace_error* error);
/* Makes the checkpoint of this step, of what was put until now and of the servers' state. Nothing more may be
 * put at this step. Call it on all ranks at the same step. It does not wait, since the servers write the
 * checkpoint while the model continues; in mode inline it waits for the other ranks. */
TAILRACE_EXPORT int tailrace_checkpoint(tailrace_session* session, tailrace_error* error);
/* Stores `count` numbers, or a text, under that name in all checkpoints from now on. The value of the
 * component's first rank counts. */
TAILRACE_EXPORT int tailrace_put_value_int(tailrace_session* session, const char* name, const int64_t* values,
                                           size_t count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_put_value_real(tailrace_session* session, const char* name, const double* values,
                                            size_t count, tailrace_error* error);
TAILRACE_EXPORT int tailrace_put_value_string(tailrace_session* session, const char* name, const char* text,
                                              tailrace_error* error);

/* With `servers.on_server_loss: continue`: the server that was lost, the step after which nothing is written,
 * and up to where each file is complete. Empty while there is output. Local: the ranks learn of a loss one
 * after the other. Also after tailrace_finish. The session owns the text. Cannot fail. */
TAILRACE_EXPORT const char* tailrace_output_lost(const tailrace_session* session);
/* 1 if SIGTERM, SIGINT or `servers.stop_signal` reached the servers (or, with `signals: all` or that signal,
 * a model rank), 0 if not, -1 on failure; the same answer on all ranks. The model then has `grace` to finish.
 * In a model that calls tailrace_checkpoint_due, where signals make checkpoints due, only after that was 1
 * because of the signal. Between tailrace_ready and tailrace_finish. Collective over the component; blocks
 * until all ranks ask. */
TAILRACE_EXPORT int tailrace_stop_requested(tailrace_session* session, tailrace_error* error);
/* Ends the run of this component. After a signal that ended the model it makes the checkpoint that is due; if
 * fields of it were not put, the files end all the same, and TAILRACE_USAGE has what is lost. Collective over
 * the component; blocks until everything is committed to disk. A failure on a server is reported here at the
 * latest. After it only tailrace_is_server, tailrace_is_off, tailrace_model_comm, tailrace_output_lost and
 * tailrace_free may be called. A second call does nothing. */
TAILRACE_EXPORT int tailrace_finish(tailrace_session* session, tailrace_error* error);

/* Runs a server rank in an MPMD launch: joins the tailrace_start of the models over the same communicator, of
 * which it is a collective part, and returns when the run is over. `configuration` is the path of a YAML
 * file. TAILRACE_CONFIGURATION if it is not valid. */
TAILRACE_EXPORT int tailrace_serve_fortran(int communicator, const char* configuration,
                                           tailrace_error* error);
/* The same for a program that is only a server: it initialises and finalises MPI itself. */
TAILRACE_EXPORT int tailrace_serve_alone(const char* configuration, tailrace_error* error);

/* For a model that calls HDF5 or netCDF-4 itself in mode attached, with a library that is not thread-safe:
 * between lock and unlock no thread of Tailrace calls HDF5. Place them around each such call of the model,
 * without a call of Tailrace between them, and do not nest them. The lock blocks until a write that is under
 * way ends. */
TAILRACE_EXPORT void tailrace_hdf5_lock(void);
TAILRACE_EXPORT void tailrace_hdf5_unlock(void);

/* "MAJOR.MINOR.PATCH"; the library owns the text. */
TAILRACE_EXPORT const char* tailrace_version(void);

#ifndef TAILRACE_NO_MPI
/* As the functions of the same names with _fortran, with communicators of C. */
static inline tailrace_session* tailrace_start(MPI_Comm communicator, const char* configuration,
                                               const tailrace_start_options* options, tailrace_error* error) {
  return tailrace_start_fortran((int)MPI_Comm_c2f(communicator), configuration, options, error);
}
/* MPI_COMM_NULL on failure. */
static inline MPI_Comm tailrace_model_comm(const tailrace_session* session, tailrace_error* error) {
  const int communicator = tailrace_model_comm_fortran(session, error);
  return communicator == -1 ? MPI_COMM_NULL : MPI_Comm_f2c((MPI_Fint)communicator);
}
static inline tailrace_session* tailrace_open_output(tailrace_session* session, MPI_Comm communicator,
                                                     const char* name, const tailrace_start_options* options,
                                                     tailrace_error* error) {
  return tailrace_open_output_fortran(session, (int)MPI_Comm_c2f(communicator), name, options, error);
}
static inline int tailrace_serve(MPI_Comm communicator, const char* configuration, tailrace_error* error) {
  return tailrace_serve_fortran((int)MPI_Comm_c2f(communicator), configuration, error);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
