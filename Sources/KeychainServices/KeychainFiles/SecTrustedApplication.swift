// SPDX-License-Identifier: Apache-2.0

/// A program in an access control list of a macOS keychain file.
public final class SecTrustedApplication: Sendable {
    private init() {}
}
