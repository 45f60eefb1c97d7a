/* Our hart with L1 and local RAM; everything else faults. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "rv32/code.h"

enum { BOARD_LOCAL_BYTES = 8192, LONGEST_BURST = 3000 };

struct board {
    struct rv32_hart hart;
    struct rv32_code code;
    struct rv32_bus bus;
    struct rv32_page *map[L1_BYTES / RV32_PAGE_BYTES];
    uint8_t marks[L1_BYTES >> RV32_L1_MARK_SHIFT];
    uint8_t l1[L1_BYTES];
    uint8_t local[BOARD_LOCAL_BYTES];
};

static enum answer board_access(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    struct board *board = owner;
    if (access->store && access->address < L1_BYTES) { /* a line that holds code */
        memcpy(board->l1 + access->address, &access->value, access->size);
        rv32_code_written(&board->code, access->address, access->size);
        return ANSWER_DONE;
    }
    if (access->address < RV32_NULL_BYTES) {
        access->value = 0;
        memcpy(&access->value, board->l1 + access->address, access->size);
        return ANSWER_DONE;
    }
    return rv32_bus_fault(hart, PENROSE_FAULT_UNMAPPED, access->address, "nothing at 0x%08" PRIx32,
                          access->address);
}

/* Programs have no .ttinsn. */
static bool board_push(void *owner, struct rv32_hart *hart, uint32_t address, uint32_t word,
                       uint64_t cycle)
{
    (void)owner, (void)hart, (void)address, (void)word, (void)cycle;
    return false;
}

static enum answer board_fence(void *owner, struct rv32_hart *hart, uint64_t cycle)
{
    (void)owner, (void)hart, (void)cycle;
    return ANSWER_DONE;
}

struct board *board_create(void)
{
    struct board *board = calloc(1, sizeof *board);
    struct rv32_code_store *store = rv32_code_store_create(&rv32_chip_decoder);
    if (!board || !store) {
        rv32_code_store_destroy(store);
        free(board);
        return NULL;
    }
    board->bus =
        (struct rv32_bus){.access = board_access, .push = board_push, .fence = board_fence};
    board->code = (struct rv32_code){.map = board->map,
                                     .pages = L1_BYTES / RV32_PAGE_BYTES,
                                     .l1 = board->l1,
                                     .marks = board->marks,
                                     .store = store};
    board->hart = (struct rv32_hart){.core = RV32_B,
                                     .l1 = board->l1,
                                     .l1_direct = L1_BYTES - RV32_NULL_BYTES,
                                     .l1_marks = board->marks,
                                     .local = board->local,
                                     .local_size = BOARD_LOCAL_BYTES,
                                     .code = &board->code,
                                     .bus = &board->bus,
                                     .owner = board};
    return board;
}

void board_destroy(struct board *board)
{
    rv32_code_invalidate(&board->code);
    rv32_code_store_destroy(board->code.store);
    free(board);
}

const struct isa_index *board_index(const struct board *board)
{
    return rv32_code_store_index(board->code.store);
}

static void load(struct board *board, const struct image *image)
{
    memset(board->l1, 0, sizeof board->l1);
    memcpy(board->l1 + CODE_ADDRESS, image->code, image->words * sizeof image->code[0]);
    memcpy(board->l1 + WINDOW_ADDRESS, image->window, sizeof image->window);
    memset(board->local, 0, sizeof board->local);
    memcpy(board->local, image->local, sizeof image->local);
    rv32_code_written(&board->code, 0, L1_BYTES);
    rv32_reset(&board->hart, CODE_ADDRESS, 0);
}

static void conclude(const struct board *board, const struct image *image, struct outcome *outcome)
{
    const struct rv32_hart *hart = &board->hart;
    outcome->retired = hart->retired;
    outcome->l1_words = (WINDOW_BYTES + image->log_bytes) / 4;
    memcpy(outcome->l1, board->l1 + WINDOW_ADDRESS, WINDOW_BYTES + image->log_bytes);
    memcpy(outcome->local, board->local, sizeof outcome->local);
    outcome->ending = ENDED_BADLY;
    if (hart->stop == RV32_STOP_PAUSE && hart->pc == image->end_pc) {
        outcome->ending = ENDED;
        return;
    }
    if (hart->stop == RV32_RUNNING) {
        outcome->ending = ENDED_NEVER;
    }
    snprintf(outcome->detail, sizeof outcome->detail, "stop %d at pc 0x%08" PRIx32 ": %s",
             (int)hart->stop, hart->pc,
             hart->stop == RV32_STOP_FAULT ? hart->fault.detail : "no fault");
}

/* --- Mutants: an instruction that gives wrong results for half of its operands --- */

struct step {
    int row;                 /* -1: nothing to falsify */
    uint32_t pc, word, a, b; /* instruction and operands */
};

static struct step look_at_step(const struct board *board)
{
    const struct rv32_hart *hart = &board->hart;
    struct step step = {.pc = hart->pc};
    memcpy(&step.word, board->l1 + hart->pc, sizeof step.word);
    step.row = isa_index_find(board_index(board), step.word);
    step.a = hart->x[step.word >> 15 & 31];
    step.b = hart->x[step.word >> 20 & 31];
    return step;
}

static void falsify_store(struct board *board, const struct step *step)
{
    uint32_t address =
        step->a + (uint32_t)isa_field_get(row_field((unsigned)step->row, "imm"), step->word);
    if (!__builtin_parity(step->b)) {
        return;
    }
    if (address < L1_BYTES) {
        board->l1[address] ^= 1;
    } else if (address - RV32_LOCAL_BASE < BOARD_LOCAL_BYTES) {
        board->local[address - RV32_LOCAL_BASE] ^= 1;
    }
}

static void falsify(struct board *board, const struct step *step)
{
    struct rv32_hart *hart = &board->hart;
    struct rv32_effects effects = rv32_row_effects((unsigned)step->row, step->word);
    if (effects.class == RV32_CLASS_STORE) {
        falsify_store(board, step);
    } else if (effects.class == RV32_CLASS_BRANCH && __builtin_parity(step->a ^ step->b)) {
        int32_t distance = isa_field_get(row_field((unsigned)step->row, "target"), step->word);
        hart->pc = hart->pc == step->pc + 4 ? step->pc + (uint32_t)distance : step->pc + 4;
    } else if (effects.writes) {
        uint32_t *rd = &hart->x[step->word >> 7 & 31];
        /* what follows from the pc changes when programs shrink */
        bool always = effects.class == RV32_CLASS_JUMP || !effects.reads;
        *rd ^= always || !__builtin_parity(*rd) ? UINT32_C(1) << 7 : 0;
    }
}

/* --- Running --- */

void board_step(struct board *board, const struct image *image, uint64_t most, int mutant,
                uint64_t *hits, struct outcome *outcome)
{
    struct rv32_hart *hart = &board->hart;
    uint64_t now = 0;
    load(board, image);
    do {
        uint32_t at = (hart->pc - CODE_ADDRESS) / 4;
        struct step step = {.row = -1};
        if (mutant >= 0 && image_is_tested(image, at)) {
            step = look_at_step(board);
        }
        if (hits && at < image->words) {
            hits[at]++;
        }
        now = rv32_run(hart, now, now + 1);
        if (step.row >= 0 && step.row == mutant && hart->stop == RV32_RUNNING) {
            falsify(board, &step);
        }
    } while (hart->stop == RV32_RUNNING && now < most);
    conclude(board, image, outcome);
}

void board_burst(struct board *board, const struct image *image, uint64_t most,
                 struct random *random, struct outcome *outcome)
{
    struct rv32_hart *hart = &board->hart;
    uint64_t now = 0;
    load(board, image);
    do {
        uint32_t longest = random_below(random, LONGEST_BURST) + 1;
        now = rv32_run(hart, now, now + random_below(random, longest) + 1);
    } while (hart->stop == RV32_RUNNING && now < most);
    conclude(board, image, outcome);
}
