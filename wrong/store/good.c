#include <sqlite3.h>
#include "base/base.h"
#include <string.h>
