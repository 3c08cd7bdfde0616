/* Preloaded: makes the disk slow for files whose name contains "slow". Each write waits for as many
 * milliseconds as the environment says (SLOW_FILE_MS). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static void wait_for_the_slow(int file) {
  char link[64], name[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  const char* milliseconds = getenv("SLOW_FILE_MS");
  if (length <= 0 || milliseconds == NULL) return;
  name[length] = '\0';
  if (strstr(name, "slow") == NULL) return;
  const struct timespec wait = {atol(milliseconds) / 1000, atol(milliseconds) % 1000 * 1000000};
  nanosleep(&wait, NULL);
}

typedef ssize_t (*Pwrite)(int, const void*, size_t, off_t);

ssize_t pwrite(int file, const void* bytes, size_t count, off_t place) {
  const Pwrite next = (Pwrite)dlsym(RTLD_NEXT, "pwrite");
  wait_for_the_slow(file);
  return next(file, bytes, count, place);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off_t place) {
  return pwrite(file, bytes, count, place);
}
