/* Preloaded: makes the disk slow for files whose name contains "slow". Each write waits for as many
 * milliseconds as the environment says (SLOW_FILE_MS), and all writes of a process together are no faster
 * than so many MB (10^6 bytes) a second (SLOW_FILE_MB_S). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static double number_of(const char* variable) {
  const char* text = getenv(variable);
  return text == NULL ? 0.0 : atof(text);
}

static void sleep_for(double seconds) {
  if (seconds <= 0.0) return;
  const struct timespec wait = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&wait, NULL);
}

/* The disk takes one write after the other: the seconds until it has taken this one. */
static double seconds_of_disk(size_t count) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static double free_at = 0.0;
  const double megabytes_per_second = number_of("SLOW_FILE_MB_S");
  if (megabytes_per_second <= 0.0) return 0.0;
  struct timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  const double now = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
  pthread_mutex_lock(&mutex);
  free_at = (free_at > now ? free_at : now) + (double)count / (1e6 * megabytes_per_second);
  const double until = free_at;
  pthread_mutex_unlock(&mutex);
  return until - now;
}

static void wait_for_the_slow(int file, size_t count) {
  char link[64], name[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  if (length <= 0) return;
  name[length] = '\0';
  if (strstr(name, "slow") == NULL) return;
  sleep_for(1e-3 * number_of("SLOW_FILE_MS") + seconds_of_disk(count));
}

typedef ssize_t (*Pwrite)(int, const void*, size_t, off_t);

ssize_t pwrite(int file, const void* bytes, size_t count, off_t place) {
  const Pwrite next = (Pwrite)dlsym(RTLD_NEXT, "pwrite");
  wait_for_the_slow(file, count);
  return next(file, bytes, count, place);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off_t place) {
  return pwrite(file, bytes, count, place);
}
