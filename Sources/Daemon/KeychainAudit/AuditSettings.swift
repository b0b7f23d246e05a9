// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// Whether a daemon logs requests, and with which attributes: a file beside the store, which persists across restarts
/// of the daemon.
package struct AuditSettings: Sendable, Hashable {
    /// The attributes to log with calls of item functions.
    package var attributes: Set<AuditAttribute>

    /// A log with attributes.
    package init(attributes: Set<AuditAttribute> = []) { self.attributes = attributes }

    /// The name of the file.
    package static let fileName = "audit.settings"

    private static let maximumBytes = 4096

    /// The settings in the folder of a store; `nil` if nothing is to be logged.
    ///
    /// A file that cannot be read means a log without attributes: damage does not end a log.
    package init?(in folder: PrivateDirectory) {
        guard folder.isTaken(Self.fileName) else { return nil }
        self.init()
        let contents = try? folder.withContents(of: Self.fileName, limit: Self.maximumBytes) { Array($0) }
        guard let contents, let object = try? JSONParser.parse(contents) else { return }
        let names = (object["attributes"].elements ?? []).compactMap(\.string)
        attributes = Set(names.compactMap { AuditAttribute(rawValue: $0) })
    }

    /// Writes the settings, which a running daemon reads with its next connection.
    package func write(in folder: PrivateDirectory) throws(FileError) {
        let object = JSONValue.object(["attributes": .strings(attributes.map(\.rawValue).sorted())])
        let bytes = Array("\(object.text)\n".utf8)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileError) in try folder.makeFile(Self.fileName, bytes) }
        }
        try result.get()
    }

    /// Removes the settings: nothing is logged any more.
    package static func remove(in folder: PrivateDirectory) { folder.remove(fileName) }
}
