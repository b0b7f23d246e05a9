// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Test vectors that others publish, which `Scripts/vectors` brings.
package enum TestVectors {
    /// Where they are, as `SWIFT_KEYCHAIN_VECTORS` says; `nil` where it says nothing.
    package static let folder = ProcessInfo.processInfo.environment["SWIFT_KEYCHAIN_VECTORS"].map {
        URL(fileURLWithPath: $0)
    }
}
