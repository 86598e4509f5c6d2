/*
 * Put in front of the C library (LD_PRELOAD), lets writes and syncs of a database fail: of its files in one folder, the n-th
 * call from now on, and those after it until it is told otherwise. What it is told is in a file of three numbers
 * of 32 bits that it shares with the test: calls to let pass before one fails (below 0: all), the errno, calls failed.
 * A full disk, a used-up quota and a limit of size refuse what makes a file longer, and syncs: what is written over bytes that
 * are there has its place. Every other error fails every call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct orders {
  int32_t pass;
  int32_t error;
  int32_t failed;
};

static volatile struct orders *orders;

__attribute__((constructor)) static void listen_to_test(void) {
  const char *path = getenv("FAILING_DISK");
  int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *shared = mmap(NULL, sizeof(struct orders), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) orders = shared;
  close(file);
}

static int is_of_database(int file) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  const char *folder = getenv("FAILING_FOLDER");
  if (!folder || strncmp(path, folder, strlen(folder)) != 0) return 0;
  const char *name = strrchr(path, '/');
  return name && (strcmp(name, "/store.mdb") == 0 || strcmp(name, "/store.mdb.probe") == 0 || strncmp(name, "/log-", 5) == 0);
}

/* Where a call ends that has no place in the file: a sync, or what is appended. */
#define NOWHERE -1

static int has_place(int file, off_t end) {
  struct stat now;
  int is_full = orders->error == ENOSPC || orders->error == EDQUOT || orders->error == EFBIG;
  return is_full && end != NOWHERE && fstat(file, &now) == 0 && end <= now.st_size;
}

static size_t size_of(const struct iovec *pieces, int count) {
  size_t size = 0;
  for (int i = 0; i < count; i++) size += pieces[i].iov_len;
  return size;
}

/* Whether this call fails; then errno says why. */
static int fails(int file, off_t end) {
  if (!orders || orders->pass < 0 || (file >= 0 && !is_of_database(file)) || has_place(file, end)) return 0;
  if (__atomic_load_n(&orders->pass, __ATOMIC_SEQ_CST) > 0) {
    __atomic_sub_fetch(&orders->pass, 1, __ATOMIC_SEQ_CST);
    return 0;
  }
  __atomic_add_fetch(&orders->failed, 1, __ATOMIC_SEQ_CST);
  errno = orders->error;
  return 1;
}

#define IN_FRONT_OF(result, name, parameters, arguments, file, end) \
  result name parameters {                                           \
    static result(*behind) parameters;                               \
    if (!behind) *(void **)&behind = dlsym(RTLD_NEXT, #name);        \
    return fails(file, end) ? -1 : behind arguments;                 \
  }

IN_FRONT_OF(ssize_t, write, (int f, const void *b, size_t n), (f, b, n), f, NOWHERE)
IN_FRONT_OF(ssize_t, writev, (int f, const struct iovec *v, int n), (f, v, n), f, NOWHERE)
IN_FRONT_OF(ssize_t, pwrite, (int f, const void *b, size_t n, off_t at), (f, b, n, at), f, at + n)
IN_FRONT_OF(ssize_t, pwrite64, (int f, const void *b, size_t n, off64_t at), (f, b, n, at), f, at + n)
IN_FRONT_OF(ssize_t, pwritev, (int f, const struct iovec *v, int n, off_t at), (f, v, n, at), f, at + size_of(v, n))
IN_FRONT_OF(ssize_t, pwritev64, (int f, const struct iovec *v, int n, off64_t at), (f, v, n, at), f, at + size_of(v, n))
IN_FRONT_OF(int, fsync, (int f), (f), f, NOWHERE)
IN_FRONT_OF(int, fdatasync, (int f), (f), f, NOWHERE)
IN_FRONT_OF(int, ftruncate, (int f, off_t n), (f, n), f, n)
IN_FRONT_OF(int, ftruncate64, (int f, off64_t n), (f, n), f, n)
/* Of memory, not of a file. */
IN_FRONT_OF(int, msync, (void *at, size_t n, int how), (at, n, how), -1, NOWHERE)
