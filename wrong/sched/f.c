#include "../base/base.h"
