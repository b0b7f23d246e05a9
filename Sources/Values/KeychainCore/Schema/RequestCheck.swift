// SPDX-License-Identifier: Apache-2.0

/// One of Apple's item functions.
package enum ItemFunction: String, Sendable, Hashable, CaseIterable {
    /// `SecItemAdd`
    case add = "SecItemAdd"
    /// `SecItemCopyMatching`
    case copyMatching = "SecItemCopyMatching"
    /// `SecItemUpdate`
    case update = "SecItemUpdate"
    /// `SecItemDelete`
    case delete = "SecItemDelete"
}

/// The dictionaries of a request.
package enum RequestPart: String, Sendable, Hashable, CaseIterable {
    /// The only dictionary, or the first one of an update.
    case query
    /// The new attributes of an update.
    case attributes
}

/// A check that a request has to pass before any item is examined; the raw value is its name in reports.
///
/// ``order(of:)`` specifies the checks of each function, and which one takes precedence if several fail.
package enum RequestCheck: String, Sendable, Hashable, CaseIterable {
    /// The dictionary has an entry.
    case entries
    /// An access control is a `SecAccessControl`.
    case accessControlType = "access-control-type"
    /// An access control of flags and synchronizable exclude each other.
    case accessControlSynchronizable = "access-control-synchronizable"
    /// An issuer is data.
    case issuerType = "issuer-type"
    /// A value reference is a key or a certificate.
    case valueReference = "value-reference"
    /// The identifier of a token is a string.
    case tokenType = "token-type"
    /// The token that is to hold a new item exists, and holds such items.
    case token
    /// A policy is a `SecPolicy`.
    case policyType = "policy-type"
    /// An authentication context and a credential reference exclude each other.
    case contextAndCredential = "context-and-credential"
    /// `kSecUseAuthenticationUISkip` is given to a copy only.
    case authenticationUISkip = "authentication-ui-skip"
    /// Every key and value can be encoded.
    case encoding
    /// No attribute needs a private entitlement.
    case privateAttribute = "private-attribute"
    /// No attribute is closed to every client.
    case closedAttribute = "closed-attribute"
    /// The client has an access group.
    case clientGroups = "client-groups"
    /// The client has an access group that it may write to.
    case writableGroups = "writable-groups"
    /// Every key is a string or a number.
    case keyType = "key-type"
    /// A class that is a string is one of the item classes.
    case className = "class-name"
    /// A persistent reference has one of the known forms.
    case persistentReference = "persistent-reference"
    /// There is a class, and the reference does not contradict it.
    case itemClass = "class"
    /// No key is a number.
    case numberAsKey = "number-as-key"
    /// There are not too many keys.
    case keyCount = "key-count"
    /// The class has the attribute.
    case attributeName = "attribute-name"
    /// The attribute accepts the value.
    case attributeValue = "attribute-value"
    /// The match key accepts the value.
    case matchValue = "match-value"
    /// The return key is known, and its value a Boolean.
    case returnValue = "return-value"
    /// The use key is known, and accepts the value.
    case useValue = "use-value"
    /// The secret is data.
    case secretType = "secret-type"
    /// The key is of a known kind.
    case keyKind = "key-kind"
    /// Accessibility and access control do not contradict each other.
    case protectionConflict = "protection-conflict"
    /// A sharing group and synchronizable exclude each other.
    case sharingGroupSynchronizable = "sharing-group-synchronizable"
    /// No sharing group is searched, which requires a private entitlement.
    case sharingGroup = "sharing-group"
    /// An update does not set a sharing group.
    case sharingGroupChange = "sharing-group-change"
    /// The client may use the access group that is named.
    case accessGroup = "access-group"
    /// An app clip uses its own access group.
    case appClipGroup = "app-clip-group"
    /// An app clip stores nothing that is synchronizable.
    case appClipSynchronizable = "app-clip-synchronizable"
    /// `kSecUseItemList` is not given.
    case itemList = "item-list"
    /// No match key is given.
    case matchKeys = "match-keys"
    /// No return key is true.
    case returnKeys = "return-keys"
    /// The persistent reference of an add has the form of an item's.
    case addedReference = "added-reference"
    /// An identity is added by its reference, not by its class.
    case addedIdentity = "added-identity"
    /// A persistent reference is the only condition.
    case referenceAlone = "reference-alone"
    /// The match conditions apply to the class.
    case matchClass = "match-class"
    /// The limit is not 0.
    case matchLimit = "match-limit"
    /// Nothing is searched for that is encrypted with the secret.
    case encryptedAttribute = "encrypted-attribute"
    /// The secret is within the size limit of an item.
    case secretSize = "secret-size"

    /// The section of Documentation/Semantics.md that has the rule, by its title.
    package var section: String {
        switch self {
        case .entries, .className, .itemClass: "Class of a query"
        case .accessControlType, .issuerType, .tokenType, .policyType, .contextAndCredential, .privateAttribute,
            .closedAttribute, .keyCount, .matchValue, .protectionConflict, .sharingGroup, .sharingGroupSynchronizable,
            .matchClass, .encryptedAttribute:
            "Values and combinations"
        case .valueReference, .authenticationUISkip, .secretType, .itemList, .matchKeys, .returnKeys, .addedReference:
            "What each function accepts"
        case .encoding, .attributeValue: "Conversion and comparison of values"
        case .clientGroups, .writableGroups, .accessGroup, .appClipGroup, .appClipSynchronizable: "Access groups"
        case .keyType, .numberAsKey, .returnValue, .useValue, .keyKind: "Classification of keys"
        case .persistentReference, .referenceAlone: "Persistent references"
        case .attributeName: "Attributes that a class lacks"
        case .accessControlSynchronizable: "Synchronizable items"
        case .sharingGroupChange: "New attributes of an update"
        case .addedIdentity: "Identities"
        case .matchLimit: "Match limit"
        case .token, .secretSize: "Adding an item"
        }
    }
}

// MARK: - Order

extension RequestCheck {
    /// A check of one dictionary.
    package struct Step: Sendable, Hashable {
        /// The subject of the check.
        package let check: RequestCheck
        /// In which dictionary.
        package let part: RequestPart
    }

    /// The checks of a function, in the order of precedence (Semantics, "Order of checks").
    ///
    /// Those of single keys, from ``attributeName`` to ``keyKind``, are one pass over the dictionary: among them, the
    /// first key in alphabetical order takes precedence.
    package static func order(of function: ItemFunction) -> [Step] {
        switch function {
        case .add: addition
        case .copyMatching: copy
        case .update: update
        case .delete: deletion
        }
    }

    /// The checks of every key in the dictionary of an add and in a query.
    package static let ofQueryKeys: [RequestCheck] = [
        .attributeName, .attributeValue, .matchValue, .returnValue, .useValue, .secretType, .keyKind,
    ]

    /// The checks of every key among the new attributes of an update.
    package static let ofAttributeKeys: [RequestCheck] = [
        .attributeName, .attributeValue, .sharingGroupChange, .secretType, .secretSize, .keyKind,
    ]

    private static let parsing: [RequestCheck] =
        [.keyType, .className, .persistentReference, .itemClass, .numberAsKey, .keyCount] + ofQueryKeys
        + [.protectionConflict, .sharingGroupSynchronizable]

    /// The client's operations on the values of a dictionary before anything is encoded.
    private static let conversion: [RequestCheck] = [.issuerType, .valueReference, .tokenType, .policyType]

    private static let addition = steps(
        .query,
        [
            .entries, .accessControlType, .accessControlSynchronizable,
        ] + conversion
            + [
                .contextAndCredential, .authenticationUISkip, .token, .encoding, .privateAttribute, .closedAttribute,
                .clientGroups, .writableGroups,
            ] + parsing
            + [
                .accessGroup, .matchKeys, .itemList, .addedReference, .addedIdentity, .appClipGroup,
                .appClipSynchronizable, .secretSize,
            ]
    )

    private static let copy = steps(
        .query,
        [.entries, .accessControlType] + conversion
            + [.contextAndCredential, .encoding, .closedAttribute, .clientGroups] + parsing
            + [
                .sharingGroup, .accessGroup, .appClipGroup, .itemList, .referenceAlone, .matchClass, .matchLimit,
                .encryptedAttribute,
            ]
    )

    private static let update =
        steps(
            .query,
            [.entries, .accessControlType] + conversion + [.contextAndCredential, .authenticationUISkip]
        )
        + steps(
            .attributes,
            [.accessControlType, .accessControlSynchronizable, .valueReference, .issuerType, .policyType]
        )
        + steps(.query, [.encoding]) + steps(.attributes, [.encoding])
        + steps(.query, [.privateAttribute]) + steps(.attributes, [.privateAttribute])
        + steps(.query, [.closedAttribute]) + steps(.attributes, [.closedAttribute])
        + steps(
            .query,
            [.clientGroups, .writableGroups, .accessGroup] + parsing
                + [.sharingGroup, .appClipGroup, .returnKeys, .itemList, .referenceAlone]
        )
        + steps(.attributes, [.accessGroup]) + steps(.query, [.matchKeys])
        + steps(
            .attributes,
            [.keyType] + ofAttributeKeys + [.protectionConflict, .appClipGroup, .appClipSynchronizable]
        )
        + steps(.query, [.encryptedAttribute])

    private static let deletion = steps(
        .query,
        [
            .entries, .accessControlType,
        ] + conversion
            + [
                .contextAndCredential, .authenticationUISkip, .encoding, .closedAttribute, .clientGroups,
                .writableGroups, .accessGroup,
            ] + parsing
            + [.sharingGroup, .appClipGroup, .matchKeys, .referenceAlone, .encryptedAttribute]
    )

    private static func steps(_ part: RequestPart, _ checks: [RequestCheck]) -> [Step] {
        checks.map { Step(check: $0, part: part) }
    }
}
