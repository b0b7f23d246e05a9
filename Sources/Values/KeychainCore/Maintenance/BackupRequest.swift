// SPDX-License-Identifier: Apache-2.0

/// What is asked for when a backup is made.
package struct BackupRequest: Sendable, Hashable {
    /// Where it goes.
    package let destination: Destination

    /// What protects it.
    package let secret: Secret

    /// The keychain files to include.
    package let files: [BackedUpFile]

    /// Where a backup goes.
    package enum Destination: Sendable, Hashable {
        /// A file that does not exist yet, from the view of the process that has the keychain.
        case path(String)
        /// The reply, for a process that must not open the files of its clients.
        case reply
    }

    /// The secret that protects a backup.
    package enum Secret: Sendable, Hashable {
        /// This one.
        case given(SecretBytes)
        /// That of scheduled backups, an item of the keychain that programs do not get (``ScheduledBackup``).
        case ofSchedule
    }

    /// A request.
    package init(to destination: Destination, secret: Secret, files: [BackedUpFile] = []) {
        self.destination = destination
        self.secret = secret
        self.files = files
    }
}

/// What is asked for when a backup is restored.
package struct RestoreRequest: Sendable, Hashable {
    /// Where it comes from.
    package let source: Source

    /// The secret that protects it.
    package let secret: SecretBytes

    /// How to merge it into the keychain; `nil` for a keychain that does not exist yet.
    package let merge: BackupMerge?

    /// Where a backup comes from.
    package enum Source: Sendable, Hashable {
        /// A file, from the view of the process that has the keychain.
        case path(String)
        /// The bytes of the file.
        case contents(SecretBytes)
    }

    /// A request.
    package init(from source: Source, secret: SecretBytes, merge: BackupMerge? = nil) {
        self.source = source
        self.secret = secret
        self.merge = merge
    }
}

/// How to merge a backup into a keychain that has items.
package struct BackupMerge: Sendable, Hashable {
    /// What to do about an item that the keychain has with other contents.
    package let conflicts: Conflicts

    /// Whether to change nothing, and only report.
    package let isTrial: Bool

    /// The identifiers of the items to take; `nil` for all.
    package let items: Set<ItemIdentifier>?

    /// What to do about an item that the keychain has with other contents.
    package enum Conflicts: UInt8, Sendable, Hashable, CaseIterable {
        /// Change nothing at all.
        case refuse = 1
        /// Keep the item of the keychain.
        case keepOurs = 2
        /// Take the item of the backup.
        case keepTheirs = 3
    }

    /// A way to merge.
    package init(_ conflicts: Conflicts = .refuse, isTrial: Bool = false, items: Set<ItemIdentifier>? = nil) {
        self.conflicts = conflicts
        self.isTrial = isTrial
        self.items = items
    }
}

/// The item that holds the secret of scheduled backups.
///
/// It stays on the device: otherwise it would be in the backups that it opens, and whoever opens one backup under
/// another secret would open all of them. Neither a backup nor a move brings one along that counts.
package enum ScheduledBackup {
    /// Its service.
    package static let service = "swift-keychain scheduled backup"

    /// Its account.
    package static let account = "secret"

    /// Its access group, which a daemon gives to no program.
    package static let accessGroup = "swift-keychain.backup"

    /// Its accessibility: with a passcode, the one whose keys are made with it, so that nobody had them before.
    package static func accessibility(hasPasscode: Bool) -> Accessibility {
        hasPasscode ? .whenPasscodeSetThisDeviceOnly : .afterFirstUnlockThisDeviceOnly
    }
}

extension BackupRequest {
    /// The properties of the command.
    var row: CommandRow {
        let isPath = if case .path = destination { true } else { false }
        let traits: CommandRow.Traits = isPath ? .opensPath : []
        let verb = isPath ? "create" : "send"
        return switch secret {
        case .given: CommandRow(.maintenance, "\(verb) backup", traits: traits, right: .owner)
        // Who asks for it gets nothing that it can open.
        case .ofSchedule:
            CommandRow(
                .maintenance,
                "\(verb) scheduled backup",
                traits: traits,
                right: .outsideOfSandbox("a scheduled backup")
            )
        }
    }
}

extension RestoreRequest {
    /// The properties of the command.
    var row: CommandRow {
        let isPath = if case .path = source { true } else { false }
        var traits: CommandRow.Traits = isPath ? .opensPath : []
        let name =
            switch merge {
            case nil: "restore"
            case let merge?: merge.isTrial ? "compare" : "merge"
            }
        traits.formUnion(merge?.isTrial ?? false ? .changesNothing : .replacesItems)
        return CommandRow(.maintenance, "\(name) \(isPath ? "" : "sent ")backup", traits: traits, right: .owner)
    }
}
