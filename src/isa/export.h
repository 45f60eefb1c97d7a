/* Functions of the public interface; everything else is hidden (-fvisibility=hidden). */
#ifndef ISA_EXPORT_H
#define ISA_EXPORT_H

#define PENROSE_EXPORT __attribute__((visibility("default")))

#endif
