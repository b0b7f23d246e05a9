// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A dictionary after validation: what add, copy and delete act on, and the query of update.
struct Query: Sendable {
    let itemClass: ItemClass

    /// The attributes, converted to the kinds of their columns; synchronizability is ``scope``.
    var attributes: Attributes = [:]

    var scope: SynchronizableScope?
    var match = MatchConditions()
    var returns: ReturnFlags = []
    var data: SecretBytes?
    var reference: PersistentReference?
    var authenticationUI = AuthenticationUI.allow
    /// In which context the owner is asked (`kSecUseAuthenticationContext`).
    var context: AuthenticationContext?
    /// Why the owner is asked (`kSecUseOperationPrompt`).
    var operationPrompt: String?
    var hasItemList = false

    var schema: ItemSchema { ItemSchema.of(itemClass) }

    /// The access control that was given, plain accessibility excepted.
    var accessControl: AccessControl? {
        guard case .accessControl(let accessControl) = attributes[.accessControl] else { return nil }
        return accessControl
    }
}

extension Query {
    /// Whether an answer takes the secrets of items, or a condition on certificates does.
    var readsSecret: Bool {
        returns.contains(.data) || returns.contains(.reference) && itemClass.hasReferenceType
            || itemClass == .certificate && match.readsCertificates
    }

    /// A legacy reference stands alone, unlike one of the current form (specification, open question 11).
    func checkLegacyReference() throws(KeychainError) {
        if case .row? = reference, !attributes.isEmpty {
            throw .parameter("a legacy persistent reference cannot be combined with attributes")
        }
    }
}

/// Which items a query or an attribute means by synchronizability (specification, section 5.5).
enum SynchronizableScope: Sendable, Hashable {
    /// Items whose attribute has this value.
    case exactly(AttributeValue)
    /// Items of either kind.
    case any

    static let local = SynchronizableScope.exactly(.number(.integer(0)))
}
