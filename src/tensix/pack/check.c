/*
 * The packer: what cannot be as Config stands, and reports.
 *
 * SPEC: WormholeB0 Packers/FormatConversion, ReLU, ExponentThresholding.
 */
#include <stdarg.h>
#include <stdio.h>

#include "tensix/pack/job.h"

#define NEGATIVE UINT16_C(0x8000)

/* --- What is wrong --- */

enum pack_refusal pack_check_output(const struct tensix *tensix,
                                    const struct tensix_pack_plan *plan)
{
    unsigned to = plan->how.to;
    bool is_sum =
        to == NUM_FORMAT_FLOAT32 || to == NUM_FORMAT_FLOAT16 || to == NUM_FORMAT_FLOAT16_B;
    if (!num_format_info(to)) {
        return PACK_BAD_OUT;
    }
    if (plan->accumulates && !is_sum) {
        return PACK_BAD_ACCUMULATION;
    }
    if (plan->compresses && plan->accumulates) {
        return PACK_BAD_COMPRESSION;
    }
    if (pack_section(tensix, plan->which, plan->state,
                     TENSIX_FIELD_THCON_SEC0_REG1_pack_start_intf_pos)) {
        return PACK_NO_START_POSITION;
    }
    if (pack_section(tensix, plan->which, plan->state,
                     TENSIX_FIELD_THCON_SEC0_REG1_pack_dis_y_pos_start_offset)) {
        return PACK_NO_Y_OFFSET;
    }
    if (pack_section(tensix, plan->which, plan->state,
                     TENSIX_FIELD_THCON_SEC0_REG1_Downsample_rate)) {
        return PACK_NO_DOWNSAMPLE_RATE;
    }
    return PACK_FINE;
}

/* May In_data_format be called that? LLK writes FP16 where ten bits of mantissa go on to E4M3. */
static bool fits_kind(unsigned in, enum num_pack_kind kind)
{
    switch (in) {
    case NUM_FORMAT_FLOAT16:
    case NUM_FORMAT_TF32:
        return kind == NUM_PACK_TF32;
    case NUM_FORMAT_FLOAT16_B:
        return kind == NUM_PACK_BF16;
    default:
        return false;
    }
}

static enum pack_refusal check_relu(const struct tensix_pack_plan *plan)
{
    if (plan->from_l1 || plan->how.relu.mode <= NUM_RELU_ZERO) {
        return PACK_FINE;
    }
    if (plan->how.relu.threshold & NEGATIVE) {
        return PACK_BAD_RELU_SIGN;
    }
    return plan->kind >= NUM_PACK_INT32 ? PACK_BAD_RELU_INTEGER : PACK_FINE;
}

enum pack_refusal pack_check_input(const struct tensix_pack_plan *plan)
{
    enum num_pack_kind kind = (enum num_pack_kind)plan->kind;
    if (kind == NUM_PACK_NONE) {
        return plan->from_l1 ? PACK_BAD_L1_SOURCE : PACK_BAD_EARLY;
    }
    if (!plan->from_l1 && plan->in != plan->dstacc && !fits_kind(plan->in, kind)) {
        return PACK_BAD_IN;
    }
    if (!num_pack_late_is_legal(kind, (enum num_format)plan->how.to)) {
        return PACK_BAD_LATE;
    }
    if (plan->thresholds && plan->in == NUM_FORMAT_BFP2) {
        return PACK_BAD_THRESHOLD;
    }
    return check_relu(plan);
}

/* --- Reports --- */

bool pack_report(struct pack_job *job, enum penrose_fault_kind kind, const char *format, ...)
{
    char text[sizeof((struct tensix_fault *)0)->text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    job->answer = tensix_fault(job->tensix, job->thread, kind, "PACR: %s", text);
    return false;
}

static const char *format_name(unsigned format)
{
    static const char *const none[] = {"12", "13"};
    const struct num_format_info *info = num_format_info(format);
    return info ? info->name : none[format & 1];
}

static bool refuse_output(struct pack_job *job)
{
    /* Fields that no source explains, and combinations that it does not mention. */
    static const char *const unknown[PACK_REFUSALS] = {
        [PACK_BAD_COMPRESSION] = "Pack_L1_Acc does to a compressed tile; set "
                                 "THCON_SEC0_REG1_Disable_zero_compress",
        [PACK_NO_START_POSITION] = "THCON_SEC0_REG1_pack_start_intf_pos does; it must be 0",
        [PACK_NO_Y_OFFSET] = "THCON_SEC0_REG1_pack_dis_y_pos_start_offset does; it must be 0",
        [PACK_NO_DOWNSAMPLE_RATE] = "THCON_SEC0_REG1_Downsample_rate does; it must be 0",
    };
    const struct tensix_pack_plan *plan = job->plan;
    switch (plan->refusal) {
    case PACK_BAD_OUT:
        return pack_report(job, PENROSE_FAULT_TENSIX_UNDEFINED,
                           "THCON_SEC0_REG1_Out_data_format is %s, which is no format; 12 and 13 "
                           "are none",
                           format_name(plan->how.to));
    case PACK_BAD_ACCUMULATION:
        return pack_report(job, PENROSE_FAULT_UNIMPLEMENTED,
                           "THCON_SEC0_REG1_Pack_L1_Acc adds Float32, Float16 and Float16_b; no "
                           "source says what it does with %s",
                           format_name(plan->how.to));
    default:
        return pack_report(job, PENROSE_FAULT_UNIMPLEMENTED, "no source says what %s",
                           unknown[plan->refusal]);
    }
}

static bool refuse_input(struct pack_job *job)
{
    const enum penrose_fault_kind kind = PENROSE_FAULT_TENSIX_UNDEFINED;
    const struct tensix_pack_plan *plan = job->plan;
    const char *in = format_name(plan->in);
    switch (plan->refusal) {
    case PACK_BAD_EARLY:
        return pack_report(
            job, kind,
            "Dst of %u bits cannot give %s (ALU_FORMAT_SPEC_REG2_Dstacc) with Read_int8 %u, "
            "Read_unsigned %u, Round_10b_mant %u (PCK_DEST_RD_CTRL)",
            plan->how.early.is_32bit ? 32 : 16, format_name(plan->dstacc), plan->how.early.is_raw,
            plan->how.early.is_unsigned, plan->how.early.rounds_10bit);
    case PACK_BAD_L1_SOURCE:
        return pack_report(job, kind,
                           "L1 as the source (Source_interface_selection) cannot give %s "
                           "(THCON_SEC0_REG1_In_data_format)",
                           in);
    case PACK_BAD_IN:
        return pack_report(job, kind,
                           "THCON_SEC0_REG1_In_data_format is %s, but ALU_FORMAT_SPEC_REG2_Dstacc "
                           "%s; they have to be equal",
                           in, format_name(plan->dstacc));
    case PACK_BAD_LATE:
        return pack_report(job, kind,
                           "the late conversion cannot make %s (THCON_SEC0_REG1_Out_data_format) "
                           "of %s (In_data_format)",
                           format_name(plan->how.to), in);
    case PACK_BAD_RELU_SIGN:
        return pack_report(job, kind,
                           "STACC_RELU_ReluThreshold 0x%04x is negative, which ApplyRelu 2 and 3 "
                           "do not allow; clear its bit 15",
                           plan->how.relu.threshold);
    case PACK_BAD_RELU_INTEGER:
        return pack_report(job, kind,
                           "STACC_RELU_ApplyRelu %u compares numbers with a fraction, and Dst "
                           "gives %s; use 0 or 1",
                           plan->how.relu.mode, format_name(plan->dstacc));
    default:
        return pack_report(job, kind,
                           "THCON_SEC0_REG1_Exp_threshold_en does not work with In_data_format "
                           "%s, a hardware bug",
                           in);
    }
}

bool pack_refuse(struct pack_job *job)
{
    return job->plan->refusal < PACK_BAD_EARLY ? refuse_output(job) : refuse_input(job);
}
