// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// Where a command stores a secret.
struct PasswordPlace {
    /// What was given as its name.
    let givenName: String

    /// What the name may mean.
    let choices: [[ItemChoice]]

    /// Whether it is to be synchronized; `nil` if nothing was said about that.
    let synchronizable: Bool?

    /// The password that is there; `nil` if a new one is added.
    let entry: CredentialStore.Entry?

    /// Service and account of a new one; its class is that of the choice, or generic.
    let choice: ItemChoice

    /// Its name in lists.
    var name: String { entry?.name ?? CredentialStore.Entry.name(choice.service, choice.account ?? "") }

    /// What was done when a secret was stored there.
    var remark: String { "\(entry == nil ? "Stored" : "Replaced") \(name.printable)" }

    /// The attributes of a new password.
    ///
    /// - Throws: ``Refusal`` for an address or a group that none can have.
    func newAttributes() throws(Refusal) -> (itemClass: ItemClass, attributes: [AttributeName: PropertyValue]) {
        if entry == nil, let group = choice.group { try AccessGroupName.check(group) }
        let itemClass = choice.itemClass ?? (choice.address.isEmpty ? .genericPassword : .internetPassword)
        let service = PasswordClass(itemClass)?.service ?? .service
        var attributes: [AttributeName: PropertyValue] = [
            service: .string(choice.service), .account: .string(choice.account ?? ""),
            .label: .string(choice.service),
        ]
        for (part, value) in choice.address where !value.isEmpty {
            let (name, value) = try part.attribute(value)
            attributes[name] = value
        }
        if synchronizable ?? choice.isSynchronizable ?? false { attributes[.synchronizable] = .boolean(true) }
        return (itemClass, attributes)
    }
}

extension Surroundings {
    /// The password that a name means in the group of an option, or else in the common group; a new one if there is
    /// none.
    ///
    /// - Throws: ``Refusal`` if there are several, or if the name of a new one could be divided at several slashes.
    func target(of item: ItemName, synchronizable: Bool? = nil) throws(Refusal) -> PasswordPlace {
        try target(item.name, try item.choices(), synchronizable: synchronizable)
    }

    /// The password that a name means.
    func target(
        _ name: String,
        _ choices: [[ItemChoice]],
        synchronizable: Bool? = nil
    ) throws(Refusal) -> PasswordPlace {
        var alternatives = choices.map { group in
            group.map { choice in
                var choice = choice
                choice.group = choice.group ?? Client.commonGroup
                return choice
            }
        }
        let exact = (alternatives.first ?? []).map { choice in
            choice.with(service: choice.service, account: choice.account ?? "")
        }
        // A reference may leave out the account, as a name may.
        alternatives = [exact] + alternatives.filter { $0.contains { $0.account == nil } }
        if let entry = try presentEntry(alternatives, named: name, synchronizable) {
            return PasswordPlace(
                givenName: name,
                choices: choices,
                synchronizable: synchronizable,
                entry: entry,
                choice: entry.choice
            )
        }
        // The last one is the name without an account. None begins with a slash.
        let candidates = exact.count > 1 ? exact.dropLast().filter { !$0.service.isEmpty } : exact
        guard candidates.count <= 1, let choice = candidates.first ?? exact.last else {
            throw Refusal(
                "'\(name.printable)' has several slashes: give the account by --account, or a reference with %2F within a name",
                .usage
            )
        }
        guard !choice.service.isEmpty else { throw Refusal("a password has a service", .usage) }
        let place = PasswordPlace(
            givenName: name,
            choices: choices,
            synchronizable: synchronizable,
            entry: nil,
            choice: choice
        )
        _ = try place.newAttributes()
        return place
    }

    /// The password that is there, preferably one that is synchronized, or is not, as it is to be.
    private func presentEntry(
        _ alternatives: [[ItemChoice]],
        named name: String,
        _ synchronizable: Bool?
    ) throws(Refusal) -> CredentialStore.Entry? {
        for choices in alternatives {
            let found = try entries(choices)
            let preferred = found.filter { $0.isSynchronizable == synchronizable }
            let meant = preferred.isEmpty ? found : preferred
            guard let entry = meant.first else { continue }
            guard meant.count == 1 else { throw Self.ambiguous(name, meant) }
            return entry
        }
        return nil
    }

    /// Stores a secret, and attributes that are given.
    ///
    /// The name is looked up again: what it means may have changed while the secret was read.
    ///
    /// - Returns: Where it was stored.
    @discardableResult
    func store(
        _ secret: SecretBytes,
        at target: PasswordPlace,
        _ attributes: [AttributeName: PropertyValue] = [:]
    ) throws(Refusal) -> PasswordPlace {
        var failure: KeychainError?
        for _ in 0..<5 {
            let place = try self.target(
                target.givenName,
                target.choices,
                synchronizable: target.synchronizable
            )
            let (itemClass, new) = try place.newAttributes()
            failure = try withItems(in: place.choice.group) { (store) throws(KeychainError) in
                do throws(KeychainError) {
                    if let entry = place.entry {
                        var changes = attributes
                        if let flag = place.synchronizable, flag != entry.isSynchronizable {
                            changes[.synchronizable] = .boolean(flag)
                        }
                        try store.updateWithAttachments(entry, changes, secret: secret)
                    } else {
                        try store.add(itemClass, new.merging(attributes) { $1 }, secret: secret)
                    }
                    return nil
                } catch {
                    // Another process added or deleted it meanwhile.
                    guard error.status == .duplicateItem || error.status == .itemNotFound else { throw error }
                    return error
                }
            }
            if failure == nil { return place }
        }
        throw Refusal("'\(target.name.printable)' was not stored: \(failure?.reason ?? "")")
    }
}
