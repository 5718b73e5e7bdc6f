/* Preloaded into a process under test: its disk and its clock do as a file says.
 *
 * HEADSUP_FAULTS names that file. It holds words, each with a number:
 *   write N   writing to, growing or cutting files fails with errno N
 *   sync N    flushing fails with errno N
 *   read N    reading fails with errno N
 *   spared K  but for the first K reads of the process
 *   most K    and behind these but for K
 *   clock S   the wall clock is S seconds away from the real one
 * Only regular files below HEADSUP_FAULTS_UNDER are touched. An empty file is a healthy machine.
 *
 * HEADSUP_FAULTS_PLATTER, where it is set, is a folder in which a copy is kept of each of these files as
 * it was when it was flushed last: all that a power cut would leave of it. So are the names in each folder
 * below there.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long ordered(const char *word) {
    const char *path = getenv("HEADSUP_FAULTS");
    if (!path) return 0;
    int kept = errno;
    char text[256];
    long found = 0;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0) {
        long length = syscall(SYS_read, fd, text, sizeof text - 1);
        syscall(SYS_close, fd);
        if (length > 0) {
            text[length] = 0;
            char *at = strstr(text, word);
            if (at) found = strtol(at + strlen(word), NULL, 10);
        }
    }
    errno = kept;
    return found;
}

static int is_below(int fd, mode_t kind) {
    const char *under = getenv("HEADSUP_FAULTS_UNDER");
    struct stat status;
    if (!under || fstat(fd, &status) || (status.st_mode & S_IFMT) != kind) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, under, strlen(under)) == 0;
}

static int concerned(int fd) { return is_below(fd, S_IFREG); }

/* The names in a folder, each on a line, in a file whose name is the folder's with % for /, and at its end. */
static void names_to_platter(int from) {
    static int copies;
    const char *platter = getenv("HEADSUP_FAULTS_PLATTER");
    if (!platter || !is_below(from, S_IFDIR)) return;
    int kept = errno;
    char link[64], path[4096], to[8300], part[8400];
    snprintf(link, sizeof link, "/proc/self/fd/%d", from);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        DIR *folder = opendir(path);
        for (char *at = path; *at; at++)
            if (*at == '/') *at = '%';
        snprintf(to, sizeof to, "%s/%s%%", platter, path);
        snprintf(part, sizeof part, "%s.%d", to, __sync_add_and_fetch(&copies, 1));
        int target = (int)syscall(SYS_openat, AT_FDCWD, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        struct dirent *entry;
        int whole = folder && target >= 0;
        while (whole && (entry = readdir(folder))) {
            long some = (long)strlen(entry->d_name);
            whole = syscall(SYS_write, target, entry->d_name, some) == some &&
                    syscall(SYS_write, target, "\n", 1) == 1;
        }
        if (folder) closedir(folder);
        if (target >= 0) syscall(SYS_close, target);
        if (whole) rename(part, to);
        else unlink(part);
    }
    errno = kept;
}

/* The file's name on the platter has % for /. A copy is there whole, or not at all. */
static void to_platter(int from) {
    static int copies;
    const char *platter = getenv("HEADSUP_FAULTS_PLATTER");
    if (!platter || !concerned(from)) return;
    int kept = errno;
    char link[64], path[4096], to[8300], part[8400], bytes[65536];
    snprintf(link, sizeof link, "/proc/self/fd/%d", from);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        /* The descriptor may be open for writing alone. */
        int source = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
        for (char *at = path; *at; at++)
            if (*at == '/') *at = '%';
        snprintf(to, sizeof to, "%s/%s", platter, path);
        snprintf(part, sizeof part, "%s.%d", to, __sync_add_and_fetch(&copies, 1));
        int target = (int)syscall(SYS_openat, AT_FDCWD, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        int whole = source >= 0 && target >= 0;
        while (whole) {
            long some = syscall(SYS_read, source, bytes, sizeof bytes);
            if (some == 0) break;
            whole = some > 0 && syscall(SYS_write, target, bytes, some) == some;
        }
        if (source >= 0) syscall(SYS_close, source);
        if (target >= 0) syscall(SYS_close, target);
        if (whole) rename(part, to);
        else unlink(part);
    }
    errno = kept;
}

static int is_spared(void) {
    static long reads;
    long before = __sync_fetch_and_add(&reads, 1), spared = ordered("spared "), most = ordered("most ");
    return before < spared || (most && before >= spared + most);
}

static int fails(int fd, const char *word) {
    long number = ordered(word);
    if (!number || !concerned(fd)) return 0;
    if (!strcmp(word, "read ") && is_spared()) return 0;
    errno = (int)number;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAULTY(result, name, word, parameters, arguments)                                          \
    result name parameters {                                                                       \
        static result(*next) parameters;                                                           \
        if (!next) next = NEXT(name);                                                              \
        return fails(fd, word) ? -1 : next arguments;                                              \
    }

#define FLUSHES(name)                                                                              \
    int name(int fd) {                                                                             \
        static int (*next)(int);                                                                   \
        if (!next) next = NEXT(name);                                                              \
        if (fails(fd, "sync ")) return -1;                                                         \
        int result = next(fd);                                                                     \
        if (result == 0) to_platter(fd), names_to_platter(fd);                                     \
        return result;                                                                             \
    }

FAULTY(ssize_t, write, "write ", (int fd, const void *from, size_t n), (fd, from, n))
FAULTY(ssize_t, pwrite, "write ", (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
FAULTY(ssize_t, pwrite64, "write ", (int fd, const void *from, size_t n, off64_t at),
       (fd, from, n, at))
FAULTY(int, ftruncate, "write ", (int fd, off_t to), (fd, to))
FAULTY(int, ftruncate64, "write ", (int fd, off64_t to), (fd, to))
FAULTY(ssize_t, read, "read ", (int fd, void *to, size_t n), (fd, to, n))
FAULTY(ssize_t, pread, "read ", (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
FAULTY(ssize_t, pread64, "read ", (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
FLUSHES(fsync)
FLUSHES(fdatasync)

int clock_gettime(clockid_t which, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = NEXT(clock_gettime);
    int result = next(which, now);
    if (result == 0 && which == CLOCK_REALTIME) now->tv_sec += ordered("clock ");
    return result;
}
