// SPDX-License-Identifier: Apache-2.0

// Apple's name for what PortableLocalAuthentication declares. As on Apple platforms, it brings Security with it.
@_exported public import PortableLocalAuthentication
@_exported public import Security
