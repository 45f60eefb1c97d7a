/* The registers of a process in the XML of GDB's target descriptions. */
#include <string.h>

#include "observe/gdb/internal.h"

/* Types of the project's own features. */
static void put_types(struct gdb_text *xml, const char *feature)
{
    if (strstr(feature, "vector")) {
        gdb_put(xml, "<vector id=\"v128w\" type=\"uint32\" count=\"4\"/>"
                     "<vector id=\"v128h\" type=\"uint16\" count=\"8\"/>"
                     "<vector id=\"v128b\" type=\"uint8\" count=\"16\"/>"
                     "<vector id=\"v128f\" type=\"ieee_single\" count=\"4\"/>"
                     "<union id=\"v128\"><field name=\"w\" type=\"v128w\"/>"
                     "<field name=\"h\" type=\"v128h\"/><field name=\"b\" type=\"v128b\"/>"
                     "<field name=\"f\" type=\"v128f\"/></union>");
    }
    if (strstr(feature, "tensix")) {
        gdb_put(xml,
                "<vector id=\"lanes_u\" type=\"uint32\" count=\"%d\"/>"
                "<vector id=\"lanes_i\" type=\"int32\" count=\"%d\"/>"
                "<vector id=\"lanes_f\" type=\"ieee_single\" count=\"%d\"/>"
                "<union id=\"lanes\"><field name=\"f\" type=\"lanes_f\"/>"
                "<field name=\"u\" type=\"lanes_u\"/><field name=\"i\" type=\"lanes_i\"/>"
                "</union>",
                PENROSE_LANES, PENROSE_LANES, PENROSE_LANES);
    }
}

static void put_register(struct gdb_text *xml, const struct gdb_register *reg, size_t number)
{
    gdb_put(xml, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\" regnum=\"%zu\"", reg->name, reg->bits,
            reg->type, number);
    if (reg->group) {
        gdb_put(xml, " group=\"%s\" save-restore=\"no\"", reg->group);
    }
    gdb_put(xml, "/>\n");
}

const struct gdb_text *gdb_features(struct gdb *gdb, const struct gdb_process *process)
{
    struct gdb_text *xml = &gdb->features;
    const char *feature = NULL;
    if (gdb->features_pid == process->pid && xml->size > 0) {
        return xml;
    }
    gdb_text_clear(xml);
    gdb_put(xml, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
                 "<target version=\"1.0\"><architecture>riscv:rv32</architecture>"
                 "<osabi>none</osabi>\n");
    for (size_t i = 0; i < gdb->registers; i++) {
        const struct gdb_register *reg = &gdb->reg[i];
        if (!gdb_has_register(gdb, process, reg)) {
            continue;
        }
        if (reg->feature != feature) {
            gdb_put(xml, "%s<feature name=\"%s\">\n", feature ? "</feature>" : "", reg->feature);
            put_types(xml, reg->feature);
            feature = reg->feature;
        }
        put_register(xml, reg, i);
    }
    gdb_put(xml, "</feature></target>\n");
    gdb->features_pid = process->pid;
    return xml;
}
