// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One call of an item function, as the client made it.
struct ItemRequest: Sendable {
    let function: ItemFunction
    let client: Client
    /// The only dictionary, or the query of an update.
    var dictionary: PropertyDictionary
    /// The new attributes of an update.
    var attributes: PropertyDictionary = [:]
    /// The size limit of a secret: a keychain file seals more with it.
    var largestSecret = ItemLimits.secretByteCount

    /// The request by one half of an identity that the dictionary names by `kSecValueRef`.
    ///
    /// The given class is ignored, except in an update, where only the class of identities is replaced by that of the
    /// half (Semantics, "Identities").
    func narrowed(to half: ItemReference) -> ItemRequest {
        var narrowed = self
        narrowed.dictionary[PropertyKey.valueReference] = .reference(half)
        if function != .update || dictionary[PropertyKey.itemClass] == .string(ItemClass.identity.rawValue) {
            narrowed.dictionary[PropertyKey.itemClass] = nil
        }
        return narrowed
    }

    /// The same request of another class.
    func narrowed(to itemClass: ItemClass) -> ItemRequest {
        var narrowed = self
        narrowed.dictionary[PropertyKey.itemClass] = .string(itemClass.rawValue)
        return narrowed
    }

    /// The request as the operations receive it: validated, and with converted values.
    ///
    /// - Throws: The error of the first check that fails (``RequestCheck/order(of:)``).
    func checked() throws(KeychainError) -> CheckedRequest {
        var draft = RequestDraft(self)
        do throws(RequestFault) {
            for step in RequestCheck.order(of: function) { try draft.run(step) }
        } catch {
            throw error.error
        }
        // Taken out, because a copy would retain each of their parts.
        guard let query = draft.query.take(), let groups = draft.groups.take() else {
            preconditionFailure("a request that passes every check has a class and access groups")
        }
        return CheckedRequest(query: query, groups: groups, changes: draft.changes)
    }

    /// Every fault of the request, in the order in which the checks come; ``checked()`` throws the first.
    ///
    /// A check that depends on another one that failed is skipped.
    func faults() -> [RequestFault] { examined().faults ?? [] }

    /// The request after all of its checks, without what is at fault, and with every fault.
    func examined() -> RequestDraft {
        var draft = RequestDraft(self, collectsFaults: true)
        for step in RequestCheck.order(of: function) {
            do throws(RequestFault) { try draft.run(step) } catch { draft.faults?.append(error) }
        }
        return draft
    }
}

/// A request that passed every check.
struct CheckedRequest: Sendable {
    /// The item that an add stores, or the query for the items.
    var query: Query
    let groups: AccessGroups
    /// The new values of an update.
    var changes: UpdateAttributes
}

/// A check that a request does not pass.
struct RequestFault: Error {
    let check: RequestCheck
    let part: RequestPart
    /// The error of the call if no earlier check fails; its subject is the wrong key, if it is a single one.
    let error: KeychainError

    init(check: RequestCheck, part: RequestPart, key: String? = nil, error: KeychainError) {
        self.check = check
        self.part = part
        var error = error
        error.subject = error.subject ?? key
        self.error = error
    }

    /// The wrong key, if it is a single one.
    var key: String? { error.subject }
}

extension Authorization {
    /// Checks a request, and reads from it whether and how the user may be prompted.
    func checked(_ request: ItemRequest) throws(KeychainError) -> CheckedRequest {
        let checked = try request.checked()
        begin(checked.query)
        return checked
    }
}
