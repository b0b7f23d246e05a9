// SPDX-License-Identifier: Apache-2.0

import Conformance
import KeychainCore
import KeychainEngine
import KeychainSimulation
import Security
import Synchronization
import Testing

/// Every call of every case is explained before it is made: the explanation has to give the status of the call, ask
/// nobody and change nothing.
struct ExplanationTests {
    /// Every case in memory, and every fifth on disk and through bytes.
    ///
    /// An explanation is computed from rows and keys, which are the same in every keychain; what differs is how it
    /// reads them and how it is sent. Daemons explain all clients' items only after the passcode.
    private static func rows() throws -> [Row] {
        try Row.cases().enumerated().flatMap { index, testCase in
            Subject.allCases.filter { $0 == .memory || index.isMultiple(of: 5) && ![.daemon, .system].contains($0) }
                .map { Row(testCase: testCase, subject: $0) }
        }
    }

    @Test("a call is explained by the status that it gives then", arguments: try rows())
    func before(_ row: Row) throws { try check(row, .before) }

    @Test(
        "a call that is made and explained in one transaction is explained as of before",
        arguments: try Row.cases().map { Row(testCase: $0, subject: .memory) }
    )
    func within(_ row: Row) throws { try check(row, .within) }

    private func check(_ row: Row, _ moment: ExplainingKeychain.Moment) throws {
        let problems = Problems()
        let runner = CaseRunner { profile in
            let device = try row.subject.device { keychain in
                ExplainingKeychain(keychain, moment: moment, problems: problems)
            }
            problems.owner = device.owner
            return row.subject.environment(profile, device)
        }
        if case .failed(let failure) = runner.run(row.testCase) { problems.record("\(failure)") }
        for problem in problems.all { Issue.record("\(row.testCase.id), \(row.testCase.title): \(problem)") }
    }
}

/// What was found wrong in a case, and who is asked in it.
private final class Problems: Sendable {
    private let state = Mutex<(owner: Owner?, texts: [String])>((nil, []))

    var owner: Owner? {
        get { state.withLock(\.owner) }
        set { state.withLock { $0.owner = newValue } }
    }

    var all: [String] { state.withLock(\.texts) }

    func record(_ text: String) { state.withLock { $0.texts.append(text) } }
}

/// A keychain that has each call explained, and compares.
private final class ExplainingKeychain: KeychainBackend {
    /// When calls are explained.
    enum Moment {
        /// By a command of its own.
        case before
        /// In the transaction of the call.
        case within
    }

    private let keychain: any KeychainBackend
    private let store: EmbeddedKeychain?
    private let isReachedDirectly: Bool
    private let moment: Moment
    private let problems: Problems

    init(
        _ keychain: (reached: any KeychainBackend, embedded: any KeychainBackend),
        moment: Moment,
        problems: Problems
    ) {
        self.keychain = keychain.reached
        store = keychain.embedded as? EmbeddedKeychain
        isReachedDirectly = keychain.reached is EmbeddedKeychain
        self.moment = moment
        self.problems = problems
    }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .items(let call) = command else { return try keychain.perform(command) }
        switch moment {
        case .before: return try performAfterExplaining(call)
        case .within:
            let outcome = try keychain.performExplaining(ExplanationRequest(call, ExplanationOptions(scope: .owner)))
            if let explanation = outcome.explanation {
                compare(explanation, with: outcome.result, of: call)
            } else {
                problems.record("\(call.operation.functionName) was made, and not explained")
            }
            return .answer(try outcome.result.get())
        }
    }

    private func performAfterExplaining(_ call: KeychainRequest) throws(KeychainError) -> KeychainReply {
        let before = try store?.storedRows()
        let asked = problems.owner?.questions.count
        let forOwner = try keychain.explain(ExplanationRequest(call, ExplanationOptions(scope: .owner)))
        let forClient = try isReachedDirectly ? keychain.explain(ExplanationRequest(call)) : nil
        if try store?.storedRows() != before {
            problems.record("\(call.operation.functionName) was explained, and rows changed")
        }
        if problems.owner?.questions.count != asked {
            problems.record("\(call.operation.functionName) was explained, and somebody was asked")
        }
        let result = Result { () throws(KeychainError) in try keychain.perform(call) }
        compare(forOwner, with: result, of: call)
        if let forClient {
            compare(forClient, with: result, of: call)
            checkScope(forClient, call.client)
        }
        return .answer(try result.get())
    }

    private func compare(
        _ explanation: Explanation,
        with result: Result<KeychainAnswer, KeychainError>,
        of call: KeychainRequest
    ) {
        let given: Status
        switch result {
        case .success: given = .success
        case .failure(let error): given = error.status
        }
        let explained = explanation.status(ifAsked: problems.owner?.answer.explained ?? .nobody)
        if explained != given {
            problems.record("\(call.operation.functionName) gave \(given), and was explained as \(explained)")
        }
        if explanation.faults.first.map({ $0.error.status != explained }) ?? false {
            problems.record("\(call.operation.functionName): the first fault is not the answer")
        }
        checkCounts(explanation)
    }

    /// What is counted over all items agrees with what is listed of them.
    private func checkCounts(_ explanation: Explanation) {
        guard let search = explanation.search else { return }
        let listed = search.candidates.filter { candidate in
            if case .quarantined = candidate.condition { return false }
            return candidate.failed.allSatisfy { !search.terms[$0].isJudgedByStore }
                && candidate.itemClass == search.itemClass
        }
        if !search.isBounded, listed.count != search.matchCount {
            problems.record("\(search.matchCount) items match, and \(listed.count) are listed")
        }
        let counted = search.patterns.reduce(0) { $0 + $1.count }
        let classes = search.itemClass == .identity ? [.identity] : ItemClass.stored
        let present = classes.reduce(0) { $0 + (search.population[$1] ?? 0) }
        if counted != present { problems.record("of \(present) items \(counted) are counted") }
        for candidate in search.candidates {
            let failed = candidate.failed.filter { search.terms[$0].isJudgedByStore }
            if case .quarantined = candidate.condition { continue }
            if !search.patterns.contains(where: { $0.itemClass == candidate.itemClass && $0.failed == failed }) {
                problems.record("an item fails \(failed), and none is counted that does")
            }
        }
    }

    private func checkScope(_ explanation: Explanation, _ client: Client) {
        guard !client.accessGroups.contains(Client.everyGroup) else { return }
        let effect = explanation.effect
        let items =
            (explanation.search?.candidates ?? []) + (explanation.search?.loneHalves ?? [])
            + (effect?.items ?? []) + (effect?.conflicts.map(\.holder) ?? [])
            + explanation.additions.compactMap(\.holder)
        for item in items where !item.isInClientGroups { problems.record("an item of another client is told") }
    }
}

extension Owner.Answer {
    fileprivate var explained: ExplainedAuthentication.Answer {
        switch self {
        case .succeeds, .fallsBack: .shows
        case .fails, .isAway, .waits: .fails
        case .cancels: .cancels
        }
    }
}
