#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "package.h"

static struct dataset** datasets = NULL; /* a handle is an index + 1 */
static int dataset_count = 0;

struct dataset* package_find(int handle) {
  return handle >= 1 && handle <= dataset_count ? datasets[handle - 1] : NULL;
}

int package_new(const char* path, int status) {
  int index = 0;
  while (index < dataset_count && datasets[index] != NULL) ++index;
  if (index == dataset_count) datasets = package_memory(datasets, (size_t)++dataset_count * sizeof *datasets);
  datasets[index] = package_memory(NULL, sizeof **datasets);
  *datasets[index] = (struct dataset){.status = status, .path = package_memory(NULL, strlen(path) + 1)};
  strcpy(datasets[index]->path, path);
  return index + 1;
}

static void free_attributes(struct attributes* attributes) {
  for (size_t i = 0; i < attributes->count; ++i) {
    free(attributes->all[i].name);
    free(attributes->all[i].data);
  }
  free(attributes->all);
}

void package_forget(int handle) {
  struct dataset* dataset = datasets[handle - 1];
  for (size_t i = 0; i < dataset->count; ++i) free_attributes(&dataset->variables[i].attributes);
  free_attributes(&dataset->attributes);
  free(dataset->variables);
  free(dataset->dims);
  free(dataset->dates);
  free(dataset->path);
  free(dataset);
  datasets[handle - 1] = NULL;
}

void EXT(ioinit)(const char* info, int* status, size_t length) {
  (void)info, (void)length;
  *status = 0;
}

/* A value of "DATASET=HISTORY,GRIDID=1", in lower case; "" where the key is not there. */
static void find_pair(const char* pairs, const char* key, char* value, size_t size) {
  const char* found = strstr(pairs, key);
  const size_t end = found != NULL ? strcspn(found + strlen(key), " ,") : 0;
  package_text(value, size, found != NULL ? found + strlen(key) : "", end);
  for (; *value != '\0'; ++value) *value = (char)tolower((unsigned char)*value);
}

void EXT(open_for_write_begin)(const char* path, const int* communicator, const int* io_communicator,
                               const char* info, int* handle, int* status, size_t path_length,
                               size_t info_length) {
  char file[4096], pairs[1024], kind[32], domain[8];
  (void)io_communicator; /* WRF does not set it */
  package_text(file, sizeof file, path, path_length);
  package_text(pairs, sizeof pairs, info, info_length);
  find_pair(pairs, "DATASET=", kind, sizeof kind);
  find_pair(pairs, "GRIDID=", domain, sizeof domain);
  *handle = 0;
  *status = NOT_SUPPORTED;
  if (!package_is_started())
    package_fail(FATAL,
                 "file \"%s\": io_form 15 needs a configuration of Tailrace; set the environment variable "
                 "TAILRACE_CONFIG to its path",
                 file);
  else if (kind[0] == '\0')
    package_fail(FATAL, "file \"%s\": expected DATASET= in \"%s\"", file, pairs);
  else if (strcmp(kind, "boundary") == 0)
    package_fail(FATAL, "file \"%s\": its times are in variables of text; write it with io_form_boundary = 2",
                 file);
  else
    *status = 0;
  if (*status != 0) return;
  *handle = package_new(file, NOT_COMMITTED);
  struct dataset* dataset = package_find(*handle);
  dataset->communicator = *communicator;
  snprintf(dataset->name, sizeof dataset->name, "%s_d%02d", kind, domain[0] != '\0' ? atoi(domain) : 1);
}

void EXT(open_for_write_commit)(const int* handle, int* status) {
  struct dataset* dataset = package_find(*handle);
  *status = dataset == NULL || dataset->status != NOT_COMMITTED ? BAD_HANDLE : 0;
  if (*status != 0) return;
  if (dataset->count == 0) {
    *status =
        package_fail(FATAL, "file \"%s\": stream \"%s\" has no variables", dataset->path, dataset->name);
    return;
  }
  *status = package_open_file(dataset);
  dataset->date[0] = '\0'; /* the date of the training was no frame */
  dataset->status = FOR_WRITE;
}

struct variable* package_variable(struct variable* variables, size_t count, size_t* next, const char* name) {
  for (size_t tried = 0; tried < count; ++tried) {
    struct variable* one = &variables[(*next + tried) % count];
    if (strcmp(one->name, name) != 0) continue;
    *next = (size_t)(one - variables) + 1;
    return one;
  }
  return NULL;
}

void package_add_attribute(struct attributes* attributes, const char* name, int type, const void* data,
                           size_t count) {
  size_t i = 0;
  while (i < attributes->count && strcmp(attributes->all[i].name, name) != 0) ++i; /* the last value counts */
  if (i == attributes->count) {
    attributes->all = package_memory(attributes->all, ++attributes->count * sizeof *attributes->all);
    attributes->all[i] = (struct attribute){.name = package_memory(NULL, strlen(name) + 1)};
    strcpy(attributes->all[i].name, name);
  }
  struct attribute* one = &attributes->all[i];
  const size_t bytes = type == TEXT ? count : count * (type == DOUBLE ? 8 : 4);
  one->data = package_memory(one->data, bytes + 1);
  memcpy(one->data, data, bytes);
  ((char*)one->data)[bytes] = '\0';
  for (size_t k = 0; type == LOGICAL && k < count; ++k) ((int*)one->data)[k] = ((int*)one->data)[k] != 0;
  one->type = type;
  one->count = count;
}

/* A dimension without a name is any that has its extent, or gets the next number, as in WRF's other packages.
 */
static int name_dimension(struct dataset* dataset, struct variable* variable, int d, const char* name) {
  const int64_t extent = variable->shape[d];
  if (dataset->dim_count == 0) {
    dataset->dims = package_memory(NULL, sizeof *dataset->dims);
    dataset->dims[dataset->dim_count++] = (struct dimension){.name = "DateStrLen", .extent = 19};
  }
  size_t i = 0;
  while (i < dataset->dim_count &&
         (name[0] == '\0' ? dataset->dims[i].extent != extent : strcmp(dataset->dims[i].name, name) != 0))
    ++i;
  if (i == dataset->dim_count) {
    dataset->dims = package_memory(dataset->dims, ++dataset->dim_count * sizeof *dataset->dims);
    dataset->dims[i].extent = extent;
    snprintf(dataset->dims[i].name, sizeof dataset->dims[i].name, "DIM%04zu", i + 1);
    if (name[0] != '\0') strcpy(dataset->dims[i].name, name);
  }
  if (dataset->dims[i].extent != extent)
    return package_fail(
        FATAL, "file \"%s\": dimension \"%s\" has %lld cells in \"%s\", and %lld in another variable",
        dataset->path, name, (long long)extent, variable->name, (long long)dataset->dims[i].extent);
  strcpy(variable->dims[d], dataset->dims[i].name);
  return 0;
}

static void set_bounds(struct variable* variable, const struct bounds* bounds) {
  for (int d = 0; d < variable->rank; ++d) {
    const int m = variable->memory[d];
    variable->shape[d] = bounds->domain_end[m] - bounds->domain_start[m] + 1;
    variable->offset[d] = bounds->patch_start[m] - bounds->domain_start[m];
    variable->count[d] = bounds->patch_end[m] - bounds->patch_start[m] + 1;
    if (variable->count[d] <= 0) variable->offset[d] = variable->count[d] = 0;
  }
}

static int train(struct dataset* dataset, struct variable made, const char* dims, size_t length) {
  size_t next = 0;
  if (package_variable(dataset->variables, dataset->count, &next, made.name) != NULL)
    return package_fail(FATAL, "file \"%s\": variable \"%s\" comes twice", dataset->path, made.name);
  char order[] = "0  ";
  const int is_strip = strpbrk(made.order, "SE") != NULL;
  for (int d = made.rank - 1; d >= 0; --d) { /* in the order in which WRF's other packages number them */
    char name[sizeof *made.dims];
    package_text(name, sizeof name, dims + length * (size_t)made.memory[d], length);
    const int status = name_dimension(dataset, &made, d, name);
    if (status != 0) return status;
    order[made.rank - 1 - d] = made.order[is_strip ? made.rank - 1 - d : made.memory[d]];
  }
  package_add_attribute(&made.attributes, "FieldType", INTEGER, &made.type, 1);
  package_add_attribute(&made.attributes, "MemoryOrder", TEXT, order, 3);
  dataset->variables = package_memory(dataset->variables, (dataset->count + 1) * sizeof made);
  dataset->variables[dataset->count++] = made;
  return 0;
}

static int put(struct dataset* dataset, const struct variable* made, const char* date, const char* field,
               const struct bounds* bounds) {
  const struct stream* stream = dataset->stream;
  const struct variable* known =
      package_variable(stream->variables, stream->count, &dataset->next, made->name);
  if (known == NULL || known->type != made->type || strcmp(known->order, made->order) != 0 ||
      memcmp(known->shape, made->shape, sizeof made->shape) != 0 ||
      memcmp(known->offset, made->offset, sizeof made->offset) != 0 ||
      memcmp(known->count, made->count, sizeof made->count) != 0)
    return package_fail(
        FATAL, "file \"%s\": variable \"%s\" is not as in the training: another type, extent or patch",
        dataset->path, made->name);
  if (strcmp(dataset->date, date) != 0) {
    strcpy(dataset->date, date);
    const int status = package_step(dataset);
    if (status != 0) return status;
  }
  int64_t strides[3] = {1, 1, 1};
  const size_t first = package_strides(made, bounds, strides);
  return package_put(dataset, known, field + first * (made->type == DOUBLE ? 8 : 4), strides);
}

void EXT(write_field)(FIELD_ARGUMENTS(const void)) {
  UNUSED_FIELD_ARGUMENTS;
  struct dataset* dataset = package_find(*handle);
  const struct bounds bounds = {domain_start, domain_end, memory_start, memory_end, patch_start, patch_end};
  struct variable made = {.type = *type};
  char when[sizeof dataset->date];
  package_text(made.name, sizeof made.name, name, name_length);
  package_text(when, sizeof when, date, date_length);
  *status = dataset == NULL || dataset->status == FOR_READ ? BAD_HANDLE : 0;
  if (*status == 0 && (*type < REAL || *type > LOGICAL))
    *status = package_fail(FATAL, "variable \"%s\": its type, %d, is none of 104 to 107", made.name, *type);
  if (*status == 0) *status = package_order(&made, order, order_length);
  if (*status != 0) return;
  set_bounds(&made, &bounds);
  if (dataset->status == FOR_WRITE) {
    *status = put(dataset, &made, when, field, &bounds);
    return;
  }
  strcpy(dataset->date, when);
  *status = train(dataset, made, dims, dims_length);
}

void EXT(ioclose)(const int* handle, int* status) {
  struct dataset* dataset = package_find(*handle);
  *status = dataset == NULL ? BAD_HANDLE : 0;
  if (dataset == NULL) return;
  if (dataset->status == FOR_READ) package_close_read(dataset);
  if (dataset->status == FOR_WRITE) *status = package_close_file(dataset);
  package_forget(*handle);
}

void EXT(inquire_filename)(const int* handle, char* path, int* file_status, int* status, size_t length) {
  const struct dataset* dataset = package_find(*handle);
  *status = dataset == NULL ? BAD_HANDLE : 0;
  *file_status = dataset == NULL ? NOT_OPENED : dataset->status;
  if (dataset != NULL) package_fill(path, length, dataset->path);
}

void EXT(inquire_opened)(const int* handle, const char* path, int* file_status, int* status, size_t length) {
  char name[4096];
  const struct dataset* dataset = package_find(*handle);
  package_text(name, sizeof name, path, length);
  *status = dataset == NULL ? BAD_HANDLE : 0;
  *file_status = dataset == NULL || strcmp(dataset->path, name) != 0 ? NOT_OPENED : dataset->status;
}
