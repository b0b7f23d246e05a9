// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Items by their lookup attributes, for the Secret Service.
extension EmbeddedKeychain {
    func perform(_ request: LookupRequest) throws(KeychainError) -> KeychainReply {
        let groups = try AccessGroups(ofLookupsBy: request.client)
        let authorization = Authorization(evaluator)
        authorization.beginUnasked(request.context)
        return try access.withEngine(authorization, for: request.operation.use, countingIf: \.hasFoundItems) {
            (engine, authorization) throws(KeychainError) in
            try engine.perform(request.operation, as: groups, authorization)
        }
    }

    /// The lookup attributes with which an item of a class was stored, and the content type of its secret; `nil` for an
    /// item that has none of its own or is damaged, and if there is no such item.
    ///
    /// - Throws: Among others, `errSecInteractionNotAllowed` if its attributes cannot be read now.
    package func lookupRecord(
        of identifier: ItemIdentifier,
        _ itemClass: ItemClass
    ) throws(KeychainError) -> LookupRecord? {
        guard LookupMapping.has(itemClass) else { return nil }
        return try access.withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                var filter = RowFilter(itemClass)
                filter.identifier = identifier
                let sealer = ItemSealer(engine.device)
                guard let row = try reader.rows(filter).first,
                    case .content(let metadata) = try sealer.openMetadata(row)
                else { return nil }
                return metadata.attributes.lookupRecord
            }
        }
    }
}

extension LookupRequest.Operation {
    fileprivate var use: EngineAccess.Use {
        switch self {
        case .search, .describe, .secrets: .reading
        case .store: .changing
        case .change, .delete: .changingStored
        }
    }
}

extension KeychainReply {
    /// Whether a search has found anything; a change always has.
    fileprivate var hasFoundItems: Bool {
        switch self {
        case .lookupMatches(let matches): !matches.isEmpty
        case .lookupItems(let items): !items.isEmpty
        case .lookupSecrets(let secrets): !secrets.isEmpty
        default: true
        }
    }
}

extension Engine {
    fileprivate func perform(
        _ operation: LookupRequest.Operation,
        as groups: AccessGroups,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainReply {
        switch operation {
        case .search(let search):
            return .lookupMatches(
                try reading(as: groups, authorization) { (items, damaged) throws(KeychainError) in
                    try items.searchLookups(search, damaged: &damaged)
                }
            )
        case .describe(let identifiers):
            return .lookupItems(
                try reading(as: groups, authorization) { (items, damaged) throws(KeychainError) in
                    try items.describeLookups(identifiers, damaged: &damaged)
                }
            )
        case .secrets(let identifiers):
            return .lookupSecrets(
                try reading(as: groups, authorization) { (items, damaged) throws(KeychainError) in
                    try items.lookupSecrets(identifiers, damaged: &damaged)
                }
            )
        case .store(let contents, let replacing):
            return .lookupStored(
                try changing(as: groups, authorization) { (items) throws(KeychainError) in
                    try items.store(contents, replacing: replacing)
                }
            )
        case .change(let identifier, let change):
            try changing(as: groups, authorization) { (items) throws(KeychainError) in
                try items.change(identifier, change)
            }
        case .delete(let identifier):
            try changing(as: groups, authorization) { (items) throws(KeychainError) in
                try items.deleteLookup(identifier)
            }
        }
        return .done
    }

    /// Reads on one state of the store; what is damaged is set aside, and left out of the answer.
    private func reading<Result>(
        as groups: AccessGroups,
        _ authorization: Authorization,
        _ body: (ItemTransaction, inout [DamagedRow]) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        var damaged: [DamagedRow] = []
        let result = try read { (reader) throws(KeychainError) in
            damaged = []
            let items = ItemTransaction(reader, engine: self, groups: groups, under: authorization)
            return try body(items, &damaged)
        }
        if !damaged.isEmpty { _ = reportDamage(damaged, authorization) }
        return result
    }

    private func changing<Result>(
        as groups: AccessGroups,
        _ authorization: Authorization,
        _ body: (ItemWriteTransaction) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try write { (writer) throws(KeychainError) in
            try body(ItemWriteTransaction(writer, engine: self, groups: groups, under: authorization))
        }
    }
}
