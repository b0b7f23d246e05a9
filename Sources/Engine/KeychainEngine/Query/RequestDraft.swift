// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// A request during its checks, which convert it step by step.
///
/// Changed in place, so that no step copies it: otherwise, each of its parts would be retained and released for every
/// check.
struct RequestDraft {
    let function: ItemFunction
    let client: Client
    /// The dictionaries; a value reference is replaced by the values that it represents.
    var dictionary: PropertyDictionary
    var attributes: PropertyDictionary
    private let largestSecret: Int

    var groups: AccessGroups?
    var reference: PersistentReference?
    /// The converted query, as soon as the class is known.
    var query: Query?
    /// The converted new attributes of an update.
    var changes = UpdateAttributes()

    /// The faults that were found; `nil` if the first fault ends the checks.
    var faults: [RequestFault]?

    init(_ request: ItemRequest, collectsFaults: Bool = false) {
        function = request.function
        client = request.client
        dictionary = request.dictionary
        attributes = request.attributes
        faults = collectsFaults ? [] : nil
        largestSecret = request.largestSecret
        changes.largestSecret = largestSecret
        // The client always requests the attributes with the data, and removes them again.
        if function == .copyMatching, dictionary[PropertyKey.returnData] == .boolean(true),
            dictionary[PropertyKey.returnAttributes] != .boolean(true)
        {
            dictionary[PropertyKey.returnAttributes] = nil
        }
    }

    /// Runs one step of the order of checks, or skips it if its input is missing because of an earlier fault.
    mutating func run(_ step: RequestCheck.Step) throws(RequestFault) {
        do throws(KeychainError) {
            switch step.part {
            case .query: try checkQuery(step.check)
            case .attributes: try checkAttributes(step.check)
            }
        } catch {
            throw RequestFault(check: step.check, part: step.part, error: error)
        }
        switch (step.check, step.part) {
        case (.encoding, _): try encode(step.part)
        case (.attributeName, .query): try convertQuery()
        case (.attributeName, .attributes): try convertAttributes()
        default: break
        }
    }

    private mutating func checkQuery(_ check: RequestCheck) throws(KeychainError) {
        switch check {
        case .entries: guard !dictionary.entries.isEmpty else { throw .parameter("the dictionary is empty") }
        case .accessControlType: try Self.checkAccessControlType(&dictionary)
        case .accessControlSynchronizable: try Self.checkAccessControlSynchronizable(dictionary)
        case .issuerType: try Self.normalizeIssuer(&dictionary)
        case .valueReference: try expandValueReference()
        case .tokenType: try checkTokenType()
        case .token: try checkToken()
        case .policyType: try Self.checkPolicyType(&dictionary)
        case .contextAndCredential: try checkContext()
        case .authenticationUISkip: try checkAuthenticationUISkip()
        case .privateAttribute: try GuardedAttributes.checkPrivate(dictionary, of: function, as: .query)
        case .closedAttribute: try GuardedAttributes.checkClosed(dictionary)
        case .clientGroups: groups = try AccessGroups(client)
        case .writableGroups: try groups?.checkAnyWritable()
        case .accessGroup: try checkAccessGroup()
        case .keyType: guard !dictionary.foreignKeys.contains(.other) else { throw .parameter("a key is not a string") }
        case .className: try checkClassName()
        case .persistentReference: try readPersistentReference()
        case .itemClass: try startQuery()
        case .numberAsKey: try checkNumberAsKey()
        case .keyCount: try checkKeyCount()
        case .protectionConflict: try AccessControlRules.checkConflict(query?.attributes ?? [:])
        case .encryptedAttribute: if let query { try GuardedAttributes.checkEncrypted(query) }
        case .appClipGroup: try checkAppClipGroup()
        case .appClipSynchronizable:
            if case .exactly(let value)? = query?.scope { try groups?.checkSynchronizable(value) }
        // Judged with the first of their kind, key by key.
        case .encoding, .attributeName, .attributeValue, .matchValue, .returnValue, .useValue, .secretType, .keyKind:
            break
        case .sharingGroup, .sharingGroupSynchronizable, .itemList, .matchKeys, .returnKeys, .addedReference,
            .addedIdentity, .referenceAlone, .matchClass, .matchLimit, .secretSize:
            try query?.check(check, in: function)
        case .sharingGroupChange: preconditionFailure("a check of new attributes")
        }
    }

    private mutating func checkAttributes(_ check: RequestCheck) throws(KeychainError) {
        switch check {
        case .accessControlType: try Self.checkAccessControlType(&attributes)
        case .accessControlSynchronizable: try Self.checkAccessControlSynchronizable(attributes)
        case .issuerType: try Self.normalizeIssuer(&attributes)
        case .valueReference: try replaceValueReferenceOfAttributes()
        case .policyType: try Self.checkPolicyType(&attributes)
        case .privateAttribute: try GuardedAttributes.checkPrivate(attributes, of: function, as: .attributes)
        case .closedAttribute: try GuardedAttributes.checkClosed(attributes)
        case .accessGroup: try groups?.checkWritable(attributes[PropertyKey.accessGroup], isOfItem: true)
        case .keyType: guard attributes.foreignKeys.isEmpty else { throw .parameter("a key is not a string") }
        case .protectionConflict: try AccessControlRules.checkConflict(changes.attributes)
        case .appClipGroup: try groups?.checkAppClip(changes.attributes[.accessGroup])
        case .appClipSynchronizable: try groups?.checkSynchronizable(changes.attributes[.synchronizable])
        case .encoding, .attributeName, .attributeValue, .sharingGroupChange, .secretType, .secretSize, .keyKind: break
        // Listed, so that the compiler asks for a new check in which dictionary it is one.
        case .entries, .tokenType, .token, .contextAndCredential, .authenticationUISkip, .clientGroups,
            .writableGroups, .className, .persistentReference, .itemClass, .numberAsKey, .keyCount, .matchValue,
            .returnValue, .useValue, .sharingGroup, .sharingGroupSynchronizable, .itemList, .matchKeys, .returnKeys,
            .addedReference, .addedIdentity, .referenceAlone, .matchClass, .matchLimit, .encryptedAttribute:
            preconditionFailure("a check of queries")
        }
    }

    /// Checks the entries of a dictionary one by one.
    ///
    /// Of several faults, that of the alphabetically first key counts, so that the result for a dictionary is
    /// deterministic.
    mutating func forEachEntry(
        of dictionary: PropertyDictionary,
        _ body: (_ key: String, _ value: PropertyValue) throws(RequestFault) -> Void
    ) throws(RequestFault) {
        if faults == nil {
            do throws(RequestFault) {
                for (key, value) in dictionary.entries { try body(key, value) }
                return
            } catch {
                // Found again below, if no other comes before it.
            }
        }
        for (key, value) in dictionary.entries.sorted(by: { $0.key < $1.key }) {
            do throws(RequestFault) {
                try body(key, value)
            } catch {
                guard faults != nil else { throw error }
                faults?.append(error)
            }
        }
    }
}

// MARK: - The parts of a query

extension RequestDraft {
    private mutating func readPersistentReference() throws(KeychainError) {
        guard let value = dictionary[PropertyKey.valuePersistentReference] else { return }
        reference = try PersistentReference(value)
    }

    /// A class that is not known comes before a reference that is malformed.
    private func checkClassName() throws(KeychainError) {
        guard case .string(let name)? = dictionary[PropertyKey.itemClass], ItemClass(rawValue: name) == nil else {
            return
        }
        if let value = dictionary[PropertyKey.valuePersistentReference],
            let reference = try? PersistentReference(value), !readsClass(beside: reference)
        {
            return
        }
        throw KeychainError(.noSuchClass, "kSecClass names no item class")
    }

    /// Whether the class is considered together with a persistent reference: not in a delete by that of an identity.
    private func readsClass(beside reference: PersistentReference) -> Bool {
        function != .delete || reference.itemClass != .identity
    }

    /// Finds the class, with which the conversion of attributes begins.
    private mutating func startQuery() throws(KeychainError) {
        guard let itemClass = try itemClass() else { return }
        var query = Query(itemClass: itemClass)
        query.reference = reference
        query.largestSecret = largestSecret
        query.hasPasswordReferences = client.profile == .macOS
        query.authenticationUI = AuthenticationUI(dictionary)
        self.query = query
    }

    /// The class; `nil` for an unknown one, which was reported before.
    private func itemClass() throws(KeychainError) -> ItemClass? {
        if let reference, !readsClass(beside: reference) { return reference.itemClass }
        let given = dictionary[PropertyKey.itemClass]
        guard case .string(let name)? = given else {
            guard let reference else { throw .parameter("kSecClass is missing or not a string") }
            guard given == nil else { throw KeychainError(.noSuchClass, "kSecClass is not a string") }
            return reference.itemClass
        }
        guard let itemClass = ItemClass(rawValue: name) else { return nil }
        if let reference, reference.itemClass != itemClass {
            throw KeychainError(.noSuchClass, "kSecClass contradicts the persistent reference")
        }
        return itemClass
    }

    private func checkNumberAsKey() throws(KeychainError) {
        let hasNumber = dictionary.foreignKeys.contains { if case .number = $0 { true } else { false } }
        if hasNumber { throw KeychainError(.noSuchAttribute, "a key is a number, which no attribute has as its name") }
    }

    /// The limit for the sum of the columns of a class and the keys that are not columns.
    private static let largestKeySum = 128

    private func checkKeyCount() throws(KeychainError) {
        guard let schema = query?.schema, schema.columnCount + dictionary.entries.count > Self.largestKeySum else {
            return
        }
        let others = dictionary.entries.keys.count { key in AttributeName(key).flatMap { schema[$0] } == nil }
        guard schema.columnCount + others <= Self.largestKeySum else {
            throw .parameter("the dictionary has too many keys")
        }
    }

    private mutating func convertQuery() throws(RequestFault) {
        guard var query = query.take() else { return }
        defer { self.query = query }
        try forEachEntry(of: dictionary) { (key, value) throws(RequestFault) in
            try QueryParser.parse(key, value, into: &query)
        }
    }

    private mutating func convertAttributes() throws(RequestFault) {
        guard let schema = query?.schema else { return }
        var changes = changes
        defer { self.changes = changes }
        try forEachEntry(of: attributes) { (key, value) throws(RequestFault) in
            try changes.addEntry(key, value, by: schema)
        }
    }

    /// The group that is named; before the conversion of values in a function that writes, and after it in a copy.
    private func checkAccessGroup() throws(KeychainError) {
        switch function {
        case .copyMatching: try groups?.checkReadable(query?.attributes[.accessGroup])
        case .add, .update, .delete:
            try groups?.checkWritable(dictionary[PropertyKey.accessGroup], isOfItem: function == .add)
        }
    }

    private func checkAppClipGroup() throws(KeychainError) {
        let unnamed = function == .add ? client.defaultAccessGroup.map { AttributeValue.string($0) } : nil
        try groups?.checkAppClip(query?.attributes[.accessGroup] ?? unnamed)
    }
}

// MARK: - Keys that a function does not take

extension Query {
    /// One of the checks of a query as a whole.
    fileprivate func check(_ check: RequestCheck, in function: ItemFunction) throws(KeychainError) {
        switch check {
        case .sharingGroup:
            guard attributes[.sharingGroup] == nil else {
                throw KeychainError(.missingEntitlement, "a search of a sharing group needs a private entitlement")
            }
        case .sharingGroupSynchronizable:
            if attributes[.sharingGroup] != nil, case .exactly(let value)? = scope, value.isTrue {
                throw .parameter("an item of a sharing group cannot be synchronizable")
            }
        case .itemList:
            guard !hasItemList else { throw .parameter("kSecUseItemList has no meaning in \(function.rawValue)") }
        case .matchKeys:
            guard match.keys.isEmpty else {
                throw .parameter("kSecMatch keys have no meaning in \(function.rawValue)")
            }
        case .returnKeys:
            guard returns.isEmpty else { throw .parameter("kSecReturn keys have no meaning in \(function.rawValue)") }
        case .addedReference:
            switch reference {
            case .row?, .token?:
                throw .parameter("an item cannot be added under a legacy reference or that of a token")
            case .item?, nil: break
            }
        case .addedIdentity:
            guard itemClass != .identity else {
                throw KeychainError(.internal, "an identity is added by its reference, as a certificate and a key")
            }
        case .referenceAlone: try checkReferenceAlone(in: function)
        case .matchClass: try match.check(for: itemClass)
        case .matchLimit:
            guard match.limit.maximum != 0 else { throw KeychainError(.itemNotFound, "the limit is 0") }
        case .secretSize:
            if isDataTooLarge { throw .secretTooLarge }
        default: preconditionFailure("not a check of a query as a whole")
        }
    }

    /// In a copy, a reference of the current form must be the only condition, in an update or a delete one of the
    /// legacy form (Semantics, "Persistent references").
    private func checkReferenceAlone(in function: ItemFunction) throws(KeychainError) {
        switch (function, reference) {
        case (.copyMatching, .item?):
            guard !hasFilters, scope ?? .any == .any else {
                throw .parameter("a persistent reference cannot be combined with attributes")
            }
        case (.update, .row?), (.delete, .row?):
            guard !hasFilters else {
                throw .parameter("a legacy persistent reference cannot be combined with attributes")
            }
        default: break
        }
    }
}
