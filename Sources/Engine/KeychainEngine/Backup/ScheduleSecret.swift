// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// The secret of scheduled backups: an item that counts only if who knew the passcode had it stored here.
///
/// Programs can read and make items of any access group while they open the store themselves, or while there is no
/// passcode. So with one, only an item counts whose keys came with it; and in the system service, only the one that it
/// stored itself (``ScheduleMark``).
extension EmbeddedKeychain {
    /// Stores the secret of scheduled backups, or removes it.
    func setBackupSecret(_ secret: SecretBytes?) throws(KeychainError) {
        guard secret?.isEmpty != true else { throw .parameter("the secret of the backup is empty") }
        guard let secret else {
            return try withEngine(.changingStored) { (engine) throws(KeychainError) in try engine.endSchedule() }
        }
        let authorization = Authorization(evaluator)
        try withEngine(.changing) { (engine) throws(KeychainError) in
            try engine.replaceScheduleSecret(secret, authorization)
            try engine.markScheduleSecret()
        }
    }

    /// The secret of scheduled backups.
    ///
    /// - Throws: `errSecItemNotFound` if there is none that counts.
    func scheduledSecret() throws(KeychainError) -> SecretBytes {
        let found = try withEngine(.reading) { (engine) throws(KeychainError) in try engine.scheduleSecret() }
        if let found { return found }
        throw KeychainError(
            .itemNotFound,
            "the keychain has no secret for scheduled backups that was stored here, and since the passcode was set; "
                + "make one with 'keychainctl backup schedule --to FOLDER --keep N --new-secret'"
        )
    }
}

extension Engine {
    /// Removes the secret, and whatever else is in its access group.
    fileprivate func endSchedule() throws(KeychainError) {
        try folder.map(ScheduleMark.init)?.remove()
        try removeScheduleItems()
    }

    /// Stores another secret, in the transaction that removes the former one: one of both is there at any time.
    fileprivate func replaceScheduleSecret(
        _ secret: SecretBytes,
        _ authorization: Authorization
    ) throws(KeychainError) {
        store.beginGroup()
        do throws(KeychainError) {
            try store.inGroup { () throws(KeychainError) in
                // Nothing stays of what others may have put in its place, under whatever protection.
                try removeScheduleItems()
                // Known only now, as the device is in this transaction.
                try device.checkAvailable(scheduleProtection)
                let item = scheduleItem(secret)
                let client = Client(accessGroups: [ScheduledBackup.accessGroup])
                _ = try perform(KeychainRequest(.add(item), client: client), authorization)
            }
            try store.endGroup()
        } catch {
            // What was begun is rolled back already.
            _ = try? store.endGroup()
            throw error
        }
    }

    private func scheduleItem(_ secret: SecretBytes) -> PropertyDictionary {
        PropertyDictionary([
            PropertyKey.itemClass: .string(ItemClass.genericPassword.rawValue),
            AttributeName.service.description: .string(ScheduledBackup.service),
            AttributeName.account.description: .string(ScheduledBackup.account),
            AttributeName.accessGroup.description: .string(ScheduledBackup.accessGroup),
            AttributeName.accessible.description: .string(scheduleProtection.rawValue),
            AttributeName.label.description: .string(ScheduledBackup.service),
            PropertyKey.valueData: .data(secret),
        ])
    }

    private func removeScheduleItems() throws(KeychainError) {
        try write { (writer) throws(KeychainError) in
            var filter = RowFilter(.genericPassword)
            filter.tags = scheduleTags([.accessGroup: .string(ScheduledBackup.accessGroup)])
            filter.includesTombstones = true
            for row in try writer.everyRow(filter, sealedParts: false) { try writer.delete(row) }
        }
    }

    /// Names the item that was stored.
    fileprivate func markScheduleSecret() throws(KeychainError) {
        guard let scheduleMark else { return }
        let row = try read { (reader) throws(KeychainError) in try scheduleRows(reader).first }
        if let row { try scheduleMark.name(row.row.identifier) }
    }

    /// The secret, if there is one that counts.
    fileprivate func scheduleSecret() throws(KeychainError) -> SecretBytes? {
        try read { (reader) throws(KeychainError) in
            let rows = try scheduleRows(reader)
            guard let row = rows.first(where: { scheduleMark?.isOf($0.row.identifier) ?? true }) else { return nil }
            return try protecting { () throws(ProtectionError) in
                try device.openSecret(of: row.row, device.openMetadata(of: row.row))
            }
        }
    }

    /// The items that have the secret, by the protection class under which their rows are sealed.
    ///
    /// The attribute of the same name says nothing: whoever has the root key can seal a row with any attributes under
    /// the keys that need no passcode.
    private func scheduleRows(_ reader: RowReader) throws(KeychainError) -> [NumberedRow] {
        var filter = RowFilter(.genericPassword)
        filter.tags = scheduleTags([
            .service: .string(ScheduledBackup.service), .account: .string(ScheduledBackup.account),
            .accessGroup: .string(ScheduledBackup.accessGroup),
        ])
        filter.protection = scheduleProtection.rawValue
        return try reader.rows(filter)
    }

    private func scheduleTags(_ attributes: Attributes) -> [AttributeTag] {
        device.searchTags(searchTagCache).tags(ItemSchema.of(.genericPassword), attributes)
    }

    private var scheduleProtection: Accessibility {
        ScheduledBackup.accessibility(hasPasscode: device.keybag.passcodeSlot != nil)
    }

    /// `nil` where programs of the user write the folder, so that a mark proves nothing.
    private var scheduleMark: ScheduleMark? { owner == .system ? folder.map(ScheduleMark.init) : nil }
}
