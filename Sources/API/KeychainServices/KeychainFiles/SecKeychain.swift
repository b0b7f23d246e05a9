// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// A keychain: a file-based one, or the data protection keychain if the user has no others.
///
/// Two keychains are equal if they are the same file. The file need not exist.
public final class SecKeychain: Hashable, Sendable {
    /// The path of the file; `nil` for the data protection keychain.
    let path: String?

    /// The data protection keychain, as a place to import to.
    static let standard = SecKeychain(path: nil)

    init(path: String?) { self.path = path }

    /// Whether both are one file.
    public static func == (left: SecKeychain, right: SecKeychain) -> Bool { left.key == right.key }

    /// Feeds the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    private var key: PathKey? { path.map(PathKey.init) }
}
