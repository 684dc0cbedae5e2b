#include "thread.h"
