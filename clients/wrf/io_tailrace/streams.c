#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "package.h"

static tailrace_session* session = NULL;
static struct stream** streams = NULL; /* in the order in which they were opened */
static size_t stream_count = 0;
static tailrace_error error = TAILRACE_NO_ERROR;

/* The configuration of a stream, which users may change: each frame has all its fields, in files that WRF
 * names. */
static const char text_of_stream[] =
    "tailrace: 1\n"
    "model_time: {start: \"%.10s %.8s\", calendar: proleptic_gregorian}\n"
    "fields: {all: {every: 1 step, names: [\"*\"]}}\n"
    "output: {\"{file}\": {layout: wrf, variables: [{fields: \"*\", every: 1 step}]}}\n";

/* A failure of Tailrace's is the same on all ranks, or one that WRF would not look at: it ends the run. */
static int failed(const char* what, const char* name) {
  return package_fail(FATAL, "%s \"%s\": %s", what, name, error.message != NULL ? error.message : "");
}

/* The hook behind MPI_Init: splits the servers off, if the environment has TAILRACE_CONFIG, the path of a
 * configuration. Does not return on a server. */
void EXT(split)(MPI_Fint* communicator) {
  const MPI_Comm all = MPI_Comm_f2c(*communicator);
  const char* given = getenv("TAILRACE_CONFIG");
  char path[4096] = "";
  int rank;
  MPI_Comm_rank(all, &rank);
  if (rank == 0 && given != NULL) snprintf(path, sizeof path, "%s", given);
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, all);
  if (path[0] == '\0') return;
  const tailrace_start_options options = {.component = "wrf"};
  session = tailrace_start(all, path, &options, &error);
  if (session != NULL && tailrace_is_server(session)) {
    tailrace_free(session);
    MPI_Finalize();
    exit(0);
  }
  /* It declares nothing by itself, since all fields belong to streams. */
  if (session == NULL || tailrace_ready(session, &error) != 0) {
    if (rank == 0) fprintf(stderr, "io_tailrace: TAILRACE_CONFIG \"%s\": %s\n", path, error.message);
    MPI_Abort(all, 1);
  }
  *communicator = tailrace_model_comm_fortran(session, &error);
}

int package_is_started(void) { return session != NULL; }

static int type_of(int type) {
  if (type == REAL) return TAILRACE_FLOAT32;
  return type == DOUBLE ? TAILRACE_FLOAT64 : TAILRACE_INT32;
}

static void give_attributes(struct stream* stream, const char* field, const struct attributes* attributes) {
  for (size_t i = 0; i < attributes->count; ++i) {
    const struct attribute* one = &attributes->all[i];
    tailrace_attribute given = {.name = one->name, .value = one->data};
    if (one->type != TEXT)
      given = (tailrace_attribute){one->name, NULL, one->data, one->count, type_of(one->type)};
    if (tailrace_set_attribute(stream->session, field, &given, &error) != 0) failed("attribute", one->name);
  }
}

/* Patches differ by memory order and staggering alone, and the names of dimensions tell the staggering. */
static void name_grid(const struct variable* variable, char name[300]) {
  int used = snprintf(name, 300, "%s", variable->order);
  for (int d = 0; d < variable->rank; ++d)
    used += snprintf(name + used, 300 - (size_t)used, "_%s", variable->dims[d]);
}

static void declare(struct stream* stream, size_t number) {
  struct variable* variable = &stream->variables[number];
  char grid[300], other[300];
  name_grid(variable, grid);
  int is_new = variable->rank > 0;
  for (size_t i = 0; is_new && i < number; ++i) {
    name_grid(&stream->variables[i], other);
    is_new = strcmp(grid, other) != 0;
  }
  if (is_new) {
    const char* dims[] = {variable->dims[0], variable->dims[1], variable->dims[2]};
    const int is_whole = strpbrk(variable->order, "XY") == NULL; /* all ranks have all of it */
    const tailrace_grid_spec spec = {.name = grid,
                                     .rank = variable->rank,
                                     .dims = dims,
                                     .shape = variable->shape,
                                     .offset = is_whole ? NULL : variable->offset,
                                     .count = is_whole ? NULL : variable->count};
    if (tailrace_grid(stream->session, &spec, &error) != 0) failed("variable", variable->name);
  }
  const tailrace_field_spec spec = {
      .name = variable->name, .grid = variable->rank > 0 ? grid : NULL, .type = type_of(variable->type)};
  variable->field = tailrace_field(stream->session, &spec, &error);
  if (variable->field < 0) failed("variable", variable->name);
  give_attributes(stream, variable->name, &variable->attributes);
}

static void open_stream(struct stream* stream, struct dataset* dataset) {
  package_text(stream->start, sizeof stream->start, dataset->date, sizeof dataset->date);
  for (size_t i = 0; i < dataset->attributes.count; ++i) {
    const struct attribute* one = &dataset->attributes.all[i];
    if (strcmp(one->name, "SIMULATION_START_DATE") == 0 && one->type == TEXT)
      package_text(stream->start, sizeof stream->start, one->data, one->count);
  }
  double time = 0.0;
  if (package_seconds(stream->start, dataset->date, &time) != 0)
    package_fail(FATAL, "file \"%s\": expected dates as 2000-01-24_12:00:00, not \"%s\" and \"%s\"",
                 dataset->path, stream->start, dataset->date);
  char text[sizeof text_of_stream + 20];
  snprintf(text, sizeof text, text_of_stream, stream->start, stream->start + 11);
  const tailrace_start_options options = {.initial_time = time, .text = text};
  stream->session =
      tailrace_open_output_fortran(session, dataset->communicator, stream->name, &options, &error);
  if (stream->session == NULL) failed("stream", stream->name);
  stream->variables = dataset->variables;
  stream->count = dataset->count;
  dataset->variables = NULL;
  dataset->count = 0;
  for (size_t i = 0; i < stream->count; ++i) declare(stream, i);
  give_attributes(stream, NULL, &dataset->attributes);
  if (tailrace_ready(stream->session, &error) != 0) failed("stream", stream->name);
}

static int is_same(const struct variable* one, const struct variable* other) {
  int same = strcmp(one->name, other->name) == 0 && one->type == other->type &&
             strcmp(one->order, other->order) == 0;
  for (int d = 0; same && d < one->rank; ++d)
    same = strcmp(one->dims[d], other->dims[d]) == 0 && one->shape[d] == other->shape[d] &&
           one->offset[d] == other->offset[d] && one->count[d] == other->count[d];
  return same;
}

static void check_variables(const struct stream* stream, const struct dataset* dataset) {
  size_t i = 0;
  while (i < dataset->count && i < stream->count && is_same(&stream->variables[i], &dataset->variables[i]))
    ++i;
  if (i == dataset->count && i == stream->count) return;
  package_fail(
      FATAL,
      "file \"%s\": \"%s\" is not as in the first file of stream \"%s\", whose files all have the same "
      "variables, with the same patches",
      dataset->path, i < dataset->count ? dataset->variables[i].name : stream->variables[i].name,
      stream->name);
}

int package_open_file(struct dataset* dataset) {
  struct stream* stream = NULL;
  for (size_t i = 0; i < stream_count; ++i)
    if (strcmp(streams[i]->name, dataset->name) == 0) stream = streams[i];
  if (stream == NULL) {
    stream = package_memory(NULL, sizeof *stream);
    *stream = (struct stream){.is_open = 0};
    package_text(stream->name, sizeof stream->name, dataset->name, sizeof dataset->name);
    open_stream(stream, dataset);
    streams = package_memory(streams, (stream_count + 1) * sizeof *streams);
    streams[stream_count++] = stream;
  } else {
    if (stream->is_open)
      return package_fail(FATAL, "file \"%s\": stream \"%s\" has a file that was not closed", dataset->path,
                          stream->name);
    check_variables(stream, dataset);
    give_attributes(stream, NULL, &dataset->attributes);
  }
  if (tailrace_open_file(stream->session, dataset->path, &error) != 0) return failed("file", dataset->path);
  stream->is_open = 1;
  dataset->stream = stream;
  return 0;
}

int package_step(const struct dataset* dataset) {
  struct stream* stream = dataset->stream;
  double time;
  if (package_seconds(stream->start, dataset->date, &time) != 0)
    return package_fail(FATAL, "file \"%s\": expected a date as 2000-01-24_12:00:00, not \"%s\"",
                        dataset->path, dataset->date);
  return tailrace_step(stream->session, ++stream->step, time, &error) != 0 ? failed("file", dataset->path)
                                                                           : 0;
}

int package_put(const struct dataset* dataset, const struct variable* variable, const void* data,
                const int64_t* strides) {
  if (tailrace_put_strided(dataset->stream->session, variable->field, data, type_of(variable->type),
                           variable->rank, variable->count, strides, &error) != 0)
    return failed("variable", variable->name);
  return 0;
}

int package_close_file(struct dataset* dataset) {
  dataset->stream->is_open = 0;
  return tailrace_close_file(dataset->stream->session, &error) != 0 ? failed("file", dataset->path) : 0;
}

/* Waits until everything is on the disk. */
void EXT(ioexit)(int* status) {
  *status = 0;
  for (size_t i = 0; i < stream_count; ++i) {
    if (tailrace_finish(streams[i]->session, &error) != 0) *status = failed("stream", streams[i]->name);
    tailrace_free(streams[i]->session);
  }
  stream_count = 0;
  if (session != NULL && tailrace_finish(session, &error) != 0) *status = failed("component", "wrf");
  tailrace_free(session);
  session = NULL;
}
