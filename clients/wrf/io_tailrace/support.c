#define _POSIX_C_SOURCE 200809L /* strnlen */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "package.h"

/* WRF's, in Fortran. */
void wrf_error_fatal_(const char* text, size_t length);
void wrf_message_(const char* text, size_t length);

int package_fail(int status, const char* format, ...) {
  char message[4096];
  va_list arguments;
  va_start(arguments, format);
  const int used = snprintf(message, sizeof message, "io_tailrace: ");
  vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
  va_end(arguments);
  if (status == FATAL) wrf_error_fatal_(message, strlen(message));
  wrf_message_(message, strlen(message));
  return status;
}

void* package_memory(void* old, size_t bytes) {
  void* made = realloc(old, bytes > 0 ? bytes : 1);
  if (made == NULL) package_fail(FATAL, "there is no memory for %zu bytes", bytes);
  return made;
}

size_t package_text(char* text, size_t size, const char* given, size_t length) {
  length = strnlen(given, length);
  while (length > 0 && given[length - 1] == ' ') --length;
  if (length >= size) length = size - 1;
  memcpy(text, given, length);
  text[length] = '\0';
  return length;
}

void package_fill(char* given, size_t length, const char* text) {
  memset(given, ' ', length);
  memcpy(given, text, strnlen(text, length));
}

/* From the first of March of the year 0, so that leap days end the years. */
static int64_t days(int64_t year, int month, int day) {
  year -= month <= 2;
  return 365 * year + year / 4 - year / 100 + year / 400 + (153 * ((month + 9) % 12) + 2) / 5 + day;
}

static int read_date(const char* text, int64_t* seconds) {
  int year, month, day, hour, minute, second, end = 0;
  if (sscanf(text, "%4d-%2d-%2d_%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second, &end) != 6)
    return -1;
  if (end != 19 || text[19] != '\0' || year < 1 || month < 1 || month > 12 || day < 1 || day > 31) return -1;
  *seconds = 86400 * days(year, month, day) + 3600 * hour + 60 * minute + second;
  return 0;
}

int package_seconds(const char* from, const char* to, double* seconds) {
  int64_t begin, end;
  if (read_date(from, &begin) != 0 || read_date(to, &end) != 0) return -1;
  *seconds = (double)(end - begin);
  return 0;
}

int package_order(struct variable* variable, const char* order, size_t length) {
  static const char known[] = " XYZ XZY YXZ YZX ZXY ZYX XSZ XEZ YSZ YEZ XY YX XS XE YS YE Z C 0 ";
  int rank = 0;
  char word[8] = " ";
  for (size_t i = 0; i < length && rank < 4; ++i)
    if (order[i] != ' ') word[++rank] = (char)toupper((unsigned char)order[i]);
  word[rank + 1] = ' ';
  if (rank < 1 || rank > 3 || strstr(known, word) == NULL)
    return package_fail(BAD_MEMORY_ORDER, "variable \"%s\": the memory order \"%.*s\" is not known",
                        variable->name, (int)length, order);
  package_text(variable->order, sizeof variable->order, word + 1, (size_t)rank);
  variable->rank = word[1] == '0' ? 0 : rank;
  /* A file has X fastest, then Y, then Z. Strips along a boundary stay as they are in memory. */
  const int is_strip = strpbrk(word, "SE") != NULL;
  for (int m = 0; m < variable->rank; ++m) {
    int place = 0;
    for (int other = 0; other < rank; ++other)
      place += is_strip ? other > m : variable->order[other] > variable->order[m];
    variable->memory[place] = m;
  }
  return 0;
}

size_t package_strides(const struct variable* variable, const struct bounds* bounds, int64_t strides[3]) {
  int64_t of_memory[3] = {1, 1, 1}, first = 0;
  for (int m = 0; m < variable->rank; ++m) {
    const int64_t extent = bounds->memory_end[m] - bounds->memory_start[m] + 1;
    if (bounds->patch_end[m] < bounds->patch_start[m]) return 0; /* nothing of it is here */
    first += (bounds->patch_start[m] - bounds->memory_start[m]) * of_memory[m];
    if (m < 2) of_memory[m + 1] = of_memory[m] * extent;
  }
  for (int d = 0; d < variable->rank; ++d) strides[d] = of_memory[variable->memory[d]];
  return (size_t)first;
}
