/*
 * Put in front of the C library (LD_PRELOAD), records what processes do to the files below a folder, and what they answer on sockets. Each
 * call that succeeded appends one line to a file: when it began and ended, in nanoseconds of CLOCK_MONOTONIC, what it did, and the
 * paths; the parts are separated by tabs. `written` is a write that returned before its bytes were on disk, `stored` one
 * that did not (O_DSYNC).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES 1024
/* As many bytes of a response as tell which it is. */
#define ANSWER_BYTES 32

static int record = -1;
static const char *folder;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORDING_FILE");
  folder = getenv("RECORDING_FOLDER");
  if (path && folder) record = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void note(long long began, const char *did, const char *path, const char *other) {
  char line[2 * PATH_BYTES + 128];
  int before = errno;
  int length = snprintf(line, sizeof line, "%lld\t%lld\t%s\t%s\t%s\n", began, now(), did, path, other);
  /* Not `write`, which is in front of itself here. One call, so that lines of several threads do not mix. */
  if (length < (int)sizeof line) syscall(SYS_write, record, line, length);
  errno = before;
}

static int is_below(const char *path) {
  return record >= 0 && strncmp(path, folder, strlen(folder)) == 0;
}

/* The path of an open file; empty if it is none of the folder's. */
static const char *path_of(int file, char path[PATH_BYTES]) {
  char link[32];
  int before = errno;
  path[0] = 0;
  if (record >= 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_BYTES - 1);
    path[length < 0 ? 0 : length] = 0;
    if (!is_below(path)) path[0] = 0;
  }
  errno = before;
  return path;
}

static void note_write(long long began, int file, const char *bytes, size_t size, ssize_t result) {
  char path[PATH_BYTES];
  if (record < 0 || result <= 0) return;
  if (*path_of(file, path)) {
    int before = errno;
    note(began, fcntl(file, F_GETFL) & O_DSYNC ? "stored" : "written", path, "");
    errno = before;
  } else if (size >= ANSWER_BYTES && memcmp(bytes, "{\"jsonrpc\":", 11) == 0) {
    char start[ANSWER_BYTES + 1] = {0};
    memcpy(start, bytes, ANSWER_BYTES);
    note(began, "answered", "", start);
  }
}

#define BEHIND(result, name, parameters)      \
  static result(*behind) parameters;          \
  if (!behind) *(void **)&behind = dlsym(RTLD_NEXT, #name)

#define WRITE(name, parameters, arguments, bytes, size)   \
  ssize_t name parameters {                               \
    BEHIND(ssize_t, name, parameters);                    \
    long long began = now();                              \
    ssize_t result = behind arguments;                    \
    note_write(began, f, bytes, size, result);            \
    return result;                                        \
  }

WRITE(write, (int f, const void *b, size_t n), (f, b, n), b, n)
WRITE(writev, (int f, const struct iovec *v, int n), (f, v, n), v->iov_base, v->iov_len)
WRITE(pwrite, (int f, const void *b, size_t n, off_t at), (f, b, n, at), b, n)
WRITE(pwrite64, (int f, const void *b, size_t n, off64_t at), (f, b, n, at), b, n)
WRITE(pwritev, (int f, const struct iovec *v, int n, off_t at), (f, v, n, at), v->iov_base, v->iov_len)
WRITE(pwritev64, (int f, const struct iovec *v, int n, off64_t at), (f, v, n, at), v->iov_base, v->iov_len)

#define SYNC(name)                                                      \
  int name(int file) {                                                  \
    BEHIND(int, name, (int));                                           \
    char path[PATH_BYTES];                                              \
    long long began = now();                                            \
    int result = behind(file);                                          \
    if (result == 0 && *path_of(file, path)) note(began, "synced", path, ""); \
    return result;                                                      \
  }

SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
  BEHIND(int, rename, (const char *, const char *));
  long long began = now();
  int result = behind(from, to);
  if (result == 0 && is_below(to)) note(began, "renamed", to, from);
  return result;
}

int unlink(const char *path) {
  BEHIND(int, unlink, (const char *));
  long long began = now();
  int result = behind(path);
  if (result == 0 && is_below(path)) note(began, "removed", path, "");
  return result;
}

#define OPEN(name)                                                      \
  int name(const char *path, int flags, ...) {                          \
    BEHIND(int, name, (const char *, int, ...));                        \
    va_list more;                                                       \
    va_start(more, flags);                                              \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;           \
    va_end(more);                                                       \
    int before = errno;                                                 \
    int is_new = flags & O_CREAT && is_below(path) && access(path, F_OK) != 0; \
    errno = before;                                                     \
    long long began = now();                                            \
    int result = behind(path, flags, mode);                             \
    if (result >= 0 && is_new) note(began, "created", path, "");        \
    return result;                                                      \
  }

OPEN(open)
OPEN(open64)
