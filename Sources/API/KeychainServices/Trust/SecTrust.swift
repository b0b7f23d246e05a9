// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainCore
import KeychainTrust
import Synchronization

/// A certificate to be evaluated: with others for its chain, the required policies, and the anchors.
///
/// The evaluation is cached until one of its inputs is set.
public final class SecTrust: Sendable {
    /// An evaluation, and the time that it is for.
    typealias Judgement = (result: TrustEvaluation, date: Timestamp)

    /// The inputs, and the last evaluation.
    struct State: Sendable {
        var certificates: [SecCertificate]
        var policies: [SecPolicy]
        /// The given anchors; `nil` for none, so that the system's are used.
        var anchors: [SecCertificate]?
        var usesAnchorsOnly = false
        var date: Timestamp?
        var allowsNetwork = true
        var ocspResponses: [Data] = []
        var exceptions: TrustExceptions?
        var options: SecTrustOptionFlags = []
        fileprivate(set) var evaluation: Judgement?
        /// Counts what was set.
        fileprivate var changes = 0
    }

    private let state: Mutex<State>

    /// Creates an object for certificates, the first of which is evaluated.
    init(_ certificates: [SecCertificate], _ policies: [SecPolicy] = [SecPolicy(.basicX509)]) {
        state = Mutex(State(certificates: certificates, policies: policies))
    }

    /// The current state.
    var current: State { state.withLock { $0 } }

    /// Sets something, and forgets the evaluation.
    func set(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.evaluation = nil
            state.changes += 1
        }
    }

    /// The evaluation, performed now unless it was cached.
    ///
    /// - Parameter context: the context with the trust settings.
    /// - Returns: The chain, and all defects.
    /// - Throws: `errSecNotAvailable` if certificates cannot be evaluated; the error if trust settings cannot be read.
    func evaluation(in context: KeychainContext = .withoutKeychain) throws(KeychainError) -> TrustEvaluation {
        let state = current
        if let known = state.evaluation { return known.result }
        let date = state.date ?? Self.now
        var request = TrustRequest(
            certificates: state.certificates.map(\.certificate.der),
            policies: state.policies.map(\.value),
            date: date
        )
        request.anchors = (state.anchors ?? []).map(\.certificate.der)
        request.usesSystemAnchors = state.anchors == nil || !state.usesAnchorsOnly
        request.settings = try context.trustSettings.all()
        request.ocspResponses = state.ocspResponses.map { Array($0) }
        request.exceptions = state.exceptions
        request.allowsExpired = state.options.contains(.allowExpired)
        request.allowsExpiredRoot = state.options.contains(.allowExpiredRoot)
        request.hasImplicitAnchors = state.options.contains(.implicitAnchors)
        let evaluation = try TrustEvaluator.evaluate(request)
        // Inputs that were set meanwhile were not part of this evaluation.
        self.state.withLock { if $0.changes == state.changes { $0.evaluation = (evaluation, date) } }
        return evaluation
    }

    /// The last evaluation, and the time that it is for; `nil` when something was set since.
    var lastEvaluation: Judgement? { current.evaluation }

    /// Adopts the evaluation of an object with the same certificates and policies and no other settings.
    func adopt(_ judgement: Judgement) { state.withLock { $0.evaluation = judgement } }

    static var now: Timestamp {
        Timestamp(secondsSinceReferenceDate: Date().timeIntervalSinceReferenceDate)
    }
}

extension TrustEvaluation {
    /// The certificates as objects; those of the trust object itself where they are in it.
    var certificates: [SecCertificate] {
        chain.compactMap { try? Certificate(der: $0) }.map(SecCertificate.init(_:))
    }

    /// The error of an evaluation; `nil` for success.
    var error: CFError? {
        guard let main = mainFinding else { return nil }
        var details: [String] = []
        for position in Set(findings.map(\.position)).sorted() {
            let defects = findings.filter { $0.position == position }
            let sentences = defects.map(\.defect.sentence).joined(separator: "; ")
            details.append("certificate \(position), \(name(at: position)): \(sentences)")
        }
        let status = Int(main.defect.status.rawValue)
        let reason = main.defect.status.message ?? "OSStatus \(status)"
        let cause = NSError(
            domain: NSOSStatusErrorDomain,
            code: status,
            userInfo: [NSLocalizedDescriptionKey: details.joined(separator: ". ")]
        )
        return NSError(
            domain: NSOSStatusErrorDomain,
            code: status,
            userInfo: [
                NSLocalizedDescriptionKey: "\(name(at: main.position)) certificate \(main.defect.sentence)",
                NSLocalizedFailureReasonErrorKey: reason,
                NSUnderlyingErrorKey: cause,
            ]
        )
    }

    private func name(at position: Int) -> String {
        let der = chain.indices.contains(position) ? chain[position] : chain.last ?? []
        return "“\((try? Certificate(der: der))?.subjectSummary ?? "")”"
    }
}
