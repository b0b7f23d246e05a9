// SPDX-License-Identifier: Apache-2.0

/// The access to an item of a file-based keychain: the contents of a `SecAccess`.
package struct ItemAccess: Sendable, Hashable {
    /// The entries: which programs may do what.
    package var entries: [AccessEntry]

    /// An access of these entries.
    package init(entries: [AccessEntry]) { self.entries = entries }

    /// The access that `SecAccessCreate` creates: every program may encrypt, some may use the secret, and changes of
    /// the access require a prompt.
    ///
    /// - Parameters:
    ///   - descriptor: the subject of the access, as a prompt would show it.
    ///   - trustedApplications: the programs that may use the secret without a prompt; `nil` for every program.
    ///   - partitions: the partition list.
    package init(descriptor: String, trustedApplications: [TrustedApplication]?, partitions: [String] = []) {
        entries = [
            AccessEntry([.encrypt], for: nil, descriptor),
            AccessEntry(Self.usesOfSecrets, for: trustedApplications, descriptor),
            AccessEntry([.changeAccess], for: [], descriptor),
        ]
        self.partitions = partitions
    }

    private static let usesOfSecrets: [AccessAuthorization] = [
        .decrypt, .derive, .exportClear, .exportWrapped, .mac, .sign,
    ]

    /// The subject of the access, from its first entry.
    package var descriptor: String { entries.first?.description ?? "" }

    /// The programs that may read the secret without a prompt; `nil` for every program.
    ///
    /// A new value is set in each entry that lets programs read, or in a new one if there is none.
    package var trustedApplications: [TrustedApplication]? {
        get {
            var programs: [TrustedApplication] = []
            for entry in entries where entry.allows(.decrypt) {
                guard let more = entry.applications else { return nil }
                programs += more.filter { !programs.contains($0) }
            }
            return programs
        }
        set {
            guard entries.contains(where: { $0.allows(.decrypt) }) else {
                return insert(AccessEntry(Self.usesOfSecrets, for: newValue, descriptor))
            }
            for index in entries.indices where entries[index].allows(.decrypt) {
                entries[index].applications = newValue
            }
        }
    }

    /// The partition list: `apple-tool:`, `apple:`, `teamid:XXXXXXXXXX` and similar; empty without one.
    ///
    /// Its entry is before that of the owner, as on macOS, and is removed with the last member.
    package var partitions: [String] {
        get { entries.first { $0.isPartitionList }?.partitions ?? [] }
        set {
            guard newValue != partitions else { return }
            guard !newValue.isEmpty else { return entries.removeAll { $0.isPartitionList } }
            let list = AccessEntry([.partitions], for: nil, newValue.joined(separator: AccessEntry.partitionSeparator))
            if let index = entries.firstIndex(where: \.isPartitionList) {
                entries[index].description = list.description
            } else {
                insert(list)
            }
        }
    }

    /// Whether the access has a partition list, if only an empty one.
    package var hasPartitionList: Bool { entries.contains(where: \.isPartitionList) }

    private mutating func insert(_ entry: AccessEntry) {
        entries.insert(entry, at: entries.firstIndex(where: \.isOfOwner) ?? entries.endIndex)
    }
}

/// An entry of an ``ItemAccess``: the contents of a `SecACL`.
package struct AccessEntry: Sendable, Hashable {
    /// The permitted operations.
    package var authorizations: [AccessAuthorization]

    /// The programs that may do so without a question; `nil` for every program.
    package var applications: [TrustedApplication]?

    /// The description of the item in a prompt; for a partition list its members, separated by commas.
    package var description: String

    /// When the password of the keychain is wanted (`SecKeychainPromptSelector`).
    package var prompt: UInt16

    /// An entry.
    package init(
        _ authorizations: [AccessAuthorization],
        for applications: [TrustedApplication]?,
        _ description: String,
        prompt: UInt16 = 0
    ) {
        self.authorizations = authorizations
        self.applications = applications
        self.description = description
        self.prompt = prompt
    }

    /// The separator of the members of a partition list.
    package static let partitionSeparator = ", "

    /// Whether the entry is about an operation.
    package func allows(_ authorization: AccessAuthorization) -> Bool {
        authorizations.contains(authorization) || authorizations.contains(.any)
    }

    /// Whether it is the entry of the owner, which each access has exactly once: who may change the access.
    package var isOfOwner: Bool { authorizations.contains(.changeAccess) }

    /// Whether it is the partition list.
    package var isPartitionList: Bool { authorizations.contains(.partitions) }

    /// The members of a partition list.
    package var partitions: [String] {
        description.split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.map(String.init)
    }
}

/// An operation that an ``AccessEntry`` allows; the raw value is its name in `security dump-keychain -a`.
package enum AccessAuthorization: String, Sendable, Hashable, CaseIterable {
    /// Every operation.
    case any
    /// Logging in to a token.
    case login
    /// Making a key.
    case generateKey = "gen_key"
    /// Deleting the item.
    case delete
    /// Exporting a key that is encrypted.
    case exportWrapped = "export_wrapped"
    /// Exporting a key in the clear.
    case exportClear = "export_clear"
    /// Importing a key that is encrypted.
    case importWrapped = "import_wrapped"
    /// Importing a key in the clear.
    case importClear = "import_clear"
    /// Signing.
    case sign
    /// Encrypting.
    case encrypt
    /// Decrypting, and so reading the secret of a password.
    case decrypt
    /// Making or verifying a message authentication code.
    case mac
    /// Deriving a key.
    case derive
    /// Making a keychain.
    case createKeychain = "db_create"
    /// Deleting a keychain.
    case deleteKeychain = "db_delete"
    /// Reading an item of a keychain.
    case readItem = "db_read"
    /// Adding an item to a keychain.
    case insertItem = "db_insert"
    /// Changing an item of a keychain.
    case modifyItem = "db_modify"
    /// Deleting an item of a keychain.
    case deleteItem = "db_delete_item"
    /// Changing the access.
    case changeAccess = "change_acl"
    /// Changing the owner of the access.
    case changeOwner = "change_owner"
    /// None: the entry is the partition list.
    case partitions = "partition_id"
    /// No operation: the entry indicates that the attributes are unchanged.
    case integrity
}

/// A program in an ``ItemAccess``: the contents of a `SecTrustedApplication`.
package struct TrustedApplication: Sendable, Hashable {
    /// The path of the executable, or `group://NAME` for an application group.
    package var path: String

    /// A program.
    package init(path: String) { self.path = path }
}
