/* Texts from elsewhere, for terminals and JSON. */
#include <stdlib.h>
#include <string.h>

#include "isa/json_text.h"
#include "isa/plain_text.h"
#include "unit/random.h"
#include "unit/test.h"

static const struct {
    const char *text, *plain, *json;
} rows[] = {
    {"main.c:12\n\tnext", "main.c:12\n\tnext", "main.c:12\n\tnext"},
    {"\x1b[31mred", "?[31mred", "\x1b[31mred"},
    {"a\rb\bc\x7f", "a?b?c?", "a\rb\bc\x7f"},
    {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
     "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"\xc2\x9b"
     "31m",
     "??31m",
     "\xc2\x9b"
     "31m"}, /* CSI as one character */
    {"\x9b"
     "31m",
     "?31m",
     "\xef\xbf\xbd"
     "31m"}, /* and as a byte */
    {"\xff\xfe", "??", "\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xe2\x82", "??", "\xef\xbf\xbd\xef\xbf\xbd"},                  /* cut */
    {"\xc0\xaf", "??", "\xef\xbf\xbd\xef\xbf\xbd"},                  /* too long for '/' */
    {"\xed\xa0\x80", "???", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* half of a pair */
    {"\xf4\x90\x80\x80", "????", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
};

TEST_EACH(a_text_becomes_plain, COUNT(rows))
{
    char text[64];
    json_t *json = json_text(rows[_i].text);
    strcpy(text, rows[_i].text);
    plain_text(text, strlen(text));
    ck_assert_str_eq(text, rows[_i].plain);
    ck_assert_str_eq(json_string_value(json), rows[_i].json);
    json_decref(json);
    ck_assert_ptr_null(json_text(NULL));
}

/* Whatever the bytes: what comes is UTF-8, and what is plain stays. */
TEST(any_bytes_become_plain)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < 20000; i++) {
        char text[24] = "";
        for (unsigned k = 0; k < sizeof text - 1; k++) {
            text[k] = (char)(random_below(&state, 3) ? 0x80 + random_below(&state, 128)
                                                     : 1 + random_below(&state, 255));
        }
        json_t *any = json_text(text);
        EXPECT(any);
        json_decref(any);
        plain_text(text, strlen(text));
        json_t *plain = json_text(text);
        EXPECT(strcmp(json_string_value(plain), text) == 0);
        for (const char *c = text; *c; c++) {
            EXPECT((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t');
        }
        json_decref(plain);
    }
}
