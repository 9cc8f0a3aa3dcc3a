// SPDX-License-Identifier: MIT

#include "flight.h"

#include "buffer.h"
#include "lock.h"
#include "os.h"

#include <stdlib.h>

struct flight {
    char *path;
    int lock;
};

struct flight *flight_take_off(const char *folder, const struct digest *key,
                               unsigned wait_ms)
{
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(key, hex);
    char *flights = mem_printf("%s/.flights", folder);
    struct flight *flight = mem_new(1, sizeof *flight);
    flight->path = mem_printf("%s/%s", flights, hex);
    const bool taken = os_make_directories(flights, NULL) &&
                       lock_wait(flight->path, wait_ms, &flight->lock) == LOCK_TAKEN;
    free(flights);
    if (!taken) {
        free(flight->path);
        free(flight);
        return NULL;
    }
    return flight;
}

void flight_land(struct flight *flight)
{
    if (flight != NULL) {
        os_lock_release(flight->lock, flight->path, true);
        free(flight->path);
        free(flight);
    }
}
