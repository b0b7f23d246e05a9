// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

extension Surroundings {
    /// The passwords of a group, or of all groups, with what belongs to them, in the order of their names.
    ///
    /// - Parameters:
    ///   - group: the only access group.
    ///   - choice: the class and the address that they have.
    ///   - all: whether what belongs to a password is listed by itself, too.
    /// - Returns: The passwords.
    /// - Throws: ``Refusal`` while some are locked.
    func passwords(
        in group: String?,
        _ choice: ItemChoice,
        all: Bool = false
    ) throws(Refusal) -> [ListedPassword] {
        // What belongs to the passwords of servers is generic.
        let classes = choice.classes == [.internetPassword] ? [.genericPassword, .internetPassword] : choice.classes
        let found = try withItems(in: group) { (store) throws(KeychainError) in
            var found: [CredentialStore.Entry] = []
            for itemClass in classes { found += try store.entries(itemClass, [:]) }
            return found
        }
        let listed = ListedPassword.from(found, all: all).filter { password in
            // Whether those of a class that was not searched are there is not known.
            guard choice.classes.contains(password.entry.itemClass),
                password.lost?.choice.itemClass.map(classes.contains) ?? true
            else { return false }
            return choice.address.isEmpty || choice.matches(password.entry)
        }
        return listed.map { (name: $0.entry.name, password: $0) }.sorted { $0.name < $1.name }.map(\.password)
    }

    /// What belongs to a password.
    func attachments(of entry: CredentialStore.Entry) throws(Refusal) -> Attachments {
        var attachments = Attachments()
        guard let owner = AttachmentOwner(entry) else { return attachments }
        let found = try withItems(in: entry.accessGroup) { (store) throws(KeychainError) in
            try store.entries(.genericPassword, [.service: owner.service])
        }
        for found in found where found.isSynchronizable == entry.isSynchronizable {
            if let attachment = Attachment(found) { attachments.insert(attachment) }
        }
        return attachments
    }

    /// What is left of passwords that a name means, and that are gone.
    func leftAttachments(_ choices: [[ItemChoice]]) throws(Refusal) -> [ListedPassword] {
        let left = try passwords(in: nil, ItemChoice(service: "")).filter { $0.lost != nil }
        for group in choices {
            let meant = left.filter { password in
                group.contains { choice in
                    password.lost?.isMeant(
                        by: choice,
                        group: password.entry.accessGroup,
                        isSynchronizable: password.entry.isSynchronizable
                    ) ?? false
                }
            }
            if !meant.isEmpty { return meant }
        }
        return []
    }

    /// Stores something that belongs to a password: sealed as that is, in its access group, and synchronized if it is.
    ///
    /// - Parameters:
    ///   - secret: its bytes.
    ///   - kind: what it is.
    ///   - entry: the password.
    ///   - time: when the password expires; of that kind alone.
    /// - Throws: ``Refusal``, also for a password that has no reference.
    func attach(
        _ secret: SecretBytes,
        as kind: AttachmentKind,
        to entry: CredentialStore.Entry,
        time: Timestamp? = nil
    ) throws(Refusal) {
        guard let owner = AttachmentOwner(entry) else {
            throw Refusal("the service or account of the password is not UTF-8: nothing can belong to it")
        }
        var changes: [AttributeName: PropertyValue] = [:]
        changes[Attachment.time] = time.map { .string(TimeText.text($0)) }
        if let present = try attachments(of: entry).entry(kind) {
            return try withItems { (store) throws(KeychainError) in
                try store.update(present, changes, secret: secret)
            }
        }
        let attributes = Self.attributes(of: kind, ownedBy: owner, like: entry).merging(changes) { $1 }
        _ = try withItems(in: entry.accessGroup) { (store) throws(KeychainError) in
            try store.add(.genericPassword, attributes, secret: secret)
        }
    }

    /// The attributes of a new item that belongs to a password.
    private static func attributes(
        of kind: AttachmentKind,
        ownedBy owner: AttachmentOwner,
        like entry: CredentialStore.Entry
    ) -> [AttributeName: PropertyValue] {
        var attributes: [AttributeName: PropertyValue] = [
            .service: .string(owner.service), .account: .string(kind.account), .label: .string(kind.label),
        ]
        if entry.isSynchronizable { attributes[.synchronizable] = .boolean(true) }
        // A date is an attribute, which is read without asking anybody.
        if kind != .expiry, let control = entry.attributes[AttributeName.accessControl.description],
            control != .null
        {
            attributes[.accessControl] = control
        } else if let level = entry.text(.accessible), !level.isEmpty {
            attributes[.accessible] = .string(level)
        }
        return attributes
    }

    /// Gives a copy of a password copies of what belongs to it, before there is the copy: one that is there is whole.
    ///
    /// - Parameters:
    ///   - entry: the password.
    ///   - choice: the name of the copy.
    ///   - group: its access group.
    /// - Returns: What was added.
    /// - Throws: ``Refusal`` if one cannot be read or added; then none is left.
    func copyAttachments(
        of entry: CredentialStore.Entry,
        to choice: ItemChoice,
        in group: String
    ) throws(Refusal) -> Attachments {
        let (original, owner) = (
            try attachments(of: entry),
            AttachmentOwner(entry, service: choice.service, account: choice.account ?? "")
        )
        var added = Attachments()
        guard let owner else { return added }
        do throws(Refusal) {
            for item in original.entries.compactMap(Attachment.init) {
                let secret = try secret(of: item.entry)
                var attributes = Self.attributes(of: item.kind, ownedBy: owner, like: entry)
                attributes[Attachment.time] = item.expires.map { .string(TimeText.text($0)) }
                let new = try withItems(in: group) { (store) throws(KeychainError) in
                    try store.addCopy(attributes, secret: secret)
                }
                if let new, let attachment = Attachment(new) { added.insert(attachment) }
            }
        } catch {
            try? delete(added)
            throw error
        }
        return added
    }

    /// Deletes what belongs to a password.
    func delete(_ attachments: Attachments) throws(Refusal) {
        for entry in attachments.entries {
            try withItems { (store) throws(KeychainError) in try store.delete(entry) }
        }
    }
}

extension CredentialStore {
    /// Adds a generic password; one that is there with the same secret was left by a command that was ended.
    ///
    /// - Returns: The new item; `nil` if there was one.
    fileprivate func addCopy(
        _ attributes: [AttributeName: PropertyValue],
        secret: SecretBytes
    ) throws(KeychainError) -> Entry? {
        var name: [AttributeName: String] = [:]
        for attribute in [AttributeName.service, .account] {
            if case .string(let text)? = attributes[attribute] { name[attribute] = text }
        }
        do throws(KeychainError) { try add(.genericPassword, attributes, secret: secret) } catch {
            guard error.status == .duplicateItem, let present = try entries(.genericPassword, name).first,
                try self.secret(of: present) == secret
            else { throw error }
            return nil
        }
        return try entries(.genericPassword, name).first
    }

    /// Changes a password together with what belongs to it.
    ///
    /// What changes where that is found (name, access group, synchronizability) changes there first, and at once: a
    /// command that is ended in between finishes when it is run again. Its accessibility follows.
    func updateWithAttachments(
        _ entry: Entry,
        _ changes: [AttributeName: PropertyValue],
        secret: SecretBytes? = nil
    ) throws(KeychainError) {
        guard let owner = AttachmentOwner(entry) else { return try update(entry, changes, secret: secret) }
        let former = owner.marks(in: entry.accessGroup, entry.isSynchronizable)
        var new = former
        for name in [AttributeName.accessGroup, .synchronizable] { if let value = changes[name] { new[name] = value } }
        if case .string(let service)? = changes[entry.passwordClass.service],
            case .string(let account)? = changes[.account],
            let renamed = AttachmentOwner(entry, service: service, account: account)
        {
            new[.service] = .string(renamed.service)
        }
        let differing = new.filter { former[$0] != $1 }
        var isMoved = false
        if !differing.isEmpty {
            do throws(KeychainError) {
                isMoved = try updateAll(.genericPassword, former, to: differing)
            } catch {
                guard error.status == .duplicateItem else { throw error }
                throw KeychainError(
                    .duplicateItem,
                    "what is left of another password of that name is in the way; 'keychainctl list' shows it"
                )
            }
        }
        do throws(KeychainError) { try update(entry, changes, secret: secret) } catch {
            if isMoved { _ = try? updateAll(.genericPassword, new, to: former.filter { differing[$0.key] != nil }) }
            throw error
        }
        guard let level = changes[.accessible] else { return }
        _ = try updateAll(.genericPassword, new, to: [.accessible: level])
    }
}

extension AttachmentOwner {
    /// What finds everything that belongs to a password.
    fileprivate func marks(in group: String, _ isSynchronizable: Bool) -> [AttributeName: PropertyValue] {
        [
            .service: .string(service), .accessGroup: .string(group), .synchronizable: .boolean(isSynchronizable),
        ]
    }
}
