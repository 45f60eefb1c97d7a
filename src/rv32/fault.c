/* The record of a hart's fault. */
#include <stdarg.h>
#include <stdio.h>

#include "rv32/rv32.h"

enum answer rv32_bus_fault(struct rv32_hart *hart, enum penrose_fault_kind kind, uint32_t address,
                           const char *format, ...)
{
    va_list arguments;
    hart->fault = (struct rv32_fault){.kind = kind, .address = address};
    va_start(arguments, format);
    vsnprintf(hart->fault.detail, sizeof hart->fault.detail, format, arguments);
    va_end(arguments);
    return ANSWER_REFUSED;
}
