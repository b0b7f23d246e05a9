// SPDX-License-Identifier: Apache-2.0
#ifndef KEYCHAIN_CSYSTEMD_SHIM_H
#define KEYCHAIN_CSYSTEMD_SHIM_H

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-login.h>

#endif
