// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a copy obtains from an item that may match.
enum ReadOutcome {
    /// The item as far as the query needs it.
    case found(MatchedItem)
    /// The owner has to authenticate first.
    case demands(AuthenticationDemand)
    /// Reading is never permitted.
    case denied
    /// It does not open.
    case damaged(DamagedRow)
    /// A condition of the query leaves it out.
    case leftOut
    /// Whether the query selects it is unknown without its keys, which are unavailable.
    case closed(KeychainError)
}

/// What a copy has found so far.
struct Findings {
    private(set) var items: [MatchedItem] = []
    let keepsItems: Bool
    private var itemCount = 0
    private(set) var damaged: [DamagedRow] = []
    private var demand: AuthenticationDemand?
    private var demandedItems = 0
    private var hasDenied = false
    /// Why an item that may match was not looked at.
    private(set) var closed: KeychainError?

    /// Nothing yet.
    ///
    /// Without `keepsItems`, only the first item is kept, and the others are counted.
    init(keepsItems: Bool) { self.keepsItems = keepsItems }

    /// Whether nothing was found, not even something that could not be read.
    var isEmpty: Bool { itemCount == 0 && damaged.isEmpty && demand == nil && !hasDenied }

    /// Whether the copy has as many items as the query requests.
    func isComplete(for query: Query) -> Bool {
        query.match.limit.maximum.map { itemCount + demandedItems >= $0 } ?? false
    }

    mutating func add(_ candidate: ReadOutcome) {
        switch candidate {
        case .found(let item):
            itemCount += 1
            // The first may lead to another search.
            if keepsItems || items.isEmpty { items.append(item) }
        case .damaged(let row): damaged.append(row)
        case .denied: hasDenied = true
        case .leftOut: break
        case .closed(let error): closed = closed ?? error
        case .demands(let more):
            demandedItems += 1
            if demand == nil { demand = more } else { demand?.add(more) }
        }
    }

    /// What the owner's access control prevents from being read; `nil` for nothing.
    func obstacle(_ authorization: Authorization) -> KeychainError? {
        if hasDenied { return .neverReadable }
        return demand.map(authorization.require)
    }
}
