// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A team's signed manifest of one executable: its application identifier and access groups (Identity, "Signed
/// manifests").
package struct ProgramManifest: Sendable, Hashable {
    /// The team, which is identified by its first key.
    package let team: TeamIdentifier

    /// The application identifier; begins with the team identifier.
    package let applicationIdentifier: String

    /// Its access groups in order; all begin with the team identifier.
    package let accessGroups: [String]

    /// The executable's SHA-256.
    package let executable: SHA256Value

    /// The SHA-256 of the libraries that it may load in addition to the system's.
    package let libraries: [SHA256Value]

    /// Whether it executes code that it generates, as a just-in-time compiler does.
    package let isJIT: Bool

    /// Whether others may choose libraries that are loaded into it: by variables such as LD_PRELOAD, or in folders in
    /// which it is linked to look for them (ld.so(8)).
    package let allowsPreload: Bool

    /// Whether its system calls may be filtered (seccomp(2)), by itself or by the process that starts it.
    package let allowsFilters: Bool

    /// Orders the manifests of the application.
    package let serial: Int

    /// When it was signed, in UTC (RFC 3339).
    ///
    /// Informational.
    package let created: String

    /// The team's statements about its keys, in the order in which they apply.
    package let statements: [TeamStatement]

    /// The manifest as it was signed, and by whom.
    package let document: SignedDocument

    /// The maximum number of libraries: far more than any program loads, because a daemon keeps them for each
    /// connection.
    package static let maximumLibraries = 1_024

    /// The suffix that turns the path of an executable into that of its manifest.
    package static let fileSuffix = Client.manifestSuffix

    /// The contents of a manifest.
    package struct Contents: Sendable {
        /// The team; that of the key, unless the key was added to another team.
        package var team: TeamIdentifier
        /// Which application it is.
        package var applicationIdentifier: String
        /// Its access groups in their order.
        package var accessGroups: [String]
        /// The executable's SHA-256.
        package var executable: SHA256Value
        /// Those of its libraries.
        package var libraries: [SHA256Value] = []
        /// Whether it executes what it generates.
        package var isJIT = false
        /// Whether others may choose libraries that are loaded into it.
        package var allowsPreload = false
        /// Whether its system calls may be filtered.
        package var allowsFilters = false
        /// Its number among the manifests of the application.
        package var serial: Int
        /// When it is signed (RFC 3339, UTC).
        package var created: String
        /// The team's statements about its keys.
        package var statements: [TeamStatement] = []

        /// The contents of a manifest without libraries and statements.
        package init(
            team: TeamIdentifier,
            applicationIdentifier: String,
            accessGroups: [String],
            executable: SHA256Value,
            serial: Int,
            created: String
        ) {
            self.team = team
            self.applicationIdentifier = applicationIdentifier
            self.accessGroups = accessGroups
            self.executable = executable
            self.serial = serial
            self.created = created
        }
    }

    /// Signs a manifest.
    ///
    /// - Throws: ``IdentityError`` for contents that a reader would reject.
    package init(signing contents: Contents, by key: TeamKey) throws(IdentityError) {
        var members: [String: JSONValue] = [
            "version": .integer(1),
            "team": .string(contents.team.description),
            "applicationIdentifier": .string(contents.applicationIdentifier),
            "accessGroups": .strings(contents.accessGroups),
            "executable": .string(contents.executable.description),
            "libraries": .strings(contents.libraries.map(\.description)),
            "serial": .integer(contents.serial),
            "created": .string(contents.created),
            "statements": .strings(contents.statements.map(\.document.text)),
        ]
        if contents.isJIT { members["jit"] = .boolean(true) }
        if contents.allowsPreload { members["preload"] = .boolean(true) }
        if contents.allowsFilters { members["seccomp"] = .boolean(true) }
        try self.init(SignedDocument(.object(members), for: .manifest, by: key))
    }

    /// Reads the manifest in a signed document.
    ///
    /// Does not check whether the key is one of the team's; ``TeamKeys`` does.
    ///
    /// - Throws: ``IdentityError`` for a document of another kind, and for one that names groups of another team.
    package init(_ document: SignedDocument) throws(IdentityError) {
        guard document.purpose == .manifest else { throw IdentityError("it was not signed as a manifest") }
        self.document = document
        let fields = try document.fields(
            [
                "team", "applicationIdentifier", "accessGroups", "executable", "libraries", "serial", "created",
                "statements",
            ],
            optional: ["jit", "preload", "seccomp"]
        )
        team = try fields.team()
        applicationIdentifier = try fields.string("applicationIdentifier")
        accessGroups = try fields.strings("accessGroups")
        executable = try fields.digest("executable")
        isJIT = try fields.flag("jit")
        allowsPreload = try fields.flag("preload")
        allowsFilters = try fields.flag("seccomp")
        serial = try fields.integer("serial")
        created = try fields.date("created")
        var libraries: [SHA256Value] = []
        for text in try fields.strings("libraries") {
            guard let digest = SHA256Value(text) else { throw IdentityError("a library is not given by its SHA-256") }
            libraries.append(digest)
        }
        self.libraries = libraries
        var statements: [TeamStatement] = []
        for text in try fields.strings("statements") {
            let statement = try TeamStatement(SignedDocument(text: text.utf8))
            guard statement.team == team else { throw IdentityError("it has a statement of another team") }
            statements.append(statement)
        }
        self.statements = statements
        guard accessGroups.count <= KeychainCommand.maximumAccessGroups else {
            throw IdentityError(
                "it names \(accessGroups.count) access groups; there may be \(KeychainCommand.maximumAccessGroups)"
            )
        }
        guard libraries.count <= Self.maximumLibraries else {
            throw IdentityError("it names \(libraries.count) libraries; there may be \(Self.maximumLibraries)")
        }
        for name in [applicationIdentifier] + accessGroups where !team.owns(name) {
            throw IdentityError("it names '\(name)', which does not begin with its team's \(team.prefix)")
        }
    }
}
