/* WRF's I/O package "tailrace" (io_form 15). WRF calls the procedures `ext_tailrace_*` as in Fortran 77:
 * their names in lower case with an underscore behind them, all arguments by address, and behind these the
 * length of each text.
 *
 * writing.c   datasets that WRF writes: the training pass, the commit, frames
 * streams.c   the streams of Tailrace behind them, and the session
 * reading.c   netCDF files that WRF reads
 * metadata.c  attributes of files and variables
 * support.c   texts, dates, memory orders, failures
 *
 * Where a procedure of WRF's is collective (opening for writing, commit, frames, closing), so is this one,
 * over the ranks of the domain. Extents and bounds are WRF's: indices from 1, in the order of the memory,
 * fastest first. */
#ifndef TAILRACE_WRF_PACKAGE_H
#define TAILRACE_WRF_PACKAGE_H

#include <stddef.h>
#include <stdint.h>
#include <tailrace/tailrace.h>

#define EXT(name) ext_tailrace_##name##_

/* The arguments of write_field and read_field. The dimensions and bounds are arrays of as many elements as
 * the field has dimensions. */
#define FIELD_ARGUMENTS(field_type)                                                                    \
  const int *handle, const char *date, const char *name, field_type *field, const int *type,           \
      const int *communicator, const int *io_communicator, const int *description, const char *order,  \
      const char *stagger, const char *dims, const int *domain_start, const int *domain_end,           \
      const int *memory_start, const int *memory_end, const int *patch_start, const int *patch_end,    \
      int *status, size_t date_length, size_t name_length, size_t order_length, size_t stagger_length, \
      size_t dims_length
#define UNUSED_FIELD_ARGUMENTS                                                                       \
  (void)communicator, (void)io_communicator, (void)description, (void)stagger, (void)stagger_length, \
      (void)dims, (void)dims_length

/* Statuses of WRF's wrf_status_codes.h. */
enum {
  FILE_NOT_FOUND = -1,
  METADATA_NOT_FOUND = -2,
  TIME_NOT_FOUND = -3,
  NO_MORE_TIMES = -4,
  VARIABLE_NOT_FOUND = -5,
  TYPE_MISMATCH = -8,
  READ_PAST_END = -13,
  BAD_HANDLE = -14,
  LENGTH_CHANGED = -15,
  BAD_MEMORY_ORDER = -19,
  TEXT_TOO_LONG = -21,
  NOT_SUPPORTED = -22,
  FATAL = -100, /* package_fail does not return */
  NETCDF_ERROR = -1021,
  MORE_DATA_IN_FILE = -1023
};

/* Types of WRF's wrf_io_flags.h; TEXT is our own. */
enum { TEXT = 100, REAL = 104, DOUBLE = 105, INTEGER = 106, LOGICAL = 107 };

enum { NOT_OPENED = 100, NOT_COMMITTED = 101, FOR_WRITE = 102, FOR_READ = 103 };

struct attribute {
  char* name;
  int type;
  size_t count; /* of a text: without the zero behind it */
  void* data;
};

struct attributes {
  struct attribute* all;
  size_t count;
};

/* The bounds that come with a field, as many elements each as it has dimensions. */
struct bounds {
  const int *domain_start, *domain_end, *memory_start, *memory_end, *patch_start, *patch_end;
};

/* The dimensions are those of the file, slowest first. */
struct variable {
  char name[128];
  int type;
  char order[4];
  int rank;
  int memory[3]; /* which dimension of the memory it is */
  char dims[3][81];
  int64_t shape[3], offset[3], count[3];
  struct attributes attributes;
  int field; /* its handle */
};

/* All datasets of one kind and domain: declared once, with a file for each dataset. */
struct stream {
  char name[64]; /* "history_d02" */
  tailrace_session* session;
  struct variable* variables;
  size_t count;
  int64_t step;
  char start[20]; /* the date from which its times count */
  int is_open;    /* a file of it */
};

struct dimension {
  char name[81];
  int64_t extent;
};

struct dataset {
  int status;
  char* path;
  /* Written. */
  char name[64]; /* of its stream */
  int communicator;
  struct stream* stream; /* from the commit on, which hands the variables over to it */
  struct attributes attributes;
  struct variable* variables;
  size_t count, next; /* next: the search for a variable begins here */
  struct dimension* dims;
  size_t dim_count;
  char date[20]; /* of the last frame */
  /* Read. */
  int file;
  char (*dates)[20];
  size_t date_count, date_index; /* the index counts from 1; 0: none yet */
};

/* support.c */

/* Tells WRF the message and returns the status. FATAL ends the run. */
int package_fail(int status, const char* format, ...) __attribute__((format(printf, 2, 3)));
/* As realloc; ends the run where there is no memory. */
void* package_memory(void* old, size_t bytes);
/* A text of Fortran without the blanks behind it, cut to `size` - 1 characters; returns its length. */
size_t package_text(char* text, size_t size, const char* given, size_t length);
void package_fill(char* given, size_t length, const char* text);
/* Seconds between two dates of the form 2000-01-24_12:00:00 in the Gregorian calendar. Not 0: one of them is
 * no date. */
int package_seconds(const char* from, const char* to, double* seconds);
/* Sets order, rank and memory of the variable; a status. */
int package_order(struct variable* variable, const char* order, size_t length);
/* The strides, in elements, of the dimensions of the file in the memory of this rank, and the first element
 * of its patch. */
size_t package_strides(const struct variable* variable, const struct bounds* bounds, int64_t strides[3]);

/* writing.c */
struct dataset* package_find(int handle);
int package_new(const char* path, int status);
void package_forget(int handle);
struct variable* package_variable(struct variable* variables, size_t count, size_t* next, const char* name);
void package_add_attribute(struct attributes* attributes, const char* name, int type, const void* data,
                           size_t count);

/* streams.c */
int package_is_started(void);
/* Makes or finds the stream of the dataset, and opens its next file. */
int package_open_file(struct dataset* dataset);
int package_step(const struct dataset* dataset);
int package_put(const struct dataset* dataset, const struct variable* variable, const void* data,
                const int64_t* strides);
int package_close_file(struct dataset* dataset);

/* reading.c */
void package_close_read(struct dataset* dataset);
/* One attribute into `count` elements, or into a text of that length; `variable` "" is the file. */
int package_read_attribute(const struct dataset* dataset, const char* variable, const char* name, int type,
                           void* data, int count, int* out_count);
#endif
