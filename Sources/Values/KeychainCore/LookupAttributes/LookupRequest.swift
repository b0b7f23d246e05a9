// SPDX-License-Identifier: Apache-2.0

/// A command for items as the Secret Service sees them: generic and internet passwords that are neither synchronizable
/// nor on a token, with lookup attributes.
package struct LookupRequest: Sendable, Hashable {
    /// The operation.
    package var operation: Operation

    /// The client: items of other groups are absent.
    package var client: Client

    /// What the owner authenticated in before; nobody is prompted.
    package var context: AuthenticationContext?

    /// A request.
    package init(_ operation: Operation, client: Client, context: AuthenticationContext? = nil) {
        self.operation = operation
        self.client = client
        self.context = context
    }

    /// The operations.
    package enum Operation: Sendable, Hashable {
        /// The items that have every one of these pairs, also while the device is locked; the reply is
        /// ``KeychainReply/lookupMatches(_:)``.
        case search(LookupAttributes)
        /// Attributes, labels and times of items; unknown ones are left out. The reply is
        /// ``KeychainReply/lookupItems(_:)``.
        case describe([ItemIdentifier])
        /// Secrets of items, of at most ``maximumSecretBytes`` together; locked and unknown ones are left out. The
        /// reply is ``KeychainReply/lookupSecrets(_:)``.
        case secrets([ItemIdentifier])
        /// Stores an item, in place of one with exactly the same lookup attributes if it replaces; the reply is
        /// ``KeychainReply/lookupStored(_:)``.
        case store(LookupContents, replacing: Bool)
        /// Changes an item; the reply is ``KeychainReply/done``.
        case change(ItemIdentifier, LookupChange)
        /// Deletes an item; the reply is ``KeychainReply/done``.
        case delete(ItemIdentifier)
    }

    /// The call of an item function that needs the same permissions.
    package var authorizedCall: KeychainRequest {
        let call: KeychainRequest.Operation =
            switch operation {
            case .search, .describe, .secrets: .copyMatching([:])
            case .store(_, replacing: false): .add([:])
            // In place of an item of any group, or a new one.
            case .store: .set([:], attributes: [:], addition: [:])
            case .change: .update([:], attributes: [:])
            case .delete: .delete([:])
            }
        return KeychainRequest(call, client: client)
    }

    /// Refuses values that are larger than necessary.
    ///
    /// - Throws: `errSecParam`.
    package func checkSizes() throws(KeychainError) { try operation.checkSizes() }

    /// The maximum number of items that one command names.
    package static let maximumItems = 64 << 10

    /// The maximum number of bytes of all secrets of a reply: two of the longest ones.
    package static let maximumSecretBytes = 2 * ItemLimits.secretByteCount

    /// The maximum number of bytes of a content type.
    package static let maximumContentTypeByteCount = 4 << 10
}

extension LookupRequest.Operation {
    /// Whether it changes nothing.
    package var changesNothing: Bool {
        switch self {
        case .search, .describe, .secrets: true
        case .store, .change, .delete: false
        }
    }

    /// Refuses values that are larger than necessary.
    ///
    /// - Throws: `errSecParam`.
    package func checkSizes() throws(KeychainError) {
        switch self {
        case .search(let attributes): try Self.check(attributes)
        case .describe(let items), .secrets(let items):
            guard items.count <= LookupRequest.maximumItems else {
                throw .parameter("a command names at most \(LookupRequest.maximumItems) items")
            }
        case .store(let contents, replacing: _):
            try Self.check(contents.attributes)
            try Self.check(label: contents.label)
            try Self.check(contents.secret, contentType: contents.contentType)
        case .change(_, .secret(let secret, let contentType)): try Self.check(secret, contentType: contentType)
        case .change(_, .label(let label)): try Self.check(label: label)
        case .change(_, .attributes(let attributes)): try Self.check(attributes)
        case .delete: break
        }
    }

    private static func check(_ attributes: LookupAttributes) throws(KeychainError) {
        try attributes.checkSize()
        // Values become columns, which are compared as strings elsewhere.
        guard !attributes.pairs.contains(where: { $0.name.hasTooManyMarks || $0.value.hasTooManyMarks }) else {
            throw .tooManyMarks
        }
    }

    private static func check(label: String) throws(KeychainError) {
        guard !label.hasTooManyMarks else { throw .tooManyMarks }
        guard label.utf8.count <= LookupAttributes.maximumTextByteCount else {
            throw .parameter("the label is longer than \(LookupAttributes.maximumTextByteCount) bytes")
        }
    }

    private static func check(_ secret: SecretBytes, contentType: String) throws(KeychainError) {
        guard contentType.utf8.count <= LookupRequest.maximumContentTypeByteCount else {
            throw .parameter("the content type is longer than \(LookupRequest.maximumContentTypeByteCount) bytes")
        }
        guard !contentType.hasTooManyMarks else { throw .tooManyMarks }
        guard secret.count <= ItemLimits.secretByteCount else {
            throw .parameter("the secret is longer than \(ItemLimits.secretByteCount) bytes")
        }
    }
}
