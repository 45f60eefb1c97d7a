/* Operand fields of vector instructions; part of table.c. */

static const char *const v_names[32] = {
    "v0",  "v1",  "v2",  "v3",  "v4",  "v5",  "v6",  "v7",  "v8",  "v9",  "v10",
    "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",
    "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
};
static const char *const vm_names[] = {"v0.t"};
static const char *const sew_names[] = {"e8", "e16", "e32", "e64"};
static const char *const lmul_names[] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
static const char *const vta_names[] = {"tu", "ta"};
static const char *const vma_names[] = {"mu", "ma"};

#define V_FIELD(name, lsb)                                                                         \
    static const struct isa_field name = {#name, ISA_REGISTER, {{lsb, 5, 0}}, v_names,             \
                                          32,    NULL,         NULL}
#define VTYPE_FIELD(name, lsb, width, count)                                                       \
    static const struct isa_field name = {                                                         \
        #name, ISA_NAMED, {{lsb, width, 0}}, name##_names, count, NULL, NULL}

V_FIELD(vd, 7);
V_FIELD(vs1, 15);
V_FIELD(vs2, 20);
V_FIELD(vs3, 7); /* the data of a store */
VTYPE_FIELD(lmul, 20, 3, 8);
VTYPE_FIELD(sew, 23, 3, 4);
VTYPE_FIELD(vta, 26, 1, 2);
VTYPE_FIELD(vma, 27, 1, 2);
BITS(vsetvli_reserved, 28, 3); /* bits 8 and up of vtype */
BITS(vsetivli_reserved, 28, 2);
static const struct isa_field vm = {"vm", ISA_OPTIONAL, {{25, 1, 0}}, vm_names, 1, NULL, NULL};
BITS(segment_count, 29, 3); /* of loads and stores: segments or whole registers, less one */
static const struct isa_field simm = {"simm", ISA_SIGNED, {{15, 5, 0}}, NULL, 0, NULL, NULL};
