# embed.cmake: a text file as a C array, for what must be inside the program.
#   cmake -DIN=src/store/schema.sql -DOUT=schema.c -DNAME=hd_sql_schema -P embed.cmake
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${OUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${hex}0};\n")
