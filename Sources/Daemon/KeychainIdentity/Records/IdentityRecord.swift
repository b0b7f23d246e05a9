// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The statements of programs' manifests: teams' statements, the highest serial of each application, and the
/// application at each path.
///
/// The daemon keeps it beside the store. Without it, an earlier version of a program is accepted like a later one.
package struct IdentityRecord: Sendable, Hashable {
    /// The name of its file in the folder of a keychain.
    package static let fileName = "identities.json"

    /// An application that was at a path.
    package struct Program: Sendable, Hashable {
        /// Its identifier.
        package var applicationIdentifier: String
        /// The access groups that it had, in any version: first those of the last one.
        package var accessGroups: [String]
    }

    private(set) var statements: [TeamStatement] = []
    private var keys: [TeamIdentifier: TeamKeys] = [:]
    private(set) var serials: [String: Int] = [:]
    private(set) var programs: [String: Program] = [:]

    /// The maximum size of its file, in bytes.
    package static let largestByteCount = 1 << 24

    /// The limits of the record, so that a program that signs manifests of its own cannot fill the disk.
    ///
    /// A team or an application that would exceed it is refused.
    private enum Capacity {
        static let statementsOfTeam = PublishedStatements.capacity
        static let statements = 2_048
        static let serials = 8_192
        static let programs = 4_096
        static let groupsOfProgram = 256
    }

    /// An empty record.
    package init() {}

    /// The keys of a team, as far as they are known.
    package func keys(of team: TeamIdentifier) -> TeamKeys { keys[team] ?? TeamKeys(team: team) }

    /// The application that was at a path when a program from there last connected.
    package func program(at path: String) -> Program? { programs[path] }

    /// Adds a statement permanently.
    ///
    /// - Throws: ``IdentityError`` if its signer may not make it, or the record is full; nothing is changed then.
    package mutating func accept(_ statement: TeamStatement) throws(IdentityError) {
        guard !statements.contains(where: { $0.document.text == statement.document.text }) else { return }
        var keys = keys(of: statement.team)
        try keys.accept(statement)
        guard statements.count < Capacity.statements,
            statements.count(where: { $0.team == statement.team }) < Capacity.statementsOfTeam
        else { throw IdentityError("too many team statements are recorded") }
        self.keys[statement.team] = keys
        statements.append(statement)
    }

    /// Adds statements that are published in a file, which count before those that were learned from manifests: so a
    /// team can undo what a thief of a key stated.
    ///
    /// - Throws: ``IdentityError`` if a signer may not make them, or the record is full; nothing is changed then.
    mutating func accept(published: [TeamStatement], of team: TeamIdentifier) throws(IdentityError) {
        let known = statements.filter { $0.team == team }
        let isNews = published.contains { statement in !known.contains { $0.document.text == statement.document.text } }
        guard isNews else { return }
        var learned = self
        learned.statements.removeAll { $0.team == team }
        learned.keys[team] = nil
        for statement in published { try learned.accept(statement) }
        for statement in known {
            // One that is at odds with them is forgotten, and so is what a thief of a key filled the record with.
            do throws(IdentityError) { try learned.accept(statement) } catch {}
        }
        self = learned
    }

    /// Checks a manifest against the record, and adds its statements.
    ///
    /// - Throws: ``IdentityError`` if it is not valid.
    mutating func check(_ manifest: ProgramManifest) throws(IdentityError) {
        for statement in manifest.statements { try accept(statement) }
        try keys(of: manifest.team).check(manifest)
        let application = manifest.applicationIdentifier
        if let known = serials[application], manifest.serial < known {
            throw IdentityError(
                "its manifest has serial \(manifest.serial), and a later one of \(application), \(known), was seen before: "
                    + "restart the program, or sign this version with a higher serial"
            )
        }
    }

    /// Records that a program with a valid manifest connected.
    ///
    /// - Throws: ``IdentityError`` if the record is full.
    mutating func recordConnection(of manifest: ProgramManifest, path: String) throws(IdentityError) {
        let application = manifest.applicationIdentifier
        guard serials[application] != nil || serials.count < Capacity.serials else {
            throw IdentityError("too many applications are recorded")
        }
        serials[application] = manifest.serial
        let known = programs[path]
        guard known != nil || programs.count < Capacity.programs else { return }
        var groups = manifest.accessGroups
        // Groups that this version no longer has stay recorded: they still contain items.
        let former = known.map { $0.accessGroups.filter { !Self.contains(groups, $0) } } ?? []
        // So does an earlier application whose items this one cannot access.
        guard former.isEmpty || known?.applicationIdentifier == application else { return }
        groups += former.prefix(max(0, Capacity.groupsOfProgram - groups.count))
        programs[path] = Program(applicationIdentifier: application, accessGroups: groups)
    }

    private static func contains(_ groups: [String], _ group: String) -> Bool {
        groups.contains { $0.utf8.elementsEqual(group.utf8) }
    }
}

// MARK: - File

extension IdentityRecord {
    /// The contents of its file: a JSON object.
    package var text: String {
        let programs = programs.mapValues { program -> JSONValue in
            .object([
                "applicationIdentifier": .string(program.applicationIdentifier),
                "accessGroups": .strings(program.accessGroups),
            ])
        }
        let members: [String: JSONValue] = [
            "version": .integer(1), "statements": .strings(statements.map(\.document.text)),
            "serials": .object(serials.mapValues { .integer($0) }), "programs": .object(programs),
        ]
        return JSONValue.object(members).indentedText + "\n"
    }

    /// Reads the contents of its file.
    ///
    /// - Throws: ``IdentityError`` for anything except the format of ``text``.
    package init(text: some Sequence<UInt8>) throws(IdentityError) {
        let fields = try JSONFields(text, ["statements", "serials", "programs"], versions: 1...1)
        for statement in try fields.strings("statements") {
            try accept(TeamStatement(SignedDocument(text: statement.utf8)))
        }
        guard let serials = fields["serials"].members, let programs = fields["programs"].members else {
            throw IdentityError("'serials' or 'programs' is not an object")
        }
        for (application, value) in serials {
            guard let serial = value.integer, serial >= 0 else { throw IdentityError("a serial is not a number") }
            self.serials[application] = serial
        }
        for (path, value) in programs {
            guard let application = value["applicationIdentifier"].string,
                let groups = value["accessGroups"].elements?.map(\.string), !groups.contains(nil)
            else { throw IdentityError("a program has no application identifier, or no groups") }
            self.programs[path] = Program(
                applicationIdentifier: application,
                accessGroups: groups.compactMap { $0 }
            )
        }
    }
}
