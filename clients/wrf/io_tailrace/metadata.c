#include <stdlib.h>
#include <string.h>

#include "package.h"

struct named { /* an attribute of a variable, or with "" of the file */
  char name[256], variable[sizeof((struct variable*)NULL)->name];
};

static struct named named(const char* name, size_t length, const char* variable, size_t variable_length) {
  struct named made;
  package_text(made.name, sizeof made.name, name, length);
  package_text(made.variable, sizeof made.variable, variable, variable_length);
  return made;
}

static void put(int handle, struct named to, int type, const void* data, size_t count, int* status) {
  struct dataset* dataset = package_find(handle);
  *status = dataset == NULL || dataset->status == FOR_READ ? BAD_HANDLE : 0;
  if (*status != 0 || dataset->status == FOR_WRITE) return; /* WRF gives them again with each frame */
  struct attributes* attributes = &dataset->attributes;
  if (to.variable[0] != '\0') {
    size_t next = dataset->count > 0 ? dataset->count - 1 : 0; /* they come behind their variable */
    struct variable* found = package_variable(dataset->variables, dataset->count, &next, to.variable);
    *status = found == NULL ? VARIABLE_NOT_FOUND : 0;
    if (found == NULL) return;
    attributes = &found->attributes;
  }
  while (type == TEXT && count > 0 && ((const char*)data)[count - 1] == ' ') --count;
  package_add_attribute(attributes, to.name, type, data, count);
}

static void get(int handle, struct named of, int type, void* data, int count, int* out_count, int* status) {
  const struct dataset* dataset = package_find(handle);
  *status = dataset == NULL || dataset->status != FOR_READ ? BAD_HANDLE : 0;
  if (*status == 0)
    *status = package_read_attribute(dataset, of.variable, of.name, type, data, count, out_count);
}

#define NUMBERS(kind, type, number)                                                                        \
  void EXT(put_dom_ti_##kind)(const int* handle, const char* name, const type* data, const int* count,     \
                              int* status, size_t length) {                                                \
    put(*handle, named(name, length, "", 0), number, data, (size_t)*count, status);                        \
  }                                                                                                        \
  void EXT(get_dom_ti_##kind)(const int* handle, const char* name, type* data, const int* count,           \
                              int* out_count, int* status, size_t length) {                                \
    get(*handle, named(name, length, "", 0), number, data, *count, out_count, status);                     \
  }                                                                                                        \
  void EXT(put_var_ti_##kind)(const int* handle, const char* name, const char* variable, const type* data, \
                              const int* count, int* status, size_t length, size_t variable_length) {      \
    put(*handle, named(name, length, variable, variable_length), number, data, (size_t)*count, status);    \
  }                                                                                                        \
  void EXT(get_var_ti_##kind)(const int* handle, const char* name, const char* variable, type* data,       \
                              const int* count, int* out_count, int* status, size_t length,                \
                              size_t variable_length) {                                                    \
    get(*handle, named(name, length, variable, variable_length), number, data, *count, out_count, status); \
  }
NUMBERS(real, float, REAL)
NUMBERS(double, double, DOUBLE)
NUMBERS(integer, int, INTEGER)
NUMBERS(logical, int, LOGICAL)

void EXT(put_dom_ti_char)(const int* handle, const char* name, const char* data, int* status, size_t length,
                          size_t data_length) {
  put(*handle, named(name, length, "", 0), TEXT, data, data_length, status);
}

void EXT(get_dom_ti_char)(const int* handle, const char* name, char* data, int* status, size_t length,
                          size_t data_length) {
  int out_count;
  get(*handle, named(name, length, "", 0), TEXT, data, (int)data_length, &out_count, status);
}

void EXT(put_var_ti_char)(const int* handle, const char* name, const char* variable, const char* data,
                          int* status, size_t length, size_t variable_length, size_t data_length) {
  put(*handle, named(name, length, variable, variable_length), TEXT, data, data_length, status);
}

void EXT(get_var_ti_char)(const int* handle, const char* name, const char* variable, char* data, int* status,
                          size_t length, size_t variable_length, size_t data_length) {
  int out_count;
  get(*handle, named(name, length, variable, variable_length), TEXT, data, (int)data_length, &out_count,
      status);
}

/* Attributes that have a date occur in lateral boundary files alone, which the package does not open. */
#define DATED(kind)                               \
  void EXT(put_dom_td_##kind)(void) { refuse(); } \
  void EXT(get_dom_td_##kind)(void) { refuse(); } \
  void EXT(put_var_td_##kind)(void) { refuse(); } \
  void EXT(get_var_td_##kind)(void) { refuse(); }
static void refuse(void) {
  package_fail(FATAL, "attributes that have a date need another io_form, such as 2");
}
DATED(real)
DATED(double)
DATED(integer)
DATED(logical)
DATED(char)
