// SPDX-License-Identifier: MIT

#include "recipe.h"

#include "buffer.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// splitmix64.
static uint64_t random_next(struct random *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    uint64_t bits = random->state;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

unsigned random_below(struct random *random, unsigned below)
{
    return (unsigned)(random_next(random) >> 33) % below;
}

// The decisions that fuzz_generator.cpp takes; # stands for a number below `numbers`.
static const struct decision_kind {
    const char *name;
    unsigned numbers;
    unsigned values;
} kinds[] = {
    // Inputs
    {"inputs", 1, 3},
    {"swap", 1, 3},
    {"unused", 1, 4},
    {"unused.swap", 1, 2},
    {"unused#.image", 3, 3},
    {"unused#.float", 3, 2},
    {"unused#.estimate", 3, 2},
    {"unused#.estimate.value", 3, 9},
    {"unused#.align", 3, 4},
    {"unused#.min", 3, 4},
    {"input#.rename", 2, 4},
    {"input#.type", 2, 4},
    {"input#.stride", 2, 5},
    {"input#.stride.value", 2, 2},
    {"input#.min", 2, 4},
    {"input#.min.value", 2, 3},
    {"input#.min.dim", 2, 2},
    {"input#.extent", 2, 5},
    {"input#.extent.value", 2, 2},
    {"input#.row", 2, 5},
    {"input#.align", 2, 4},
    {"input#.align.value", 2, 2},
    {"input#.estimate", 2, 3},
    {"input#.estimate.value", 2, 3},
    {"input#.edge", 2, 4},
    {"input#.edge.value", 2, 3},
    {"offset.rename", 1, 4},
    {"offset.default", 1, 5},
    {"offset.min", 1, 3},
    {"offset.max", 1, 3},
    {"offset.estimate", 1, 2},
    {"offset.estimate.value", 1, 9},
    {"gain.default", 1, 4},
    // Algorithm
    {"stages", 1, 4},
    {"stage#.rename", 4, 4},
    {"stage#.kind", 4, 6},
    {"stage#.type", 4, 4},
    {"stage#.op", 4, 12},
    {"stage#.constant", 4, 7},
    {"stage#.dx", 4, 3},
    {"stage#.dy", 4, 3},
    {"stage#.a.source", 4, 8},
    {"stage#.b.source", 4, 8},
    {"stage#.a.element", 4, 2},
    {"stage#.taps", 4, 4},
    {"stage#.where", 4, 3},
    {"stage#.where.value", 4, 2},
    {"stage#.rdom.rename", 4, 4},
    {"stage#.product", 4, 3},
    {"stage#.table.rename", 4, 4},
    {"stage#.table.step", 4, 5},
    {"stage#.table.at", 4, 32},
    {"stage#.table.value", 4, 50},
    {"var.x.rename", 1, 4},
    {"var.y.rename", 1, 4},
    {"print", 1, 6},
    {"print.value", 1, 5},
    // Outputs
    {"out.type", 1, 4},
    {"out.tuple", 1, 4},
    {"out.name.rename", 1, 4},
    {"out.estimate", 1, 4},
    {"out.estimate.value", 1, 3},
    {"out.align", 1, 5},
    {"out.min", 1, 5},
    {"out.min.value", 1, 2},
    {"extra", 1, 3},
    {"extra.type", 1, 4},
    {"extra.source", 1, 4},
    {"extra.constant", 1, 3},
    // Schedule
    {"out.split", 1, 3},
    {"out.size", 1, 2},
    {"out.tail", 1, 4},
    {"out.reorder", 1, 3},
    {"out.vectorize", 1, 2},
    {"out.lanes", 1, 2},
    {"out.parallel", 1, 3},
    {"out.parallel.size", 1, 2},
    {"out.bound", 1, 6},
    {"out.bound.value", 1, 2},
    {"out.specialize", 1, 5},
    {"out.specialize.value", 1, 4},
    {"stage#.at", 4, 5},
    {"stage#.store_root", 4, 4},
    {"stage#.shape", 4, 6},
    {"stage#.tail", 4, 3},
    {"stage#.lanes", 4, 3},
    {"stage#.unroll", 4, 3},
    {"stage#.parallel", 4, 4},
    {"stage#.align_bounds", 4, 5},
    {"stage#.align_bounds.value", 4, 2},
    {"stage#.align_storage", 4, 5},
    {"stage#.align_storage.value", 4, 2},
    {"stage#.heap", 4, 4},
    {"stage#.order", 4, 5},
    {"stage#.update", 4, 2},
};

static void make_name(char *name, const struct decision_kind *kind, unsigned number)
{
    const char *mark = strchr(kind->name, '#');
    if (mark == NULL) {
        (void)snprintf(name, RECIPE_NAME_SIZE, "%s", kind->name);
    } else {
        (void)snprintf(name, RECIPE_NAME_SIZE, "%.*s%u%s", (int)(mark - kind->name),
                       kind->name, number, mark + 1);
    }
}

static void start_again(struct recipe *recipe, struct random *random)
{
    recipe->seed = random_below(random, 1000000);
    recipe->count = 0;
}

static void decide(struct recipe *recipe, struct random *random)
{
    const struct decision_kind *kind =
        &kinds[random_below(random, (unsigned)(sizeof kinds / sizeof *kinds))];
    struct decision decision = {.value = random_below(random, kind->values)};
    make_name(decision.name, kind, random_below(random, kind->numbers));
    unsigned at = 0;
    while (at < recipe->count && strcmp(recipe->decisions[at].name, decision.name) != 0) {
        at++;
    }
    recipe->decisions[at] = decision;
    recipe->count += at == recipe->count;
}

bool recipe_mutate(struct recipe *recipe, struct random *random, char *what,
                   unsigned what_size)
{
    const struct recipe before = *recipe;
    const unsigned choice = random_below(random, 12);
    if (choice == 0 || recipe->count == RECIPE_DECISIONS) {
        start_again(recipe, random);
        (void)snprintf(what, what_size, "another pipeline");
    } else if (choice == 1) {
        recipe->comment++;
        (void)snprintf(what, what_size, "a comment");
    } else if (choice == 2 && recipe->count > 0) {
        const unsigned at = random_below(random, recipe->count);
        (void)snprintf(what, what_size, "no more %s", recipe->decisions[at].name);
        recipe->decisions[at] = recipe->decisions[--recipe->count];
    } else {
        decide(recipe, random);
        (void)snprintf(what, what_size, "a decision");
    }
    return !recipe_equal(&before, recipe);
}

static bool has_decision(const struct recipe *recipe, const struct decision *decision)
{
    for (unsigned i = 0; i < recipe->count; i++) {
        if (strcmp(recipe->decisions[i].name, decision->name) == 0) {
            return recipe->decisions[i].value == decision->value;
        }
    }
    return false;
}

bool recipe_equal(const struct recipe *a, const struct recipe *b)
{
    if (a->seed != b->seed || a->count != b->count) {
        return false;
    }
    for (unsigned i = 0; i < a->count; i++) {
        if (!has_decision(b, &a->decisions[i])) {
            return false;
        }
    }
    return true;
}

char *recipe_text(const struct recipe *recipe)
{
    struct buffer text = {0};
    char *head = mem_printf("# %u\nseed %u\n", recipe->comment, recipe->seed);
    buffer_append_string(&text, head);
    free(head);
    for (unsigned i = 0; i < recipe->count; i++) {
        char *line =
            mem_printf("%s %u\n", recipe->decisions[i].name, recipe->decisions[i].value);
        buffer_append_string(&text, line);
        free(line);
    }
    buffer_append_u8(&text, '\0');
    return (char *)text.data;
}
