/* folder.h: the folder where Heddle keeps what it found (.heddle). */
#ifndef HD_FOLDER_H
#define HD_FOLDER_H

/* Makes it unless it is there; a new one gets a .gitignore that covers all of it. 0 or negative
 * errno (-EEXIST: it was there, whatever it is). */
int hd_folder_begin(const char *path);

#endif
