// SPDX-License-Identifier: Apache-2.0

package import KeychainCore
import KeychainHost

/// A JSON file of preferences, which is replaced as a whole: concurrent changes by several programs are applied one
/// after the other.
package struct PreferencesFile: Sendable {
    /// Its path.
    package let path: String

    /// Whether every user may read it.
    private let isForEveryone: Bool

    private static let maximumBytes = 1 << 20
    private static let maximumAttempts = 100

    /// The file at a path, in folders that are made with it.
    package init(_ path: String, isForEveryone: Bool = false) {
        (self.path, self.isForEveryone) = (path, isForEveryone)
    }

    /// The bytes; `nil` if there is no file.
    package func read() throws(KeychainError) -> [UInt8]? { try readMarked()?.bytes }

    /// Replaces the contents.
    ///
    /// - Parameter change: makes the new contents of the former bytes, which are `nil` if there is no file; again if
    ///   another program has changed them meanwhile.
    /// - Throws: ``KeychainError``, or what `change` throws.
    package func change(_ change: ([UInt8]?) throws(KeychainError) -> [String: JSONValue]) throws(KeychainError) {
        for _ in 0..<Self.maximumAttempts {
            let former = try readMarked()
            let text = JSONValue.object(try change(former?.bytes)).indentedText + "\n"
            if try write(Array(text.utf8), replacing: former?.mark) { return }
        }
        throw KeychainError(.notAvailable, "other programs keep changing the preferences", kind: .storage(.busy))
    }

    private func readMarked() throws(KeychainError) -> (bytes: [UInt8], mark: AtomicFile.Mark)? {
        do throws(FileError) {
            return try AtomicFile.read(path, limit: Self.maximumBytes)
        } catch {
            throw KeychainError(keychainFile: error)
        }
    }

    /// - Returns: Whether no other process changed the file meanwhile.
    private func write(_ bytes: [UInt8], replacing mark: AtomicFile.Mark?) throws(KeychainError) -> Bool {
        do throws(FileError) {
            guard mark == nil else { return try AtomicFile.replace(path, mark, with: bytes) != nil }
            try AtomicFile.makeFolders(above: path, mode: isForEveryone ? 0o755 : 0o700)
            _ = try AtomicFile.create(path, bytes, mode: isForEveryone ? 0o644 : 0o600)
            return true
        } catch {
            if case .taken = error { return false }
            throw KeychainError(keychainFile: error)
        }
    }
}
