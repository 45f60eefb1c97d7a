/*
 * What the host tells the programs of this folder and of firmware/vector: words of L1 from
 * ARGUMENTS on, one for each enumerator, in this order. tests/guests/tensor.py reads the order from
 * here.
 *
 * Addresses are in bytes and multiples of 16, formats are codes of DataFormat (formats.h), tensors
 * consist of tiles of 32x32 that lie in L1 one behind the other, row by row, unless a program says
 * otherwise.
 */
#ifndef TENSOR_ARGUMENTS_H
#define TENSOR_ARGUMENTS_H

#define ARGUMENTS UINT32_C(0x9000)

enum argument {
    ARGUMENT_A,                /* address of the first input */
    ARGUMENT_B,                /* of the second one */
    ARGUMENT_RESULT,           /* and of the result */
    ARGUMENT_ROWS,             /* height of the result (untilize, reduce: of the input) in tiles */
    ARGUMENT_COLUMNS,          /* its width in tiles */
    ARGUMENT_INNER,            /* matmul: width of the first and height of the second input */
    ARGUMENT_FORMAT_A,         /* in L1 */
    ARGUMENT_FORMAT_B,         /* in L1 */
    ARGUMENT_FORMAT_SRC_A,     /* what the first input becomes in Src, or in Dst */
    ARGUMENT_FORMAT_SRC_B,     /* what the second one becomes in Src */
    ARGUMENT_FORMAT_PACK,      /* what the packer takes the data of Dst for */
    ARGUMENT_FORMAT_RESULT,    /* in L1 */
    ARGUMENT_IS_DST_32BIT,     /* 0 or 1 */
    ARGUMENT_PHASES,           /* of fidelity: 1 (LoFi) to 4 (HiFi4) */
    ARGUMENT_OPERATION,        /* enum elementwise or enum pooling */
    ARGUMENT_BROADCAST,        /* eltwise: enum broadcast, of the second input's tiles */
    ARGUMENT_DIMENSION,        /* reduce: enum dimension */
    ARGUMENT_IS_UNPACK_TO_DST, /* copy: past Src; 32-bit formats */
    ARGUMENT_C,                /* firmware/vector: address of the third input */
    ARGUMENT_USES_MACROS,      /* firmware/vector: the variant with SFPLOADMACRO */
    ARGUMENTS_END
};

enum elementwise { ELEMENTWISE_ADD, ELEMENTWISE_SUBTRACT, ELEMENTWISE_MULTIPLY };
enum pooling { POOLING_MAX, POOLING_SUM }; /* an average is a sum with another factor */
enum broadcast { BROADCAST_NONE, BROADCAST_ROW, BROADCAST_COLUMN, BROADCAST_SCALAR };
enum dimension { DIMENSION_ROW, DIMENSION_COLUMN, DIMENSION_SCALAR }; /* what becomes one datum */

#endif
