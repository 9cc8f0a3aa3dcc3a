// SPDX-License-Identifier: MIT

#include "places.h"

#include "hooks.h"
#include "os.h"

#include <stdlib.h>

void place_number(struct world *world)
{
    hook_make_folder(world, "folder");
    world_write(world, PLACE_NUMBER, "3");
}

void place_settled_number(struct world *world)
{
    place_number(world);
    os_sleep_ms(PLACE_SETTLED_MS);
}

void place_other_number(struct world *world)
{
    world_write(world, PLACE_NUMBER, "4");
}

void place_late(struct world *world)
{
    hook_make_folder(world, "early");
    hook_make_folder(world, "late");
    world_write(world, "late/number.txt", "3");
}

void place_early(struct world *world)
{
    hook_make_folder(world, "early");
    world_write(world, "early/number.txt", "4");
}

void place_two_folders(struct world *world)
{
    hook_make_folder(world, "one");
    hook_make_folder(world, "two");
    world_write(world, "one/number.txt", "3");
    world_write(world, "two/number.txt", "44");
    hook_set_mode(world, "one/number.txt", 0755);
    hook_make_link(world, "one", "link");
    hook_make_link(world, "link", "folder");
}

void place_retarget(struct world *world)
{
    hook_make_link(world, "two", "link");
}

// Nothing about the files of either changes.
void place_exchange(struct world *world)
{
    world_rename(world, "one", "three");
    world_rename(world, "two", "one");
}

void place_name(const struct world *world, int i)
{
    char *name = mem_printf("folder/%c%d", 'a' + i % 26, i);
    world_write(world, name, "");
    free(name);
}

void place_names(struct world *world)
{
    hook_make_folder(world, "folder");
    for (int i = 0; i < PLACE_NAMES; i++) {
        place_name(world, i);
    }
}

void place_another_name(struct world *world)
{
    place_name(world, PLACE_NAMES);
}
