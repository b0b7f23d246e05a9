// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// The keychain files as one program sees them: every program of the user that is in no sandbox sees all.
struct ProgramFiles: Sendable {
    let collections: FileCollections

    /// Sends commands as those of the program.
    let service: KeychainFileService

    /// - Returns: `nil` for a program that may not use keychain files.
    init?(_ collections: FileCollections, of connection: FrontConnection) {
        guard (try? connection.peer.permitted(.files(.lockAll))) != nil else { return nil }
        self.collections = collections
        service = KeychainFileService { (command) throws(KeychainError) in
            let command = KeychainCommand.files(command)
            let result = Result { () throws(KeychainError) in
                try command.checkSizes()
                let permitted = try connection.peer.permitted(command)
                try connection.peer.confirm()
                do throws(KeychainError) { return try collections.backend.perform(permitted) } catch {
                    // That their daemon cannot be started is none of the limits, whose errors are of the same kind.
                    guard error.kind == .unavailable else { throw error }
                    var other = error
                    other.kind = .service(.missing)
                    throw other
                }
            }
            connection.peer.finished(command, result)
            return try result.get()
        }
    }

    /// The file of a collection.
    ///
    /// - Throws: `errSecItemNotFound`.
    func file(of collection: CollectionName) throws(KeychainError) -> FileCollections.File {
        guard let file = try collections.file(collection.element) else { throw .noCollection }
        return file
    }

    func path(of collection: CollectionName) throws(KeychainError) -> String { try file(of: collection).path }

    /// Those that can be read; damaged ones are left out.
    func readable() -> [ShownFile] {
        ((try? collections.files()) ?? []).compactMap { file in
            (try? service.details(at: file.path)).map { ShownFile(file: file, details: $0) }
        }
    }
}
