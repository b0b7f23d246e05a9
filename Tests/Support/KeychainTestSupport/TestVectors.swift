// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Test vectors that others publish, which `Scripts/vectors` brings.
public enum TestVectors {
    /// Where they are, as `SWIFT_KEYCHAIN_VECTORS` says; `nil` where it says nothing.
    public static let folder = ProcessInfo.processInfo.environment["SWIFT_KEYCHAIN_VECTORS"].map {
        URL(fileURLWithPath: $0)
    }
}
