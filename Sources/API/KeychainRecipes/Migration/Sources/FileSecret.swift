// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A secret that is the whole content of a file.
///
/// - Important: Removing the file only removes its name. The bytes stay on the medium until they are overwritten, and
///   overwriting them first would guarantee nothing: a flash drive and a copy-on-write file system write the new bytes
///   elsewhere, and snapshots and backups keep the old ones. A secret that was ever stored in the clear is best
///   replaced after the migration.
public struct FileSecret: SecretSource {
    /// The location of the file.
    public let url: URL

    /// The secret in a file.
    public init(_ url: URL) { self.url = url }

    /// The path.
    public var name: String { url.path }

    /// Reads the file.
    ///
    /// - Throws: ``SecretSourceError``; anything except a regular file with one name is refused, because removing that
    ///   name would leave the secret under the other one.
    public func read() throws(SecretSourceError) -> Data? { try contents() }

    /// Removes the file, and waits until its folder is written.
    public func remove(_ secret: Data) throws(SecretSourceError) {
        guard let contents = try contents() else {
            // Gone, but perhaps not yet for good: a run before this one may have ended between the two steps.
            return try sync()
        }
        guard contents == secret else { throw SecretSourceError(.changed, source: name) }
        do throws(DurableFileError) {
            try DurableFile.unlink(url.path)
        } catch {
            throw SecretSourceError(.notRemoved, source: name, errorNumber: error.number)
        }
        Checkpoint.notifyObserver("unlinked")
        try sync()
    }

    private func sync() throws(SecretSourceError) {
        do throws(DurableFileError) {
            try DurableFile.syncFolder(of: url.path)
        } catch {
            throw SecretSourceError(.notRemoved, source: name, errorNumber: error.number)
        }
    }

    private func contents() throws(SecretSourceError) -> Data? { try Self.contents(of: url.path) }

    /// The content of a regular file with one name; `nil` if there is none.
    static func contents(of path: String) throws(SecretSourceError) -> Data? {
        do throws(DurableFileError) {
            return try DurableFile.read(path)
        } catch {
            let reason = error.hasOtherNames ? SecretSourceError.Reason.hasOtherNames : .unreadable
            throw SecretSourceError(reason, source: path, errorNumber: error.number)
        }
    }
}
