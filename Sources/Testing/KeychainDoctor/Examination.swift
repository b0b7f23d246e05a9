// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The facts of one call: the engine's explanation, and how close the items of the store are to it.
final class Examination {
    /// Explains a call as the owner of the store sees it.
    typealias Explain = (KeychainRequest) throws(KeychainError) -> Explanation

    let call: ExaminedCall
    let explanation: Explanation
    let explain: Explain

    /// The items stored by the history; `nil` without a history.
    let stored: StoredByHistory?

    /// The items that nearly match the query; `nil` if nothing is searched for.
    let nearMisses: NearMisses?

    /// The other keychain of a Mac.
    let fileKeychain: FileKeychainView?

    init(_ call: ExaminedCall, _ explain: @escaping Explain) throws(KeychainError) {
        self.call = call
        self.explain = explain
        let explanation = try explain(call.request)
        self.explanation = explanation
        stored = call.history.map(StoredByHistory.init)
        let fileKeychain = FileKeychainView(call)
        self.fileKeychain = fileKeychain
        nearMisses = explanation.search.map { search in
            NearMisses(search, in: call, others: fileKeychain?.candidates(search) ?? [])
        }
    }

    var function: ItemFunction { call.function }

    var hasPasscode: Bool { call.hasPasscode ?? explanation.device.hasPasscode }

    var client: Client { call.request.client }

    /// The result of user prompts in the replay: the reported status if it can result from a prompt, else success.
    private var answer: ExplainedAuthentication.Answer {
        if call.isUnattended { return .nobody }
        switch call.reportedStatus {
        case .userCanceled: return .cancels
        case .authenticationFailed: return .fails
        default: return .shows
        }
    }

    /// The status of the data protection keychain in the replay.
    var replayedByDataProtection: Status { explanation.status(ifAsked: answer) }

    /// The status of the call in the replay.
    var replayed: Status { fileKeychain?.merged(replayedByDataProtection, explanation) ?? replayedByDataProtection }

    /// The status to explain.
    var status: Status { call.reportedStatus ?? replayed }

    var isReproduced: Bool { replayed == status }

    /// The items of the search that match and that the client sees.
    var matches: [Candidate] {
        (nearMisses?.near ?? []).filter { $0.matches && $0.item.condition != .destroyed }
    }

    /// How many items match.
    var matchCount: Int {
        guard let search = explanation.search else { return 0 }
        let isExact = search.terms.allSatisfy(\.isJudgedByStore)
        return isExact ? max(search.matchCount, matches.count) : matches.count
    }

    var intended: Candidate? {
        if case .item(let candidate)? = nearMisses?.intended { candidate } else { nil }
    }

    /// The client's list before the present one, and whether the user gave it.
    var previousGroups: (groups: [String], isGiven: Bool)? {
        if let groups = call.previousGroups { return (groups, true) }
        let earlier = call.history?.earlierGroups(of: call.clientName, than: client.accessGroups)
        return earlier.map { ($0, false) }
    }

    /// The program that stored an item, by the history; `nil` if no add of it is known.
    func writer(of item: ExplainedItem) -> String? {
        stored?.items.last { $0.isSame(as: item) }?.addedBy
    }

    /// Whether the history has an add of the item by a client.
    func hasAdd(of item: ExplainedItem, by client: String) -> Bool {
        stored?.items.contains { $0.addedBy == client && $0.isSame(as: item) } ?? false
    }
}

extension StoredByHistory.Item {
    /// Whether a stored item is the one that this add created, as far as its attributes can be read.
    func isSame(as item: ExplainedItem) -> Bool {
        guard removal == nil, item.itemClass == itemClass, let theirs = item.attributes else { return false }
        let schema = ItemSchema.of(itemClass)
        return itemClass.keyColumns.allSatisfy { name in
            guard let column = schema[name], let mine = attributes[name], let their = theirs[name] else { return true }
            return column.isEqual(mine, their)
        } && (group == nil || item.group == nil || group == item.group)
            && (attributes[.synchronizable] == nil || theirs[.synchronizable] == nil
                || attributes[.synchronizable] == theirs[.synchronizable])
    }
}
