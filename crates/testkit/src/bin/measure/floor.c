/* The floor of a hook: reads its payload, connects to a unix socket, writes, reads the answer. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char payload[1 << 20];

int main(int argc, char **argv) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char answer[4096];
    ssize_t more, length = 0, written = 0;
    if (argc < 2 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
    strcpy(address.sun_path, argv[1]);
    while ((more = read(0, payload + length, sizeof payload - length)) > 0) length += more;
    int hub = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(hub, (struct sockaddr *)&address, sizeof address)) return 1;
    for (; written < length; written += more)
        if ((more = write(hub, payload + written, length - written)) < 0) return 1;
    return read(hub, answer, sizeof answer) <= 0;
}
