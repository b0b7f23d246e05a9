// SPDX-License-Identifier: Apache-2.0

/// The version of this package, as its commands print it.
package enum ProductVersion {
    /// The version in the newest heading of `CHANGELOG.md`.
    package static let number = "0.1.0"

    /// The line that `--version` prints.
    package static let text = "swift-keychain \(number)"
}
