// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "xsk.h"

enum core_support xsk_core_of(int flagged, int odd)
{
	switch (flagged) {
	case 0:
		return CORE_FULL;
	case -EAFNOSUPPORT:
		return CORE_NO_AF_XDP;
	case -EPERM:
		return CORE_DENIED;
	case -EINVAL:
		return odd == -EINVAL ? CORE_NO_FLAG : CORE_NONE;
	default:
		return CORE_UNKNOWN;
	}
}
