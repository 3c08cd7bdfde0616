/* Marks what the shared library shows to the outside; all else in it is hidden. */
#ifndef TAILRACE_EXPORT_H
#define TAILRACE_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define TAILRACE_EXPORT __attribute__((visibility("default")))
#else
#define TAILRACE_EXPORT
#endif

#endif
