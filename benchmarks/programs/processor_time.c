/* Runs a program and says what it used of processors: a line `processor RANK SECONDS` after what it printed
 * itself. processor_time PROGRAM ARGUMENT... */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time) { return (double)time.tv_sec + 1e-6 * (double)time.tv_usec; }

int main(int argc, char** argv) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (argc < 2) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    perror(argv[1]);
    _exit(127);
  }
  int status = 0;
  struct rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) != child) return 1;
  printf("processor %s %.6f\n", rank ? rank : "0", seconds(used.ru_utime) + seconds(used.ru_stime));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
