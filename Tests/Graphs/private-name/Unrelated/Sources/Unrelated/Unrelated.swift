// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Security

/// Whether this package was compiled with Security.
public func sawSecurity() -> Bool { errSecSuccess == 0 }
#else
/// Whether this package was compiled with Security.
public func sawSecurity() -> Bool { false }
#endif

#if canImport(LocalAuthentication)
/// Whether this package was compiled with LocalAuthentication.
public func sawLocalAuthentication() -> Bool { true }
#else
/// Whether this package was compiled with LocalAuthentication.
public func sawLocalAuthentication() -> Bool { false }
#endif
