// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Statements of teams in files, one signed document on each line: a way for revocations to reach daemons to which no
/// newly signed program connects.
package enum PublishedStatements {
    /// The maximum number of statements of a team.
    package static let capacity = 32

    /// The name of the file of a team.
    package static func fileName(of team: TeamIdentifier) -> String { team.description + TeamStatement.fileSuffix }

    /// The statements in the contents of a file, in order.
    ///
    /// - Throws: ``IdentityError`` for anything except signed statements of one team.
    package static func statements(_ text: some Sequence<UInt8>) throws(IdentityError) -> [TeamStatement] {
        var statements: [TeamStatement] = []
        for line in Array(text).split(separator: UInt8(ascii: "\n")) {
            guard statements.count < capacity else { throw IdentityError("it has more than \(capacity) statements") }
            statements.append(try TeamStatement(SignedDocument(text: line)))
        }
        guard let team = statements.first?.team else { throw IdentityError("it has no statement") }
        guard statements.allSatisfy({ $0.team == team }) else {
            throw IdentityError("it has statements of more than one team")
        }
        return statements
    }

    /// The published statements of a team, in order and each once.
    ///
    /// - Throws: ``IdentityError`` for a file that cannot be read or that others can write to: it may revoke keys.
    static func statements(
        of team: TeamIdentifier,
        in folders: [String]
    ) throws(IdentityError) -> [TeamStatement] {
        var found: [TeamStatement] = []
        for folder in folders {
            let path = "\(folder)/\(fileName(of: team))"
            if access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR { continue }
            let statements: [TeamStatement]
            do throws(IdentityError) { statements = try Self.statements(try contents(path)) } catch {
                throw IdentityError("\(path), which may revoke keys, cannot be used: \(error)")
            }
            guard statements.first?.team == team else { throw IdentityError("\(path) has statements of another team") }
            found += statements.filter { statement in
                !found.contains { $0.document.text == statement.document.text }
            }
        }
        return found
    }

    /// The marks of the files of a team's statements; `nil` for a missing one.
    static func marks(of team: TeamIdentifier, in folders: [String]) -> [FileMark?] {
        folders.map { folder in
            var status = stat()
            return lstat("\(folder)/\(fileName(of: team))", &status) == 0 ? FileMark(status) : nil
        }
    }

    private static func contents(_ path: String) throws(IdentityError) -> [UInt8] {
        guard let file = Descriptor(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW), let status = file.status else {
            throw .system("open", on: path, failure: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG, [0, geteuid()].contains(status.st_uid), status.st_mode & 0o022 == 0
        else { throw IdentityError("it is no file that only its owner can write to, root or the user of this process") }
        let limit = capacity * SignedDocument.largestByteCount
        guard let text = file.contents(limit: limit) else { throw .system("reading", on: path, failure: errno) }
        return text
    }
}
