// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A secret that is a value in a property list file: text or bytes.
///
/// Removing it rewrites the list without the key, in the same format and with the same owner and permissions, and
/// replaces the old list atomically; a list in the old text format, which nothing writes any longer, becomes XML. The
/// remarks about the bytes of a removed file also apply to the old list: see ``FileSecret``.
///
/// Several removals from one list, also by other processes, wait for each other with a lock on the folder. No other
/// program should write the list at the same time: of two writers that do not use the lock, the last one wins.
public struct PropertyListSecret: SecretSource {
    /// The location of the list.
    public let url: URL

    /// The key, at the list's top level.
    public let key: String

    /// The secret in a property list.
    public init(_ url: URL, key: String) {
        self.url = url
        self.key = key
    }

    /// The path and the key.
    public var name: String { "\(url.path), key '\(key)'" }

    /// Reads the value; text as UTF-8.
    public func read() throws(SecretSourceError) -> Data? {
        guard let (list, _) = try list(), let value = list[key] else { return nil }
        guard let secret = StoredSecret.bytes(of: value) else { throw SecretSourceError(.malformed, source: name) }
        return secret
    }

    /// Replaces the list by one without the key.
    public func remove(_ secret: Data) throws(SecretSourceError) {
        // Held from before the list is read until the new one replaces it: an entry that another run removes must not
        // come back.
        let lock = try lockFolder()
        defer { lock?.release() }
        guard let (old, format) = try list(), let value = old[key] else { return try sync() }
        guard StoredSecret.bytes(of: value) == secret else { throw SecretSourceError(.changed, source: name) }
        var list = old
        list[key] = nil
        // Foundation can read the old text form, and stops the program when it is to write it.
        let written = format == .openStep ? .xml : format
        guard let rest = try? PropertyListSerialization.data(fromPropertyList: list, format: written, options: 0) else {
            throw SecretSourceError(.notRemoved, source: name)
        }
        do throws(DurableFileError) {
            if lock?.isExclusive == true { DurableFile.removeTemporaries(of: url.path) }
            try DurableFile.replace(url.path, with: rest)
        } catch {
            throw SecretSourceError(.notRemoved, source: name, errorNumber: error.number)
        }
    }

    private func lockFolder() throws(SecretSourceError) -> FolderLock? {
        do throws(DurableFileError) {
            return try FolderLock(ofFolderOf: url.path)
        } catch {
            throw SecretSourceError(.notRemoved, source: name, errorNumber: error.number)
        }
    }

    private func sync() throws(SecretSourceError) {
        do throws(DurableFileError) {
            try DurableFile.syncFolder(of: url.path)
        } catch {
            throw SecretSourceError(.notRemoved, source: name, errorNumber: error.number)
        }
    }

    private func list() throws(SecretSourceError) -> (
        list: [String: Any], format: PropertyListSerialization.PropertyListFormat
    )? {
        guard let contents = try FileSecret.contents(of: url.path) else { return nil }
        var format = PropertyListSerialization.PropertyListFormat.xml
        let list = try? PropertyListSerialization.propertyList(from: contents, options: [], format: &format)
        guard let list = list as? [String: Any] else { throw SecretSourceError(.malformed, source: name) }
        return (list, format)
    }
}

/// The two ways in which programs keep a secret as a value.
enum StoredSecret {
    /// The bytes of a value that is text or bytes.
    static func bytes(of value: Any) -> Data? {
        if let data = value as? Data { return data }
        return (value as? String).map { Data($0.utf8) }
    }
}
