/* What packets are. */
#ifndef NOC_KIND_H
#define NOC_KIND_H

enum noc_kind {
    NOC_READ,
    NOC_WRITE,
    NOC_ATOMIC,
    NOC_READ_RESPONSE,
    NOC_WRITE_ACK,
    NOC_ATOMIC_RESPONSE,
};

#endif
