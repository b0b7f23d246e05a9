// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The file-based keychain of a Mac next to the data protection keychain, as seen by one call.
struct FileKeychainView {
    let route: KeychainRoute
    let isMissing: Bool
    let isLocked: Bool
    private let items: [NamedAttributes]
    private let call: ExaminedCall
    private let query: NamedAttributes?

    /// `nil` for a call that reaches only the data protection keychain, and if nothing is known about the other one.
    init?(_ call: ExaminedCall) {
        guard call.platform == .macOS else { return nil }
        self.call = call
        route = KeychainRoute(call.query, call.function)
        query = NamedAttributes(call.query)
        switch call.fileKeychain {
        case .unknown: return nil
        case .missing: (items, isMissing, isLocked) = ([], true, false)
        case .items(let dictionaries, let isLocked):
            items = dictionaries.compactMap { NamedAttributes($0) }
            self.isLocked = isLocked
            isMissing = false
        }
    }

    /// Its items that match.
    private var matches: [NamedAttributes] {
        guard let query else { return [] }
        return items.filter { item in
            guard item.itemClass == query.itemClass else { return false }
            let schema = ItemSchema.of(item.itemClass)
            return query.attributes.allSatisfy { name, value in
                guard FileSearchAttributes.of(item.itemClass).contains(name.description), let column = schema[name]
                else { return true }
                return FileItemConditions.isMet(value, by: item.attributes[name], column)
            }
        }
    }

    var matchCount: Int { matches.count }

    /// How many items of a class and service or server it has.
    func hasItems(like item: ExplainedItem) -> Bool {
        let place: AttributeName = item.itemClass == .internetPassword ? .server : .service
        return items.contains { other in
            other.itemClass == item.itemClass && (other.attributes[place] == item.attributes?[place])
        }
    }

    /// Whether the call needs it open.
    var needsOpen: Bool {
        switch call.function {
        case .add, .update: true
        case .copyMatching: call.query[PropertyKey.returnData] == .boolean(true)
        case .delete: false
        }
    }

    /// Whether the call fails for lack of a default keychain: an add, and a copy that only this side answers, unless it
    /// names keychains or items (Semantics, "Functions of the file-based keychain").
    private var needsDefault: Bool {
        switch call.function {
        case .add: true
        case .copyMatching:
            !route.reachesDataProtection
                && [
                    PropertyKey.matchSearchList, PropertyKey.useItemList, PropertyKey.valueReference,
                    PropertyKey.valuePersistentReference,
                ].allSatisfy { call.query[$0] == nil }
        case .update, .delete: false
        }
    }

    /// Whether the call declines the data protection keychain by the flag.
    var isDeclined: Bool { call.query[PropertyKey.useDataProtectionKeychain] != nil && !route.reachesDataProtection }

    /// The maximum number of items: one if no limit is given (semantics, section 9.6).
    private var limit: Int {
        switch call.query[PropertyKey.matchLimit] {
        case .string(PropertyKey.matchLimitAll): .max
        case .number(.integer(let number)): Int(number)
        default: 1
        }
    }

    /// How many of its items an update or a delete touches.
    var touchedCount: Int { min(max(0, limit), matches.count) }

    /// Requesting all items together with the data of passwords is invalid (semantics, section 9.6).
    private var isInvalid: Bool {
        let ofPasswords = [.genericPassword, .internetPassword].contains(query?.itemClass)
        return call.function == .copyMatching && ofPasswords && limit == .max
            && call.query[PropertyKey.returnData] == .boolean(true)
    }

    /// The status of this side alone.
    var status: Status {
        if isInvalid { return .parameter }
        if isMissing { return needsDefault ? .noDefaultKeychain : .itemNotFound }
        if call.function == .add {
            if isLocked { return call.isUnattended ? .interactionNotAllowed : .authenticationFailed }
            guard let query else { return .parameter }
            return items.contains { Self.isSameKey($0, query) } ? .duplicateItem : .success
        }
        if matches.isEmpty { return .itemNotFound }
        if isLocked, needsOpen { return call.isUnattended ? .interactionNotAllowed : .authenticationFailed }
        return .success
    }

    private static func isSameKey(_ left: NamedAttributes, _ right: NamedAttributes) -> Bool {
        left.itemClass == right.itemClass
            && left.itemClass.keyColumns.allSatisfy { left.attributes[$0] == right.attributes[$0] }
    }

    /// The status of the call: both sides are searched, and an error of the data protection keychain is lost (section
    /// 9.3).
    func merged(_ dataProtection: Status, _ explanation: Explanation) -> Status {
        switch (route.reachesDataProtection, route.reachesFile) {
        case (false, false): .parameter
        case (true, false): dataProtection
        case (false, true): status
        case (true, true): dataProtection == .success ? .success : status
        }
    }

    /// How many items an update or a delete touches on both sides.
    func touchedCount(_ dataProtection: Int, _ examination: Examination) -> Int {
        (route.reachesDataProtection ? dataProtection : 0) + (route.reachesFile ? touchedCount : 0)
    }

    /// Its items as candidates of a search: if the search reaches it, only those that do not match, because the others
    /// are the call's result.
    func candidates(_ search: ExplainedSearch) -> [Candidate] {
        let all = items.map { candidate($0, search) }
        return route.reachesFile ? all.filter { !$0.matches } : all
    }

    private func candidate(_ item: NamedAttributes, _ search: ExplainedSearch) -> Candidate {
        let schema = ItemSchema.of(item.itemClass)
        var (failed, passedOver) = ([Int](), [Int]())
        for (index, term) in search.terms.enumerated() {
            let name = AttributeName(term.key)
            switch term.kind {
            case .itemClass where item.itemClass != search.itemClass: failed.append(index)
            case .attribute:
                guard let name, let column = schema[name], let value = term.value,
                    FileSearchAttributes.of(item.itemClass).contains(term.key)
                else {
                    passedOver.append(index)
                    continue
                }
                if !FileItemConditions.isMet(value, by: item.attributes[name], column) { failed.append(index) }
            case .itemClass: break
            case .reference, .nothing: failed.append(index)
            default: passedOver.append(index)
            }
        }
        let explained = ExplainedItem(
            itemClass: item.itemClass,
            persistentReference: [],
            level: Accessibility.whenUnlocked.rawValue,
            attributes: item.attributes,
            hasData: true,
            condition: .open,
            access: .granted,
            isInClientGroups: true,
            failed: failed,
            passedOver: passedOver
        )
        return Candidate(explained, search, in: call, isInFile: !route.reachesFile)
    }
}
