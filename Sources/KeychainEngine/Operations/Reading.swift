// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// What a copy gets of an item that may match.
enum Reading {
    /// The item as far as the query needs it.
    case open(FoundItem)
    /// The owner has to show something first.
    case closed(AuthenticationDemand)
    /// Nobody may read it.
    case never
    /// It does not open.
    case damaged(DamagedRow)
    /// A condition of the query leaves it out.
    case passedOver
}

/// What a copy has found so far.
struct Findings {
    private(set) var items: [FoundItem] = []
    private var damaged: [DamagedRow] = []
    private var demand: AuthenticationDemand?
    private var demandedItems = 0
    private var hasUnreadable = false

    /// Whether nothing was found, not even something that could not be read.
    var isEmpty: Bool { items.isEmpty && damaged.isEmpty && demand == nil && !hasUnreadable }

    /// Whether there is as much as the query asks for.
    func isComplete(for query: Query) -> Bool {
        query.match.limit.maximum.map { items.count + demandedItems >= $0 } ?? false
    }

    mutating func add(_ reading: Reading) {
        switch reading {
        case .open(let item): items.append(item)
        case .damaged(let row): damaged.append(row)
        case .never: hasUnreadable = true
        case .passedOver: break
        case .closed(let more):
            demandedItems += 1
            if demand == nil { demand = more } else { demand?.add(more) }
        }
    }

    /// What keeps the call from answering with the items, for the engine that met it; `nil` when nothing does.
    func obstacle(_ engine: Engine, _ authorization: Authorization) -> KeychainError? {
        if !damaged.isEmpty { return engine.reportDamage(damaged) }
        if hasUnreadable { return Engine.neverReadable }
        return demand.map(authorization.require)
    }
}

extension Engine {
    /// Reads a row that matches by its tags.
    func reading(
        _ row: NumberedRow,
        _ query: Query,
        _ tags: SearchTags,
        _ authorization: Authorization,
        _ certificates: CertificateConditions
    ) throws(KeychainError) -> Reading {
        let metadata: OpenedMetadata
        switch try openMetadata(row) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(let content): metadata = content
        }
        guard query.match.isOnHost(metadata.attributes) else { return .passedOver }
        let isCertificate = row.row.itemClass == .certificate
        if isCertificate, try !certificates.acceptIssuer(of: metadata.attributes) { return .passedOver }
        let passwordKey: PasswordKey?
        switch try passage(to: row, metadata, authorization) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(.closed(let demand)):
            if query.authenticationUI == .skip, !authorization.canSatisfyUnasked(demand) { return .passedOver }
            return .closed(demand)
        case .content(.never): return query.authenticationUI == .skip ? .passedOver : .never
        case .content(.open(let key)): passwordKey = key
        }
        var item = Item(
            itemClass: row.row.itemClass,
            identifier: row.row.identifier,
            attributes: metadata.attributes
        )
        if query.readsSecret {
            switch try openSecret(row, metadata, passwordKey) {
            case .damaged(let damaged): return .damaged(damaged)
            case .content(let secret): item.secret = secret
            }
        }
        if isCertificate, !certificates.acceptContents(item.secret) { return .passedOver }
        return .open(.stored(item))
    }
}

extension MatchConditions {
    /// Whether the server is the host or lies below it; byte by byte, and only for a server that is a string.
    fileprivate func isOnHost(_ attributes: Attributes) -> Bool {
        guard let host = hostOrSubdomain else { return true }
        guard case .string(let server)? = attributes[.server] else { return false }
        let (name, suffix) = (Array(server.utf8), Array(host.utf8))
        return name == suffix || name.suffix(suffix.count + 1) == ([UInt8(ascii: ".")] + suffix)[...]
    }
}
