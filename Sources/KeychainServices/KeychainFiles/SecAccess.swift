// SPDX-License-Identifier: Apache-2.0

/// An access control list of a macOS keychain file; there are no such files here.
public final class SecAccess: Sendable {
    private init() {}
}
