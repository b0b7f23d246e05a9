// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A team's statement about its keys or manifests, signed by one of the keys.
package struct TeamStatement: Sendable, Hashable {
    /// The content of a statement.
    package enum Content: Sendable, Hashable {
        /// Adds a key to the team.
        case rotation(newKey: TeamPublicKey)
        /// Revokes a key and everything that it signed. Of the keys that it added to the team, only the successor
        /// remains valid.
        case keyRevocation(key: TeamPublicKey, successor: TeamPublicKey?)
        /// Revokes the manifests of an application with a serial below this one.
        case serialRevocation(applicationIdentifier: String, belowSerial: Int)
    }

    /// The team.
    package let team: TeamIdentifier

    /// The content.
    package let content: Content

    /// When it was signed, in UTC (RFC 3339).
    ///
    /// Informational.
    package let created: String

    /// The statement as it was signed, and by whom.
    package let document: SignedDocument

    /// The suffix of files of statements.
    package static let fileSuffix = ".keychain-statement"

    /// Signs a statement.
    package init(_ content: Content, of team: TeamIdentifier, created: String, by key: TeamKey) throws(IdentityError) {
        var members: [String: JSONValue] = [
            "version": .integer(1), "team": .string(team.description), "created": .string(created),
        ]
        let purpose: SignedDocument.Purpose
        switch content {
        case .rotation(let newKey):
            purpose = .rotation
            members["newKey"] = .string(newKey.description)
        case .keyRevocation(let key, let successor):
            purpose = .keyRevocation
            members["key"] = .string(key.description)
            members["successor"] = successor.map { .string($0.description) }
        case .serialRevocation(let application, let serial):
            purpose = .serialRevocation
            members["applicationIdentifier"] = .string(application)
            members["belowSerial"] = .integer(serial)
        }
        try self.init(SignedDocument(.object(members), for: purpose, by: key))
    }

    /// Reads the statement in a signed document.
    ///
    /// Does not check whether the signer may make it; ``TeamKeys`` does.
    ///
    /// - Throws: ``IdentityError`` for a document of another kind.
    package init(_ document: SignedDocument) throws(IdentityError) {
        self.document = document
        let fields: JSONFields
        switch document.purpose {
        case .manifest: throw IdentityError("it was not signed as a statement of a team")
        case .rotation:
            fields = try document.fields(["team", "created", "newKey"])
            content = .rotation(newKey: try fields.key("newKey"))
        case .keyRevocation:
            fields = try document.fields(["team", "created", "key"], optional: ["successor"])
            let successor = fields.has("successor") ? try fields.key("successor") : nil
            content = .keyRevocation(key: try fields.key("key"), successor: successor)
        case .serialRevocation:
            fields = try document.fields(["team", "created", "applicationIdentifier", "belowSerial"])
            content = .serialRevocation(
                applicationIdentifier: try fields.string("applicationIdentifier"),
                belowSerial: try fields.integer("belowSerial")
            )
        }
        team = try fields.team()
        created = try fields.date("created")
        if case .serialRevocation(let application, _) = content, !team.owns(application) {
            throw IdentityError("it names '\(application)', which is not the team's")
        }
    }
}
