// SPDX-License-Identifier: Apache-2.0

import KeychainHost
import Synchronization

/// The name of the account whose keychain is in a folder of the system service: the user ID may later be assigned to
/// another account, which must not get the keychain.
enum PartitionAccount {
    /// The file in the folder.
    static let fileName = KeychainLocation.accountFileName

    /// Longer than any name (useradd(8): 256).
    private static let longestName = 1024

    /// Refuses a folder of another account; records the name in one that has none yet.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - name: the current name of the user's account; `nil` if it is unknown: then the folder of any account is
    ///     refused, and nothing is recorded.
    ///   - user: the user ID.
    /// - Throws: ``DaemonFailure``.
    static func bind(_ folder: PrivateDirectory, to name: String?, _ user: UInt32) throws(DaemonFailure) {
        let recorded: String?
        do throws(FileError) {
            if let known = try Self.name(in: folder) {
                recorded = known
            } else if let name {
                recorded = try recordFirst(name, in: folder)
            } else {
                recorded = nil
            }
        } catch {
            throw DaemonFailure(error)
        }
        guard recorded != name else { return }
        guard let name else {
            throw DaemonFailure(
                "the account of user \(user) cannot be determined now, and the keychain in \(folder.path) is that of "
                    + "one account only; try again once 'getent passwd \(user)' finds it"
            )
        }
        throw DaemonFailure(
            "user \(user) is the account '\(name)' now, and the keychain in \(folder.path) is that of another account; "
                + "root has to remove that folder, or, if the account was renamed, the file '\(fileName)' in it"
        )
    }

    /// Held while a name is recorded: the first two programs of a user may connect at the same time.
    private static let recording = Mutex<Void>(())

    /// Records the name in a folder that has none.
    ///
    /// - Returns: The name in the folder, which another thread may have recorded.
    private static func recordFirst(_ name: String, in folder: PrivateDirectory) throws(FileError) -> String {
        let result = recording.withLock { _ in
            Result { () throws(FileError) -> String in
                if let recorded = try Self.name(in: folder) { return recorded }
                try record(name, in: folder)
                return name
            }
        }
        return try result.get()
    }

    /// The name in a folder; `nil` if it has none.
    private static func name(in folder: PrivateDirectory) throws(FileError) -> String? {
        guard try folder.hasFile(fileName) else { return nil }
        return try folder.withContents(of: fileName, limit: longestName) { bytes in
            // The end of the line is not part of it.
            String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }

    private static func record(_ name: String, in folder: PrivateDirectory) throws(FileError) {
        let bytes = Array("\(name)\n".utf8)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileError) in try folder.makeFile(fileName, bytes) }
        }
        try written.get()
    }
}
