// SPDX-License-Identifier: Apache-2.0
#include <CommonCrypto/CommonSymmetricKeywrap.h>

// RFC 3394, section 2.2.3.1.
static const uint8_t initial_value[8] = {0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6};

const uint8_t *const CCrfc3394_iv = initial_value;
const size_t CCrfc3394_ivLen = sizeof(initial_value);
