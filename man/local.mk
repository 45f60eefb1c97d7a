dist_man1_MANS += %D%/penrose.1
