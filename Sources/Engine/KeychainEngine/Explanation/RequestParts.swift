// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A call as the item functions read it: each dictionary after its checks, without what is at fault.
struct RequestParts {
    /// The function; of a set that of its update.
    let function: ItemFunction
    /// The request, or its two halves if it specifies an identity by reference.
    let main: [RequestDraft]
    /// The item that would be added.
    let additions: [RequestDraft]
    let faults: [ExplainedFault]

    init(_ request: KeychainRequest) {
        let client = request.client
        let call: ItemRequest
        var addition: ItemRequest?
        switch request.operationForDataProtection {
        case .add(let dictionary):
            call = ItemRequest(function: .add, client: client, dictionary: dictionary)
        case .copyMatching(let dictionary):
            call = ItemRequest(function: .copyMatching, client: client, dictionary: dictionary)
        case .update(let query, let attributes):
            call = ItemRequest(function: .update, client: client, dictionary: query, attributes: attributes)
        case .delete(let dictionary):
            call = ItemRequest(function: .delete, client: client, dictionary: dictionary)
        case .set(let query, let attributes, let other):
            call = ItemRequest(function: .update, client: client, dictionary: query, attributes: attributes)
            addition = ItemRequest(function: .add, client: client, dictionary: other)
        }
        function = call.function
        main = call.halves.map { $0.examined() }
        additions = call.function == .add ? main : addition.map { $0.halves.map { $0.examined() } } ?? []
        var faults: [ExplainedFault] = []
        let drafts = main.map { ($0, false) } + (call.function == .add ? [] : additions.map { ($0, true) })
        for (draft, isOfAddition) in drafts {
            for fault in draft.faults ?? [] {
                let fault = ExplainedFault(
                    check: fault.check,
                    part: fault.part,
                    isOfAddition: isOfAddition,
                    error: fault.error
                )
                if !faults.contains(fault) { faults.append(fault) }
            }
        }
        self.faults = faults
    }

    /// A search for identities, by a query of their class or by both halves of a reference.
    var identityQuery: (query: Query, certificate: Query, key: Query)? {
        if main.count == 2, let certificate = main[0].query, let key = main[1].query {
            var query = Query(itemClass: .identity)
            query.match = certificate.match
            query.returns = certificate.returns
            query.authenticationUI = certificate.authenticationUI
            query.scope = key.scope
            return (query, certificate, key)
        }
        guard let query = main.first?.query, query.itemClass == .identity else { return nil }
        let halves = IdentityQuery(query)
        return (query, halves.certificate, halves.key)
    }

    /// The groups that the dictionaries name.
    var namedGroups: [String] {
        (main + additions).flatMap { draft in [draft.query?.attributes, draft.changes.attributes] }
            .compactMap { $0?.accessGroupName }
    }

    /// The new attributes of an update.
    var update: ExplainedUpdate? {
        guard function == .update, let draft = main.first, draft.query != nil else { return nil }
        let faulty = Set((draft.faults ?? []).filter { $0.part == .attributes }.compactMap(\.key))
        let ignored = draft.attributes.entries.keys.filter { key in
            key != PropertyKey.valueData && !faulty.contains(key)
                && AttributeName(key).flatMap { draft.changes.attributes[$0] } == nil
        }
        return ExplainedUpdate(
            attributes: draft.changes.attributes,
            setsData: draft.changes.data != nil,
            ignored: ignored.sorted()
        )
    }
}

extension ItemRequest {
    /// The request itself, or those for the halves of the identity that it names by reference.
    fileprivate var halves: [ItemRequest] {
        guard let identity = dictionary.identity else { return [self] }
        return [narrowed(to: .certificate(identity.certificate)), narrowed(to: .key(identity.key))]
    }
}
