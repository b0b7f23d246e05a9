// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainCore
import KeychainHost
import KeychainIdentity

/// A team's private key in a file, and beside it the team's statements about its keys and manifests.
///
/// The file of the key has mode 0600 and is not encrypted: anyone who can read it can sign for the team. The file of
/// statements is public; it has one signed document on each line.
struct TeamKeyFile {
    let path: String
    let key: TeamKey

    /// The team of the key: its own, or the one that it was added to.
    let team: TeamIdentifier

    /// All statements of the team that are known here, in order: those of this file, those beside other keys in its
    /// folder, and the published ones.
    private(set) var statements: [TeamStatement]

    /// The suffix that turns the path of a key into that of its team's statements.
    static let statementsSuffix = ".statements"
    private static let keySuffix = ".pem"

    /// Reads the file of a key.
    ///
    /// - Parameter name: a path, or the name of a key in the user's folder.
    /// - Throws: ``Refusal`` for a file that is not the key of a team, or that others can read.
    init(_ name: String) throws(Refusal) {
        path = try Self.path(name)
        do throws(FileError) {
            let target = try FileTarget(path)
            guard try target.folder.hasFile(target.name) else {
                throw FileError.unusablePath(path, "there is no such file; 'keychainctl team create' creates one")
            }
        } catch .unusablePath(_, let why) {
            throw Refusal("\(path): \(why)")
        } catch { throw Refusal(error.description) }
        let contents = try SecretFile.read(path, standardInput: -1)
        statements = try Self.statements(besides: path)
        do throws(IdentityError) { key = try TeamKey(pem: contents) } catch { throw Refusal("\(path): \(error)") }
        team = statements.first?.team ?? TeamIdentifier(firstKey: key.publicKey)
        let keys = try merge(Self.statements(around: path, of: team))
        guard keys.maySign(key.publicKey) else {
            throw Refusal("\(path): the key is not, or no longer, a key of team \(team)")
        }
    }

    /// Creates a key in a new file.
    ///
    /// - Parameters:
    ///   - name: a path, or the name of a key in the user's folder.
    ///   - statements: the statements that add it to another team; empty for a team of its own.
    /// - Throws: ``Refusal`` if the file exists, and what `statements` throws.
    init(creating name: String, _ statements: (TeamKey) throws(Refusal) -> [TeamStatement]) throws(Refusal) {
        path = try Self.path(name, creates: true)
        try OwnFolder.check(path)
        key = TeamKey()
        self.statements = try statements(key)
        team = self.statements.first?.team ?? TeamIdentifier(firstKey: key.publicKey)
        guard access(path, F_OK) != 0, access(path + Self.statementsSuffix, F_OK) != 0 else {
            throw Refusal("\(path) exists already")
        }
        try SecretFile.write(key.pem, to: path, standardOutput: -1)
        if !self.statements.isEmpty { try writeStatements() }
    }

    /// Adds statements found elsewhere, such as a revocation of this key by its successor.
    ///
    /// - Returns: The state of the team's keys according to all of them.
    private mutating func merge(_ found: [TeamStatement]) throws(Refusal) -> TeamKeys {
        var keys: TeamKeys
        do throws(IdentityError) { keys = try TeamKeys(team: team, statements) } catch {
            throw Refusal("\(path + Self.statementsSuffix): \(error)")
        }
        var waiting = found.filter { statement in
            !statements.contains { $0.document.text == statement.document.text }
        }
        // A statement may depend on one that comes later in the list.
        var count = -1
        while count != waiting.count {
            count = waiting.count
            waiting.removeAll { statement in
                do throws(IdentityError) { try keys.accept(statement) } catch { return false }
                statements.append(statement)
                return true
            }
        }
        return keys
    }

    /// Signs a statement and appends it to the others.
    mutating func state(_ content: TeamStatement.Content) throws(Refusal) -> TeamStatement {
        do throws(IdentityError) {
            let statement = try TeamStatement(content, of: team, created: SigningTime.text(Date()), by: key)
            var keys = try TeamKeys(team: team, statements)
            try keys.accept(statement)
            statements.append(statement)
            return statement
        } catch { throw Refusal("the statement would be rejected: \(error)") }
    }

    /// Writes the statements beside the key.
    func writeStatements() throws(Refusal) {
        try StatementsFile.write(statements, to: path + Self.statementsSuffix)
    }

    private static func statements(besides path: String) throws(Refusal) -> [TeamStatement] {
        let path = path + statementsSuffix
        guard access(path, F_OK) == 0 else { return [] }
        return try StatementsFile.read(path)
    }

    /// The statements of a team beside other keys of the folder, and the published ones.
    private static func statements(around path: String, of team: TeamIdentifier) -> [TeamStatement] {
        let folder = path.contains("/") ? path.folderOfPath : "."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let beside = names.filter { $0.hasSuffix(statementsSuffix) }.sorted().map { "\(folder)/\($0)" }
        let published = IdentityOptions.ofUser.statementFolders.map {
            "\($0)/\(PublishedStatements.fileName(of: team))"
        }
        return (beside + published).flatMap { path in
            // Statements of other teams and damaged ones are ignored.
            do throws(Refusal) { return try StatementsFile.read(path) } catch { return [] }
        }.filter { $0.team == team }
    }
}

// MARK: - The user's folder

extension TeamKeyFile {
    /// The names of the keys in the user's folder.
    static func names() -> [String] {
        guard let folder = folder(), let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return []
        }
        return files.filter { $0.hasSuffix(keySuffix) }.map { String($0.dropLast(keySuffix.count)) }.sorted()
    }

    /// `swift-keychain/teams` in `$XDG_CONFIG_HOME`, or in `~/.config`.
    private static func folder() -> String? {
        let named = ProcessEnvironment.value("XDG_CONFIG_HOME").flatMap { $0.isAbsolutePath ? $0 : nil }
        let home = ProcessEnvironment.value("HOME").flatMap { $0.isAbsolutePath ? $0 : nil }
        return (named ?? (home ?? KeychainLocation.homeFromUserDatabase()).map { $0 + "/.config" })
            .map { $0 + "/swift-keychain/teams" }
    }

    /// The path of a key, given its path or its name in the user's folder.
    static func path(_ name: String, creates: Bool = false) throws(Refusal) -> String {
        guard !name.contains("/") else { return name }
        guard !name.isEmpty, !name.hasPrefix("."), let folder = folder() else {
            throw Refusal("'\(name)' is not the name of a key")
        }
        if creates {
            do throws(FileError) {
                try AtomicFile.makeFolders(above: "\(folder)/\(name)")
                _ = try PrivateDirectory(KeychainLocation(path: folder))
            } catch {
                throw Refusal(error.description)
            }
        }
        return "\(folder)/\(name)\(keySuffix)"
    }
}

/// A file with a team's statements: one signed document on each line.
enum StatementsFile {
    static func read(_ path: String) throws(Refusal) -> [TeamStatement] {
        guard let data = FileManager.default.contents(atPath: path) else { throw Refusal("\(path) cannot be read") }
        do throws(IdentityError) { return try PublishedStatements.statements(data) } catch {
            throw Refusal("\(path): \(error)")
        }
    }

    static func write(_ statements: [TeamStatement], to path: String) throws(Refusal) {
        try PublicFile.write(statements.map { $0.document.text + "\n" }.joined(), to: path)
    }
}

/// The time of signing, in UTC (RFC 3339).
enum SigningTime {
    static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}

/// Writes a world-readable file atomically.
enum PublicFile {
    static func write(_ text: String, to path: String) throws(Refusal) {
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
            throw Refusal("\(path) cannot be written: \(FailureText.of(error))")
        }
    }
}
