// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// Asks the owner of a device for what policies and access controls demand, through an authenticator.
///
/// Nothing is asked for what a context has shown already, nor where the answer could not help. One evaluation prompts
/// at a time in each queue of the authenticator; the others wait for their turn, for no longer than a question may
/// take.
final class Evaluator: Sendable {
    let device: KeychainDevice
    let authenticator: any Authenticator
    /// Whether items are kept from who has not shown what their access controls ask for.
    let enforcesAccessControl: Bool
    /// The contexts of programs.
    let contexts: ContextRegistry
    /// Derives the keys of application passwords.
    let derivations: KeyDerivations
    private let hostClock: any HostClock
    private let turns = QuestionTurns()
    private let lastRecognition = Mutex<Recognition?>(nil)

    /// Asks through an authenticator, and has a device judge passcodes.
    init(
        device: KeychainDevice,
        authenticator: any Authenticator,
        hostClock: any HostClock,
        enforcesAccessControl: Bool = true,
        mostContexts: Int = ContextRegistry.defaultLimit,
        derivations: KeyDerivations = KeyDerivations(nil)
    ) {
        self.derivations = derivations
        contexts = ContextRegistry(limit: mostContexts)
        self.device = device
        self.authenticator = authenticator
        self.hostClock = hostClock
        self.enforcesAccessControl = enforcesAccessControl
    }

    var biometry: Biometry { authenticator.biometry }

    func obstacle(to policy: AuthenticationPolicy, _ context: ContextState) -> AuthenticationFailure? {
        if context.isInvalid { return .invalidContext }
        do throws(AuthenticationFailure) {
            _ = try openWays(to: Requirement(policy), context)
            return nil
        } catch {
            return error
        }
    }

    func evaluate(
        _ policy: AuthenticationPolicy,
        reason: String,
        _ context: ContextState
    ) throws(AuthenticationFailure) {
        try meet(Requirement(policy), reason: reason, context)
    }

    /// Asks for what an access control demands, and for an application password where it takes one and the context has
    /// none.
    ///
    /// The password is not judged, because that takes an item.
    func evaluate(
        _ accessControl: AccessControl,
        reason: String,
        _ context: ContextState
    ) throws(AuthenticationFailure) {
        let needsPassword = accessControl.constraints?.requiresApplicationPassword == true
        if needsPassword, !context.isInvalid, context.applicationPassword == nil { try checkInteraction(context) }
        try evaluateShown(accessControl, reason: reason, context)
        guard needsPassword, context.applicationPassword == nil else { return }
        if let obstacle = obstacleToTyping(context) { throw obstacle }
        try withQuestions(reason: reason, context) { (questions) throws(AuthenticationFailure) in
            // Another thread may have asked for it meanwhile.
            guard context.applicationPassword == nil else { return }
            context.applicationPassword = try questions.secret(.applicationPassword, problem: nil)
        }
    }

    /// Asks for what an access control demands to be shown: everything but its application password.
    func evaluateShown(
        _ accessControl: AccessControl,
        reason: String,
        _ context: ContextState
    ) throws(AuthenticationFailure) {
        try meet(Requirement(accessControl), reason: reason, context)
    }

    /// Whether a context has shown what an access control demands, its application password left out.
    ///
    /// Never prompts.
    func isSatisfied(_ accessControl: AccessControl, by context: ContextState) -> Bool {
        !context.isInvalid && isMet(Requirement(accessControl), by: context)
    }

    /// Asks for an application password, once; it is for the caller to judge and to note.
    ///
    /// - Parameters:
    ///   - isNew: whether it is to be chosen, and so asked for twice.
    ///   - problem: what was wrong with the one before.
    ///   - reason: why, in the program's words.
    ///   - context: the context in which to ask.
    /// - Returns: What was typed.
    /// - Throws: ``AuthenticationFailure``.
    func askForApplicationPassword(
        isNew: Bool = false,
        problem: String? = nil,
        reason: String,
        _ context: ContextState
    ) throws(AuthenticationFailure) -> SecretBytes {
        if let obstacle = obstacleToTyping(context) { throw obstacle }
        return try withQuestions(reason: reason, context) { (questions) throws(AuthenticationFailure) in
            try questions.secret(isNew ? .newApplicationPassword : .applicationPassword, problem: problem)
        }
    }

    /// Why nobody is asked for what an access control demands, or why no answer could help; `nil` when somebody is
    /// asked, or when it was shown already.
    ///
    /// Asks nobody, and does not look at the device itself, so that it can be used in the midst of a transaction. The
    /// application password is left out.
    func obstacleToShowing(
        _ accessControl: AccessControl,
        _ context: ContextState,
        hasPasscode: Bool
    ) -> AuthenticationFailure? {
        if context.isInvalid { return .invalidContext }
        do throws(AuthenticationFailure) {
            _ = try openWays(to: Requirement(accessControl), context, hasPasscode: hasPasscode)
            return nil
        } catch {
            return error
        }
    }

    /// Why nobody can be asked to type an application password; `nil` when somebody can.
    func obstacleToTyping(_ context: ContextState) -> AuthenticationFailure? {
        if context.isInvalid { return .invalidContext }
        do throws(AuthenticationFailure) {
            try checkInteraction(context)
            return nil
        } catch {
            return error
        }
    }

    /// Why nothing can be stored under an access control; `nil` when something can.
    ///
    /// Constraints are kept by a device with a passcode only. An item for the biometry that is enrolled now needs some,
    /// or nobody could ever read it.
    ///
    /// It is asked in the midst of a transaction, and so does not look at the device itself.
    func obstacleToStoring(_ accessControl: AccessControl, hasPasscode: Bool) -> AuthenticationFailure? {
        let requirement = Requirement(accessControl)
        guard !requirement.ways.isEmpty else { return nil }
        guard hasPasscode else { return .passcodeNotSet }
        guard authenticator.biometry.enrolledSet == nil, requirement.asksForCurrentSet else { return nil }
        let passcodeSuffices = requirement.anyOneSuffices && requirement.ways.contains(.passcode)
        return passcodeSuffices ? nil : .authenticationFailed
    }
}

extension Evaluator {
    private func meet(
        _ requirement: Requirement,
        reason: String,
        _ context: ContextState
    ) throws(AuthenticationFailure) {
        guard !context.isInvalid else { throw .invalidContext }
        if requirement.asksForBiometry, let recognition = reusableRecognition(in: context) { context.note(recognition) }
        // What cannot be is refused at once, without waiting for a turn.
        guard try !openWays(to: requirement, context).isEmpty else { return }
        try withQuestions(reason: reason, context) { (questions) throws(AuthenticationFailure) in
            // Another thread may have shown it meanwhile.
            let ways = try openWays(to: requirement, context)
            guard !ways.isEmpty else { return }
            if requirement.anyOneSuffices { try showAny(of: ways, questions) } else { try showAll(ways, questions) }
        }
    }

    /// Whether a requirement is met by what was shown in a context, or lately in another one that may be reused.
    private func isMet(_ requirement: Requirement, by context: ContextState) -> Bool {
        let shown = shownFactors(context)
        return requirement.isMet { isShown($0, shown) }
    }

    private func isShown(_ way: Requirement.Way, _ shown: Set<AuthenticationContext.Factor>) -> Bool {
        switch way {
        case .passcode: shown.contains(.passcode)
        case .biometry: shown.contains { $0 != .passcode }
        case .biometryOfSet(let set?):
            set == authenticator.biometry.enrolledSet && shown.contains(.biometry(enrolledSet: set))
        case .biometryOfSet(nil), .companion: false
        }
    }

    private func shownFactors(_ context: ContextState) -> Set<AuthenticationContext.Factor> {
        guard let recognition = reusableRecognition(in: context) else { return context.shown }
        return context.shown.union([recognition])
    }

    /// What another evaluation was shown so lately that it counts in a context; `nil` when there is nothing of the
    /// kind.
    private func reusableRecognition(in context: ContextState) -> AuthenticationContext.Factor? {
        // A request may come from another process, which can ask for any time.
        let seconds = min(context.settings.reuseDurationSeconds, AuthenticationContext.Settings.longestReuseSeconds)
        guard let recognition = lastRecognition.withLock(\.self),
            recognition.counts(at: hostClock.now, forSeconds: seconds)
        else { return nil }
        // Biometry that was enrolled anew since, or that is locked out, would not recognize anybody as it did.
        let biometry = authenticator.biometry
        guard biometry.obstacle == nil, biometry.enrolledSet == recognition.enrolledSet else { return nil }
        return .biometry(enrolledSet: recognition.enrolledSet)
    }

    /// The ways of a requirement that are not shown yet and could be, none if it is met; those that cannot are left out
    /// where one suffices.
    ///
    /// Whether it is met and what is left of it are decided by one look at the context, because other threads show
    /// something in it at any time. The device itself is looked at only where it is not given whether there is a
    /// passcode, and then only for a requirement that is not met.
    private func openWays(
        to requirement: Requirement,
        _ context: ContextState,
        hasPasscode given: Bool? = nil
    ) throws(AuthenticationFailure) -> [Requirement.Way] {
        let shown = shownFactors(context)
        let shownWays = Set(requirement.ways.filter { isShown($0, shown) })
        if requirement.isMet(shownWays.contains) { return [] }
        let hasPasscode = if let given { given } else { try hasPasscode() }
        var open: [Requirement.Way] = []
        var failures: [Requirement.Way: AuthenticationFailure] = [:]
        for way in requirement.ways where !shownWays.contains(way) {
            failures[way] = obstacle(to: way, hasPasscode)
            if failures[way] == nil { open.append(way) }
        }
        let firstFailure = requirement.ways.lazy.compactMap { failures[$0] }.first
        if requirement.anyOneSuffices {
            // Of several ways that are closed, the passcode is the one that its owner can open.
            if open.isEmpty, let failure = failures[.passcode] ?? firstFailure { throw failure }
        } else if let firstFailure {
            throw firstFailure
        }
        guard !context.settings.interactionNotAllowed else { throw .notInteractive }
        return open
    }

    private func obstacle(to way: Requirement.Way, _ hasPasscode: Bool) -> AuthenticationFailure? {
        let biometry = authenticator.biometry
        switch way {
        case .companion: return .companionNotAvailable
        case .passcode:
            if !hasPasscode { return .passcodeNotSet }
            return authenticator.canAskForSecrets ? nil : .notInteractive
        case .biometryOfSet(let set) where set == nil || set != biometry.enrolledSet: return .authenticationFailed
        case .biometry, .biometryOfSet:
            // Biometry cannot be used without a passcode (LAContext.h, on the policy for biometry).
            return biometry.obstacle ?? (hasPasscode ? nil : .passcodeNotSet)
        }
    }

    private func hasPasscode() throws(AuthenticationFailure) -> Bool {
        do { return try device.status().hasPasscode } catch { throw .systemCancel }
    }

    private func checkInteraction(_ context: ContextState) throws(AuthenticationFailure) {
        guard !context.settings.interactionNotAllowed, authenticator.canAskForSecrets else { throw .notInteractive }
    }
}

extension Evaluator {
    /// Runs `body` when it is its turn to ask.
    private func withQuestions<Result>(
        reason: String,
        _ context: ContextState,
        _ body: (Questions) throws(AuthenticationFailure) -> Result
    ) throws(AuthenticationFailure) -> Result {
        let result = context.withPrompt { cancellation in
            Swift.Result { () throws(AuthenticationFailure) in
                let questions = Questions(authenticator, context, reason: reason, cancellation)
                guard let ticket = authenticator.enqueue(cancellation) else { throw .notInteractive }
                defer { withExtendedLifetime(ticket) {} }
                let seconds = AuthenticationPrompt.defaultTimeoutSeconds
                guard turns.take(in: ticket.queue, within: seconds, cancellation) else { throw questions.end }
                defer { turns.leave(ticket.queue) }
                guard !context.isInvalid else { throw .appCancel }
                return try body(questions)
            }
        }
        return try result.get()
    }

    private func showAll(_ ways: [Requirement.Way], _ questions: Questions) throws(AuthenticationFailure) {
        for way in ways { try show(way, questions) }
    }

    private func showAny(of ways: [Requirement.Way], _ questions: Questions) throws(AuthenticationFailure) {
        for (index, way) in ways.enumerated() {
            do throws(AuthenticationFailure) {
                return try show(way, questions)
            } catch {
                guard error.leavesOtherWays, index + 1 < ways.count else { throw error }
            }
        }
    }

    private func show(_ way: Requirement.Way, _ questions: Questions) throws(AuthenticationFailure) {
        switch way {
        case .biometry, .biometryOfSet:
            let set = try questions.recognition()
            lastRecognition.withLock { $0 = Recognition(enrolledSet: set, time: hostClock.now) }
            if case .biometryOfSet(let wanted) = way, wanted != set { throw .authenticationFailed }
        case .passcode: try questions.passcode(judgedBy: device)
        case .companion: throw .companionNotAvailable
        }
    }
}

extension AuthenticationFailure {
    /// Whether another way may be tried after this one; not when somebody ended the whole.
    fileprivate var leavesOtherWays: Bool {
        switch self {
        case .userCancel, .systemCancel, .appCancel, .invalidContext: false
        default: true
        }
    }
}
