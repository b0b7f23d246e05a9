// SPDX-License-Identifier: Apache-2.0

// The private name of LocalAuthentication; on Apple platforms, of the system's.
#if canImport(Darwin)
@_exported public import LocalAuthentication
@_exported public import Security
#else
@_exported public import LocalAuthenticationServices
#endif
