/* Loaded before the libraries of a model (LD_PRELOAD): notes when the model begins start, begins each step
 * and is through with finish, and leaves these moments, in seconds of the monotonic clock, one a line, in the
 * file call_times of its working directory.
 *
 * With SILENT_BLOCKS=n in the environment every other block of n steps is silent: of its steps Tailrace hears
 * nothing, and the model hears that no field is wanted, as with mode off. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tailrace/tailrace.h"

enum { room = 1 << 20 };
static double moments[room];
static int noted;
static int silent;

static void note(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (noted == room) exit(3);
  moments[noted++] = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void write_out(void) {
  FILE* file = fopen("call_times", "w");
  if (file == NULL) exit(3);
  for (int i = 0; i < noted; ++i) fprintf(file, "%.9f\n", moments[i]);
  fclose(file);
}

static long block_length(void) {
  const char* said = getenv("SILENT_BLOCKS");
  return said == NULL ? 0 : strtol(said, NULL, 10);
}

tailrace_session* tailrace_start_fortran(int communicator, const char* configuration,
                                         const tailrace_start_options* options, tailrace_error* error) {
  tailrace_session* (*next)(int, const char*, const tailrace_start_options*, tailrace_error*) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "tailrace_start_fortran");
  note();
  return next(communicator, configuration, options, error);
}

int tailrace_step(tailrace_session* session, int64_t step, double time, tailrace_error* error) {
  static int (*next)(tailrace_session*, int64_t, double, tailrace_error*);
  static long block;
  if (next == NULL) {
    *(void**)&next = dlsym(RTLD_NEXT, "tailrace_step");
    block = block_length();
  }
  note();
  silent = block > 0 && step / block % 2 == 1;
  return silent ? 0 : next(session, step, time, error);
}

int tailrace_wants(const tailrace_session* session, int field, tailrace_error* error) {
  static int (*next)(const tailrace_session*, int, tailrace_error*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "tailrace_wants");
  return silent ? 0 : next(session, field, error);
}

int tailrace_finish(tailrace_session* session, tailrace_error* error) {
  int (*next)(tailrace_session*, tailrace_error*) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "tailrace_finish");
  const int status = next(session, error);
  note();
  write_out();
  return status;
}
