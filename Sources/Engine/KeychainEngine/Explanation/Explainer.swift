// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Explains a call on one state of the store, inside a transaction of the caller.
struct Explainer {
    let engine: Engine
    let evaluator: Evaluator
    let reader: RowReader
    let request: ExplanationRequest

    private let parts: RequestParts
    private let groups: AccessGroups
    private let rehearsal: Rehearsal
    private let rows: ExplainedRows

    init(
        of request: ExplanationRequest,
        engine: Engine,
        evaluator: Evaluator,
        reader: RowReader
    ) throws(KeychainError) {
        let engine = try engine.supposing(request.options.lockState, at: request.options.now)
        self.engine = engine
        self.evaluator = evaluator
        self.reader = reader
        self.request = request
        parts = RequestParts(request.call)
        groups = AccessGroups(ofAny: request.call.client)
        let hasPasscode = engine.device.keybag.passcodeSlot != nil
        rehearsal = Rehearsal(evaluator, reader, hasPasscode: hasPasscode)
        let onlooker = Rehearsal(evaluator, reader, hasPasscode: hasPasscode)
        if let query = parts.main.first?.query { onlooker.begin(query) }
        rows = ExplainedRows(
            transaction: ItemTransaction(reader, engine: engine, groups: groups, under: onlooker),
            rehearsal: onlooker,
            knownGroups: request.call.client.accessGroups + parts.namedGroups
        )
    }

    private var transaction: ItemTransaction { rows.transaction }

    func explanation() throws(KeychainError) -> Explanation {
        let error = rehearsal.run(over: reader) { (rehearsal) throws(KeychainError) in
            _ = try engine.perform(request.call, rehearsal)
        }
        let search = try explainedSearch()
        var explanation = Explanation(
            function: parts.function,
            scope: request.options.scope,
            device: device,
            groups: ExplainedGroups(
                list: request.call.client.accessGroups,
                default: groups.default,
                searched: searchedGroups(search)
            ),
            faults: parts.faults,
            error: error,
            authentication: rehearsal.authentication,
            search: search,
            update: parts.update
        )
        for draft in parts.additions {
            if let addition = try addition(draft) { explanation.additions.append(addition) }
        }
        if parts.function == .update || parts.function == .delete { explanation.effect = try effect(search, error) }
        return explanation
    }

    private var device: ExplainedDevice {
        let keybag = engine.device.keybag
        let hasPasscode = keybag.passcodeSlot != nil
        return ExplainedDevice(
            lockState: hasPasscode ? request.options.lockState ?? engine.session.lockState : .unlocked,
            hasPasscode: hasPasscode,
            availableLevels: Set(Accessibility.stored.filter(engine.device.isAvailable)),
            biometry: evaluator.biometry,
            enforcesAccessControl: evaluator.enforcesAccessControl,
            now: engine.clock.now
        )
    }

    // MARK: - Search

    private var searchExplainer: SearchExplainer {
        SearchExplainer(rows: rows, options: request.options, groups: scopeGroups)
    }

    /// The groups in scope; `nil` for all.
    private var scopeGroups: [String]? {
        guard request.options.scope == .client, let readable = groups.readable else { return nil }
        return readable + parts.namedGroups.filter(groups.isListed)
    }

    private func explainedSearch() throws(KeychainError) -> ExplainedSearch? {
        guard parts.function != .add else { return nil }
        let plan = { (query: Query) in transaction.plan(query, of: parts.function) }
        if let identity = parts.identityQuery {
            let explainer = IdentityExplainer(
                search: searchExplainer,
                certificates: plan(identity.certificate),
                keys: plan(identity.key)
            )
            return try explainer.explain(identity.query)
        }
        guard let query = parts.main.first?.query else { return nil }
        return try searchExplainer.explain(plan(query))
    }

    private func searchedGroups(_ search: ExplainedSearch?) -> [String]? {
        for term in search?.terms ?? [] {
            if term.kind == .accessGroup, case .string(let group)? = term.value { return [group] }
            if term.kind == .clientGroups { return term.groups }
        }
        return parts.function == .copyMatching ? groups.readable : groups.writable
    }

    // MARK: - Changes

    private func addition(_ draft: RequestDraft) throws(KeychainError) -> ExplainedAddition? {
        guard let query = draft.query, query.itemClass != .identity else { return nil }
        let checked = CheckedRequest(query: query, groups: groups, changes: draft.changes)
        var item = engine.newItem(checked, rehearsal)
        item.attributes[.accessible] = .string(item.protection.rawValue)
        item.attributes[.digest] = nil
        var holder = searchExplainer.scope(query.itemClass)
        holder.primaryKey = transaction.tags.primaryKeyTag(query.schema, item.attributes)
        let row = try reader.rows(holder, limit: 1).first
        return ExplainedAddition(
            itemClass: query.itemClass,
            attributes: item.attributes,
            hasData: item.secret != nil || query.isDataTooLarge,
            holder: try row.map { (row) throws(KeychainError) in try rows.item(row) }
        )
    }

    private func effect(_ search: ExplainedSearch?, _ error: KeychainError?) throws(KeychainError) -> ExplainedEffect {
        let touched = rehearsal.rows.touched
        var effect = ExplainedEffect(count: touched.count)
        let terms = try judgedTerms()
        var byteCount = 0
        for row in touched {
            effect.byClass[row.row.itemClass, default: 0] += 1
            guard effect.items.count < request.options.boundedItemLimit, byteCount < SearchExplainer.maximumBytes else {
                continue
            }
            byteCount += row.row.metadata.count
            effect.items.append(try rows.item(row, terms))
        }
        // The holder of a key may be what fails the call, as a duplicate or as what cannot be opened.
        if error != nil {
            for conflict in rehearsal.rows.conflicts {
                guard let number = conflict.number else { continue }
                var filter = RowFilter(conflict.holder.row.itemClass)
                filter.rowNumber = number
                guard let row = try reader.rows(filter, limit: 1).first else { continue }
                effect.conflicts.append(
                    ExplainedEffect.Conflict(item: try rows.item(row, terms), holder: try rows.item(conflict.holder))
                )
            }
        }
        return effect
    }

    /// The terms that identify the items of an effect; none for identities, which have the terms of two classes.
    private func judgedTerms() throws(KeychainError) -> JudgedTerms? {
        guard parts.identityQuery == nil, let query = parts.main.first?.query else { return nil }
        return JudgedTerms(transaction.plan(query, of: parts.function), transaction.tags)
    }
}
