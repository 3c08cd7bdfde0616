#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "package.h"

/* netCDF-4 calls HDF5, and a server that is a thread of this process may do so at the same time. */
#define ALONE(call) (tailrace_hdf5_lock(), code = (call), tailrace_hdf5_unlock(), code)

static int failed(const struct dataset* dataset, const char* what, int code) {
  return package_fail(NETCDF_ERROR, "file \"%s\": \"%s\": %s", dataset->path, what, nc_strerror(code));
}

static struct dataset* find(int handle, int* status) {
  struct dataset* dataset = package_find(handle);
  *status = dataset == NULL || dataset->status != FOR_READ ? BAD_HANDLE : 0;
  return *status == 0 ? dataset : NULL;
}

/* The identifier of a variable with a dimension of time; its further extents, slowest first, and their
 * number. */
static int find_variable(const struct dataset* dataset, const char* name, int* variable, int* rank,
                         size_t extents[4]) {
  int code, dims[NC_MAX_VAR_DIMS];
  if (ALONE(nc_inq_varid(dataset->file, name, variable)) != 0) return VARIABLE_NOT_FOUND;
  if (ALONE(nc_inq_varndims(dataset->file, *variable, rank)) != 0) return failed(dataset, name, code);
  if (*rank < 1 || *rank > 4)
    return package_fail(NETCDF_ERROR, "file \"%s\": \"%s\" has %d dimensions; expected Time and up to three",
                        dataset->path, name, *rank);
  (void)ALONE(nc_inq_vardimid(dataset->file, *variable, dims));
  for (int d = 0; code == 0 && d < *rank; ++d)
    (void)ALONE(nc_inq_dimlen(dataset->file, dims[d], &extents[d]));
  *rank -= 1;
  return code != 0 ? failed(dataset, name, code) : 0;
}

static int read_dates(struct dataset* dataset) {
  int code, variable, rank;
  size_t extents[4];
  const int status = find_variable(dataset, "Times", &variable, &rank, extents);
  if (status != 0) return status == VARIABLE_NOT_FOUND ? 0 : status; /* a file without records */
  if (rank != 1 || extents[1] != 19)
    return package_fail(NETCDF_ERROR, "file \"%s\": expected dates of 19 characters in Times", dataset->path);
  dataset->date_count = extents[0];
  dataset->dates = package_memory(NULL, dataset->date_count * sizeof *dataset->dates);
  for (size_t i = 0; i < dataset->date_count; ++i) {
    const size_t start[] = {i, 0}, count[] = {1, 19};
    dataset->dates[i][19] = '\0';
    if (ALONE(nc_get_vara_text(dataset->file, variable, start, count, dataset->dates[i])) != 0)
      return failed(dataset, "Times", code);
  }
  return 0;
}

/* Each rank opens the file by itself. */
void EXT(open_for_read_begin)(const char* path, const int* communicator, const int* io_communicator,
                              const char* info, int* handle, int* status, size_t path_length,
                              size_t info_length) {
  int code, file;
  char name[4096], pairs[1024];
  (void)communicator, (void)io_communicator;
  package_text(name, sizeof name, path, path_length);
  package_text(pairs, sizeof pairs, info, info_length);
  *handle = 0;
  if (strstr(pairs, "DATASET=BOUNDARY") != NULL)
    *status = package_fail(NOT_SUPPORTED, "file \"%s\": read it with io_form_boundary = 2", name);
  else if (ALONE(nc_open(name, NC_NOWRITE, &file)) != 0)
    *status = package_fail(FILE_NOT_FOUND, "file \"%s\": %s", name, nc_strerror(code));
  else {
    *handle = package_new(name, FOR_READ);
    package_find(*handle)->file = file;
    *status = read_dates(package_find(*handle));
  }
}

void EXT(open_for_read_commit)(const int* handle, int* status) { find(*handle, status); }

void EXT(open_for_read)(const char* path, const int* communicator, const int* io_communicator,
                        const char* info, int* handle, int* status, size_t path_length, size_t info_length) {
  EXT(open_for_read_begin)
  (path, communicator, io_communicator, info, handle, status, path_length, info_length);
}

void package_close_read(struct dataset* dataset) {
  int code;
  if (ALONE(nc_close(dataset->file)) != 0) failed(dataset, "", code);
}

static int read_text(const struct dataset* dataset, int variable, const char* name, size_t size, char* data,
                     size_t length) {
  int code;
  char* text = package_memory(NULL, size + 1);
  text[size] = '\0';
  if (ALONE(nc_get_att_text(dataset->file, variable, name, text)) == 0) package_fill(data, length, text);
  free(text);
  if (code != 0) return failed(dataset, name, code);
  return size > length ? TEXT_TOO_LONG : 0;
}

int package_read_attribute(const struct dataset* dataset, const char* variable, const char* name, int type,
                           void* data, int count, int* out_count) {
  int code, number = NC_GLOBAL;
  nc_type stored;
  size_t size;
  *out_count = 0;
  if (variable[0] != '\0' && ALONE(nc_inq_varid(dataset->file, variable, &number)) != 0)
    return VARIABLE_NOT_FOUND;
  if (ALONE(nc_inq_att(dataset->file, number, name, &stored, &size)) != 0) return METADATA_NOT_FOUND;
  const int is_real = type == REAL || type == DOUBLE;
  if (is_real ? stored != NC_FLOAT && stored != NC_DOUBLE : stored != (type == TEXT ? NC_CHAR : NC_INT))
    return TYPE_MISMATCH;
  if (type == TEXT) return read_text(dataset, number, name, size, data, (size_t)count);
  double* values = package_memory(NULL, size * sizeof *values);
  if (ALONE(nc_get_att_double(dataset->file, number, name, values)) == 0)
    *out_count = size < (size_t)count ? (int)size : count;
  for (int i = 0; i < *out_count; ++i) {
    if (type == REAL) ((float*)data)[i] = (float)values[i];
    if (type == DOUBLE) ((double*)data)[i] = values[i];
    if (!is_real) ((int*)data)[i] = (int)values[i];
  }
  free(values);
  if (code != 0) return failed(dataset, name, code);
  return size > (size_t)count ? MORE_DATA_IN_FILE : 0;
}

/* The number of a date, from 1; 0: the file does not have it. */
static size_t date_number(const struct dataset* dataset, const char* date, size_t length) {
  for (size_t i = 0; i < dataset->date_count; ++i)
    if (length >= 19 && memcmp(dataset->dates[i], date, 19) == 0) return i + 1;
  return 0;
}

void EXT(set_time)(const int* handle, const char* date, int* status, size_t length) {
  struct dataset* dataset = find(*handle, status);
  const size_t number = dataset != NULL ? date_number(dataset, date, length) : 0;
  if (dataset != NULL && number == 0) *status = TIME_NOT_FOUND;
  if (number > 0) dataset->date_index = number;
}

static void move(int handle, int by, char* date, int* status, size_t length) {
  struct dataset* dataset = find(handle, status);
  if (dataset == NULL) return;
  const int64_t index = (int64_t)dataset->date_index + by;
  if (index > (int64_t)dataset->date_count) *status = NO_MORE_TIMES;
  if (index < 1) *status = TIME_NOT_FOUND;
  if (*status != 0) return;
  dataset->date_index = (size_t)index;
  package_fill(date, length, dataset->dates[index - 1]);
}

void EXT(get_next_time)(const int* handle, char* date, int* status, size_t length) {
  move(*handle, 1, date, status, length);
}

void EXT(get_previous_time)(const int* handle, char* date, int* status, size_t length) {
  move(*handle, -1, date, status, length);
}

/* As WRF calls it, without the type. */
void EXT(get_var_info)(const int* handle, const char* name, int* rank, char* order, const char* stagger,
                       int* start, int* end, int* status, size_t name_length, size_t order_length,
                       size_t stagger_length) {
  int variable, ignored;
  size_t extents[4];
  char of[sizeof((struct variable*)NULL)->name];
  (void)stagger, (void)stagger_length;
  const struct dataset* dataset = find(*handle, status);
  package_text(of, sizeof of, name, name_length);
  if (*status == 0) *status = find_variable(dataset, of, &variable, rank, extents);
  if (*status != 0) return;
  for (int d = 0; d < *rank; ++d) {
    start[d] = 1;
    end[d] = (int)extents[*rank - d];
  }
  *status = package_read_attribute(dataset, of, "MemoryOrder", TEXT, order, (int)order_length, &ignored);
}

static int read(const struct dataset* dataset, int variable, int type, const size_t* start,
                const size_t* count, const ptrdiff_t* map, void* field) {
  int code;
  if (type == REAL) return ALONE(nc_get_varm_float(dataset->file, variable, start, count, NULL, map, field));
  if (type == DOUBLE)
    return ALONE(nc_get_varm_double(dataset->file, variable, start, count, NULL, map, field));
  return ALONE(nc_get_varm_int(dataset->file, variable, start, count, NULL, map, field));
}

void EXT(read_field)(FIELD_ARGUMENTS(void)) {
  UNUSED_FIELD_ARGUMENTS;
  const struct dataset* dataset = find(*handle, status);
  const struct bounds bounds = {domain_start, domain_end, memory_start, memory_end, patch_start, patch_end};
  struct variable made = {.type = *type};
  int variable, rank;
  size_t extents[4], start[4] = {0}, count[4] = {1};
  ptrdiff_t map[4] = {1, 1, 1, 1};
  int64_t strides[3] = {1, 1, 1};
  package_text(made.name, sizeof made.name, name, name_length);
  if (*status == 0) *status = package_order(&made, order, order_length);
  if (*status == 0) *status = find_variable(dataset, made.name, &variable, &rank, extents);
  if (*status != 0) return;
  start[0] = date_number(dataset, date, date_length) - 1;
  if (rank != made.rank)
    *status = package_fail(NETCDF_ERROR, "file \"%s\": \"%s\" has %d dimensions besides Time; expected %d",
                           dataset->path, made.name, rank, made.rank);
  else if (start[0] >= extents[0])
    *status = TIME_NOT_FOUND;
  const size_t first = package_strides(&made, &bounds, strides);
  for (int d = 0; *status == 0 && d < rank; ++d) {
    const int m = made.memory[d], cells = patch_end[m] - patch_start[m] + 1;
    if (cells <= 0) return; /* nothing of it is here */
    start[d + 1] = (size_t)(patch_start[m] - 1);
    count[d + 1] = (size_t)cells;
    map[d + 1] = strides[d];
    if (start[d + 1] + count[d + 1] > extents[d + 1])
      *status = package_fail(READ_PAST_END, "file \"%s\": \"%s\" has %zu cells; expected %zu", dataset->path,
                             made.name, extents[d + 1], start[d + 1] + count[d + 1]);
  }
  if (*status != 0) return;
  const int code =
      read(dataset, variable, *type, start, count, map, (char*)field + first * (*type == DOUBLE ? 8 : 4));
  if (code != 0) *status = failed(dataset, made.name, code);
}
