// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a client may see and change (Semantics, "Access groups").
struct AccessGroups: Sendable {
    private let client: Client
    private let hasWildcard: Bool

    /// - Throws: `errSecMissingEntitlement` when the client has no group at all.
    init(_ client: Client) throws(KeychainError) {
        guard !client.accessGroups.isEmpty else {
            throw KeychainError(.missingEntitlement, "the client has no access group")
        }
        self.init(ofAny: client)
    }

    /// The same of any client, also of one that has no group.
    init(ofAny client: Client) {
        self.client = client
        hasWildcard = client.accessGroups.contains(Client.everyGroup)
    }

    private static let sharingSuffix = "com.apple.networkextensionsharing"

    /// The group of an item that names none; `nil` when the client may not write to any group.
    var `default`: String? { client.defaultAccessGroup }

    /// Refuses a client that may not write to any group.
    func checkAnyWritable() throws(KeychainError) {
        guard `default` != nil else {
            throw KeychainError(.missingEntitlement, "the client has no access group that it may write to")
        }
    }

    /// The groups that a copy without a group searches; `nil` for every group.
    var readable: [String]? { hasWildcard ? nil : client.accessGroups }

    /// The groups that an update or a delete without a group searches; `nil` for every group.
    var writable: [String]? { readable?.filter { $0 != PropertyKey.accessGroupToken } }

    /// Checks the group that a caller names for reading, after its conversion to a string.
    func checkReadable(_ group: AttributeValue?) throws(KeychainError) {
        guard case .string(let name)? = group else { return }
        guard isListed(name) else { throw Self.missing }
    }

    /// Checks the group that a caller names for writing, exactly as given.
    ///
    /// Only a string is valid; but a client with access to every group may name an item's new group by any value that
    /// converts to a string.
    func checkWritable(_ value: PropertyValue?, isOfItem: Bool) throws(KeychainError) {
        guard let value, !(hasWildcard && isOfItem) else { return }
        guard case .string(let name) = value, hasWildcard || name != PropertyKey.accessGroupToken, isListed(name) else {
            throw Self.missing
        }
    }

    /// Refuses synchronizable items to an app clip.
    func checkSynchronizable(_ value: AttributeValue?) throws(KeychainError) {
        guard client.appClipIdentifier != nil, let value, value.isTrue else { return }
        throw KeychainError(.restrictedAPI, "an app clip cannot store synchronizable items")
    }

    /// Whether the client may use a group.
    func isListed(_ name: String) -> Bool {
        hasWildcard || client.accessGroups.contains { $0.utf8.elementsEqual(name.utf8) }
            || client.isNetworkExtension && name.hasSuffix(Self.sharingSuffix)
    }

    /// Refuses every group but its own to an app clip.
    func checkAppClip(_ group: AttributeValue?) throws(KeychainError) {
        guard let identifier = client.appClipIdentifier, let group else { return }
        guard group == .string(identifier) || group == .string(PropertyKey.accessGroupToken) else {
            throw KeychainError(.restrictedAPI, "an app clip may use its own access group only")
        }
    }

    private static let missing = KeychainError(
        .missingEntitlement,
        "the client is not entitled to the access group that it names"
    )
}

extension AttributeValue {
    /// Whether this is the number that makes an item synchronizable.
    ///
    /// Any other number does not, although no local item has one either (Semantics, "Synchronizable items").
    var isSynchronized: Bool { self == .number(.integer(1)) || self == .number(.real(1)) }
}
