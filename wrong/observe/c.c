#  include "runtime/core/rt.h"
