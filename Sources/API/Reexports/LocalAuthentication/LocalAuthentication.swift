// SPDX-License-Identifier: Apache-2.0

// Re-exports PortableLocalAuthentication under Apple's name. As on Apple platforms, it also imports Security.
@_exported public import PortableLocalAuthentication
@_exported public import Security
