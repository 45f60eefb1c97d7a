/*
 * Structs and pages of a snapshot by the rows of snapshot.def: saving, loading, hashing, checking.
 */
#include "chip/snapshot.h"

#include <string.h>

#include "chip/chip.h"
#include "chip/links.h"
#include "config.h"
#include "eth/eth.h"
#include "noc/overlay_stream.h"
#include "tensix/table.h"
#include "tile/eth_window.h"
#include "tile/weak.h"

/* --- Rows --- */

#define OPEN(name, is_state)                                                                       \
    enum { IS_STATE_##name = (is_state) };                                                         \
    static const struct snapshot_member members_##name[] = {
#define STATE(name) OPEN(name, true)
#define OWNER(name) OPEN(name, false)
#define SIZED(struct_name, member, size, kind, unit, most, type)                                   \
    {#member, offsetof(struct struct_name, member), size, kind, unit, most, type},
#define MEMBER(name, member, kind, unit, most, type)                                               \
    SIZED(name, member, sizeof(((struct name *)0)->member), kind, unit, most, type)
#define PLAIN(name, member) MEMBER(name, member, SNAPSHOT_PLAIN, 0, 0, NULL)
#define LIMIT(name, member, type, most)                                                            \
    MEMBER(name, member, SNAPSHOT_LIMIT, sizeof(type), most, NULL)
#define BOOLS(name, first, last)                                                                   \
    SIZED(name, first, offsetof(struct name, last) + 1 - offsetof(struct name, first),             \
          SNAPSHOT_LIMIT, sizeof(bool), 1, NULL)
#define TEXT(name, member)                                                                         \
    {#member, offsetof(struct name, member) + sizeof(((struct name *)0)->member) - 1,              \
     1,       SNAPSHOT_LIMIT,                                                                      \
     1,       0,                                                                                   \
     NULL},
#define PART(name, first, type)                                                                    \
    SIZED(name, first, sizeof(struct type), SNAPSHOT_INNER, 0, 0, &snapshot_type_##type)
#define BOOL(name, member)        MEMBER(name, member, SNAPSHOT_LIMIT, sizeof(bool), 1, NULL)
#define INNER(name, member, type) MEMBER(name, member, SNAPSHOT_INNER, 0, 0, &snapshot_type_##type)
#define PAGES(name, member)       MEMBER(name, member, SNAPSHOT_PAGES, 0, 0, NULL)
#define LEAVE(name, member)       MEMBER(name, member, SNAPSHOT_LEAVE, 0, 0, NULL)
#define BESIDE(name, member)      MEMBER(name, member, SNAPSHOT_BESIDE, 0, 0, NULL)
#define HINTS(struct_name)        {.name = "", .kind = SNAPSHOT_HINTS},
#define END(name_)                                                                                 \
    }                                                                                              \
    ;                                                                                              \
    const struct snapshot_type snapshot_type_##name_ = {.name = #name_,                            \
                                                        .size = sizeof(struct name_),              \
                                                        .is_state = IS_STATE_##name_,              \
                                                        .members = sizeof members_##name_ /        \
                                                                   sizeof members_##name_[0],      \
                                                        .member = members_##name_};
#include "chip/snapshot.def"

static const struct snapshot_type *const types[] = {
#define STATE(name)
#define OWNER(name)
#define PART(name, first, type)
#define BOOLS(name, first, last)
#define PLAIN(name, member)
#define LIMIT(name, member, type, most)
#define TEXT(name, member)
#define BOOL(name, member)
#define INNER(name, member, type)
#define PAGES(name, member)
#define LEAVE(name, member)
#define BESIDE(name, member)
#define HINTS(name)
#define END(name) &snapshot_type_##name,
#include "chip/snapshot.def"
};

enum { TYPES = sizeof types / sizeof types[0] };

const struct snapshot_type *snapshot_type_at(size_t index)
{
    return index < TYPES ? types[index] : NULL;
}

static void hash_text(struct snapshot_hash *hash, const char *text)
{
    uint64_t length = strlen(text);
    char padded[64] = "";
    memcpy(padded, text, length < sizeof padded ? length : sizeof padded);
    snapshot_hash_add(hash, padded, sizeof padded);
}

static bool is_saved(const struct snapshot_member *member)
{
    return member->kind < SNAPSHOT_LEAVE;
}

/* Compilers agree about offsets, since state has no gaps. */
uint64_t snapshot_layout(void)
{
    const uint64_t links = sizeof(struct links_state); /* numbers that need no rows */
    struct snapshot_hash hash;
    snapshot_hash_init(&hash);
    hash_text(&hash, PACKAGE_VERSION);
    snapshot_hash_add(&hash, &links, sizeof links);
    for (unsigned i = 0; i < TYPES; i++) {
        uint64_t size = types[i]->is_state ? types[i]->size : 0;
        hash_text(&hash, types[i]->name);
        snapshot_hash_add(&hash, &size, sizeof size);
        for (unsigned j = 0; j < types[i]->members; j++) {
            const struct snapshot_member *member = &types[i]->member[j];
            uint64_t numbers[5] = {member->kind, 0, member->unit, member->most,
                                   types[i]->is_state ? member->offset : 0};
            if (member->kind != SNAPSHOT_INNER && is_saved(member)) {
                numbers[1] = member->size;
            } else if (member->kind == SNAPSHOT_INNER) {
                numbers[1] = member->size / member->type->size;
            }
            hash_text(&hash, member->name);
            snapshot_hash_add(&hash, numbers, sizeof numbers);
        }
    }
    return snapshot_hash_value(&hash);
}

/* --- Pages --- */

static bool is_zero(const uint8_t *bytes, size_t size)
{
    static const uint8_t zeros[SNAPSHOT_PAGE];
    for (; size > sizeof zeros; size -= sizeof zeros, bytes += sizeof zeros) {
        if (memcmp(bytes, zeros, sizeof zeros) != 0) {
            return false;
        }
    }
    return memcmp(bytes, zeros, size) == 0;
}

/* Pages that are not zero, by number. `first` is the number of the first, `size` a multiple of a
 * page. */
void snapshot_put_pages(struct snapshot_writer *writer, const void *memory, size_t size,
                        uint64_t first)
{
    const uint8_t *bytes = memory;
    for (size_t at = 0; at < size; at += SNAPSHOT_PAGE) {
        if (!is_zero(bytes + at, SNAPSHOT_PAGE)) {
            snapshot_put_number(writer, first + at / SNAPSHOT_PAGE);
            snapshot_put(writer, bytes + at, SNAPSHOT_PAGE);
        }
    }
}

/* The number of the next page, above *last and below `pages`; false at the end. */
bool snapshot_next_page(struct snapshot_reader *reader, uint64_t pages, uint64_t *last, bool *any)
{
    uint64_t number = snapshot_get_number(reader, "a page", UINT64_MAX);
    if (reader->status != PENROSE_OK || number == SNAPSHOT_NO_MORE) {
        return false;
    }
    if (number >= pages || (*any && number <= *last)) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "page %llu is not where one can be",
                      (unsigned long long)number);
        return false;
    }
    *last = number;
    *any = true;
    return true;
}

static void clear_pages(uint8_t *memory, uint64_t from, uint64_t end)
{
    for (uint64_t page = from; page < end; page++) {
        if (!is_zero(memory + page * SNAPSHOT_PAGE, SNAPSHOT_PAGE)) {
            memset(memory + page * SNAPSHOT_PAGE, 0, SNAPSHOT_PAGE);
        }
    }
}

/* Pages that the snapshot has not are zero, whatever a new chip has there. */
void snapshot_get_memory(struct snapshot_reader *reader, void *memory, size_t size)
{
    uint64_t number = 0, next = 0;
    bool any = false;
    while (snapshot_next_page(reader, size / SNAPSHOT_PAGE, &number, &any)) {
        clear_pages(memory, next, number);
        snapshot_get_sparing(reader, (uint8_t *)memory + number * SNAPSHOT_PAGE, SNAPSHOT_PAGE);
        next = number + 1;
    }
    clear_pages(memory, next, size / SNAPSHOT_PAGE);
}

void snapshot_put_memory(struct snapshot_writer *writer, const void *memory, size_t size)
{
    snapshot_put_pages(writer, memory, size, 0);
    snapshot_put_number(writer, SNAPSHOT_NO_MORE);
}

/* --- Members --- */

void snapshot_put_object(struct snapshot_writer *writer, const struct snapshot_type *type,
                         const void *object)
{
    if (type->is_state) {
        snapshot_put(writer, object, type->size);
        return;
    }
    for (unsigned i = 0; i < type->members; i++) {
        const struct snapshot_member *member = &type->member[i];
        const uint8_t *at = (const uint8_t *)object + member->offset;
        switch (member->kind) {
        case SNAPSHOT_PLAIN:
        case SNAPSHOT_LIMIT:
            snapshot_put(writer, at, member->size);
            break;
        case SNAPSHOT_INNER:
            for (uint32_t done = 0; done < member->size; done += member->type->size) {
                snapshot_put_object(writer, member->type, at + done);
            }
            break;
        case SNAPSHOT_PAGES:
            snapshot_put_memory(writer, at, member->size);
            break;
        case SNAPSHOT_HINTS:
            if (snapshot_is_hash(writer)) {
                return;
            }
            break;
        case SNAPSHOT_LEAVE:
        case SNAPSHOT_BESIDE:
            break;
        }
    }
}

static void check_limit(struct snapshot_reader *reader, const struct snapshot_type *type,
                        const struct snapshot_member *member, const uint8_t *at)
{
    for (uint32_t done = 0; done < member->size; done += member->unit) {
        uint64_t value = 0;
        memcpy(&value, at + done, member->unit);
        if (value > member->most) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "%s of %s is %llu, the most is %llu",
                          member->name, type->name, (unsigned long long)value,
                          (unsigned long long)member->most);
        }
    }
}

static void check_state(struct snapshot_reader *reader, const struct snapshot_type *type,
                        const void *object)
{
    for (unsigned i = 0; i < type->members && reader->status == PENROSE_OK; i++) {
        const struct snapshot_member *member = &type->member[i];
        const uint8_t *at = (const uint8_t *)object + member->offset;
        if (member->kind == SNAPSHOT_LIMIT) {
            check_limit(reader, type, member, at);
        } else {
            for (uint32_t done = 0; done < member->size; done += member->type->size) {
                check_state(reader, member->type, at + done);
            }
        }
    }
}

void snapshot_get_object(struct snapshot_reader *reader, const struct snapshot_type *type,
                         void *object)
{
    if (type->is_state) {
        snapshot_get_sparing(reader, object, type->size);
        check_state(reader, type, object);
        return;
    }
    for (unsigned i = 0; i < type->members && reader->status == PENROSE_OK; i++) {
        const struct snapshot_member *member = &type->member[i];
        uint8_t *at = (uint8_t *)object + member->offset;
        switch (member->kind) {
        case SNAPSHOT_PLAIN:
            snapshot_get_sparing(reader, at, member->size);
            break;
        case SNAPSHOT_LIMIT:
            snapshot_get_sparing(reader, at, member->size);
            check_limit(reader, type, member, at);
            break;
        case SNAPSHOT_INNER:
            for (uint32_t done = 0; done < member->size; done += member->type->size) {
                snapshot_get_object(reader, member->type, at + done);
            }
            break;
        case SNAPSHOT_PAGES:
            snapshot_get_memory(reader, at, member->size);
            break;
        case SNAPSHOT_HINTS:
        case SNAPSHOT_LEAVE:
        case SNAPSHOT_BESIDE:
            break;
        }
    }
}

/* Is nothing but zeros to be saved of it? */
bool snapshot_is_blank(const struct snapshot_type *type, const void *object)
{
    if (type->is_state || is_zero(object, type->size)) {
        return is_zero(object, type->size);
    }
    for (unsigned i = 0; i < type->members; i++) {
        const struct snapshot_member *member = &type->member[i];
        const uint8_t *at = (const uint8_t *)object + member->offset;
        if (member->kind != SNAPSHOT_INNER) {
            if (is_saved(member) && !is_zero(at, member->size)) {
                return false;
            }
            continue;
        }
        for (uint32_t done = 0; done < member->size; done += member->type->size) {
            if (!snapshot_is_blank(member->type, at + done)) {
                return false;
            }
        }
    }
    return true;
}
