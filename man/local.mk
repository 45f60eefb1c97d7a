dist_man1_MANS += %D%/penrose.1
dist_man3_MANS = %D%/libttsim.3
