/* brisc makes two matrices, lets the three TRISCs multiply them, and checks the product. */
#include "kit/console.h"
#include "shared.h"

/* The upper half of a float is a BF16. */
static uint16_t bf16_of(unsigned number)
{
    uint32_t exponent = 127;
    if (!number) {
        return 0;
    }
    while (number >> (exponent - 127 + 1)) {
        exponent++;
    }
    return (uint16_t)(exponent << 7 | (number << 7 >> (exponent - 127) & 0x7f));
}

static unsigned number_of(uint16_t bf16)
{
    unsigned exponent = bf16 >> 7 & 0xff, mantissa = 0x80 | (bf16 & 0x7f);
    return exponent < 127 ? 0 : mantissa << (exponent - 127) >> 7;
}

static unsigned left(unsigned row, unsigned column)
{
    return (row + column) % 4;
}

static unsigned right(unsigned row, unsigned column)
{
    return row == column ? 2 : row == 0;
}

static void fill(uint32_t address, unsigned (*number)(unsigned row, unsigned column))
{
    volatile uint16_t *matrix = (volatile uint16_t *)address;
    for (unsigned i = 0; i < DATA; i++) {
        matrix[i] = bf16_of(number(i / SIDE, i % SIDE));
    }
}

static unsigned check(void)
{
    const volatile uint16_t *product = (const volatile uint16_t *)PRODUCT;
    unsigned wrong = 0;
    for (unsigned i = 0; i < DATA; i++) {
        unsigned expected = 0, found = number_of(product[i]);
        for (unsigned k = 0; k < SIDE; k++) {
            expected += left(i / SIDE, k) * right(k, i % SIDE);
        }
        if (found != expected && wrong++ == 0) {
            print("row %u, column %u is %u and should be %u\n", i / SIDE, i % SIDE, found,
                  expected);
        }
    }
    return wrong;
}

int main(void)
{
    fill(LEFT, left);
    fill(RIGHT, right);
    fence();
    mailbox_send(TRISC0, 1);
    consume(mailbox_receive(TRISC2));
    unsigned wrong = check();
    print("%u of %u numbers are right\n", DATA - wrong, DATA);
    return (int)wrong;
}
