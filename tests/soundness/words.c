// SPDX-License-Identifier: MIT

#include "words.h"

#include "buffer.h"

#include <stdlib.h>
#include <string.h>

void words_add(struct words *words, char *string)
{
    char **grown = mem_new(words->count + 2, sizeof *grown);
    if (words->count > 0) {
        memcpy(grown, words->list, words->count * sizeof *grown);
    }
    grown[words->count++] = string;
    free(words->list);
    words->list = grown;
}

static size_t append_escape(struct buffer *word, const char *text,
                            const char *case_folder, const char *halide)
{
    const struct {
        const char *text;
        const char *meaning;
    } escapes[] = {{"\\s", " "}, {"{case}", case_folder}, {"{halide}", halide}};
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        const size_t length = strlen(escapes[i].text);
        if (strncmp(text, escapes[i].text, length) == 0) {
            buffer_append_string(word, escapes[i].meaning);
            return length;
        }
    }
    buffer_append_u8(word, (unsigned char)text[0]);
    return 1;
}

void words_add_words(struct words *words, const char *text, const char *case_folder,
                     const char *halide)
{
    while (text != NULL && *text != '\0') {
        struct buffer word = {0};
        text += strspn(text, " ");
        while (*text != '\0' && *text != ' ') {
            text += append_escape(&word, text, case_folder, halide);
        }
        if (word.size > 0) {
            words_add(words, mem_strndup((const char *)word.data, word.size));
        }
        buffer_release(&word);
    }
}

void words_add_all(struct words *words, char *const *list)
{
    for (; list != NULL && *list != NULL; list++) {
        words_add(words, mem_strdup(*list));
    }
}

char *words_join(char *const *list)
{
    struct buffer text = {0};
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
        buffer_append_string(&text, i == 0 ? "" : " ");
        buffer_append_string(&text, list[i]);
    }
    buffer_append_u8(&text, '\0');
    return (char *)text.data;
}

void words_release(struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->list[i]);
    }
    free(words->list);
    *words = (struct words){0};
}
