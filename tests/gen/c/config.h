/* Two settings that belong together.
 * bug: config_get reads them under two locks: a pair that was never set.
 * kind: result */
#ifndef CONFIG_H
#define CONFIG_H
struct config;
struct config *config_new(void);
void config_free(struct config *c);
void config_set(struct config *c, int width, int height);
void config_get(const struct config *c, int *width, int *height);
#endif
