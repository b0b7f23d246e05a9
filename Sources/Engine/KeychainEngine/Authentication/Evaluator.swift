// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// Prompts the owner of a device for what policies and access controls require, through an authenticator.
///
/// It does not prompt for what a context has already shown, nor where the answer could not help. In each queue of the
/// authenticator, one evaluation prompts at a time; the others wait for their turn, for at most the timeout of a
/// prompt.
final class Evaluator: Sendable {
    let device: KeychainDevice
    let authenticator: any Authenticator
    /// Whether access controls are enforced.
    let enforcesAccessControl: Bool
    /// The contexts of programs.
    let contexts: ContextRegistry
    /// Derives the keys of application passwords.
    let derivations: KeyDerivations
    private let hostClock: any HostClock
    private let turns = QuestionTurns()
    private let lastRecognition = Mutex<Recognition?>(nil)

    /// Prompts through an authenticator, and has a device verify passcodes.
    init(
        device: KeychainDevice,
        authenticator: any Authenticator,
        hostClock: any HostClock,
        enforcesAccessControl: Bool = true,
        maximumContexts: Int = ContextRegistry.defaultLimit,
        derivations: KeyDerivations = KeyDerivations(nil)
    ) {
        self.derivations = derivations
        contexts = ContextRegistry(limit: maximumContexts)
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
        try satisfy(Requirement(policy), reason: reason, context)
    }

    /// Prompts for what an access control requires, and for an application password if it requires one and the context
    /// has none.
    ///
    /// The password is not verified, because that takes an item.
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
            // Another thread may have prompted for it meanwhile.
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
        try satisfy(Requirement(accessControl), reason: reason, context)
    }

    /// Whether a context has shown what an access control demands, its application password left out.
    ///
    /// Never prompts.
    func isSatisfied(_ accessControl: AccessControl, by context: ContextState) -> Bool {
        !context.isInvalid && isMet(Requirement(accessControl), by: context)
    }

    /// Prompts for an application password, once; the caller verifies and records it.
    ///
    /// - Parameters:
    ///   - isNew: whether the user chooses a new password, and so types it twice.
    ///   - problem: what was wrong with the previous one.
    ///   - reason: the reason, in the program's words.
    ///   - context: the context in which to prompt.
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

    /// Why no prompt is possible, or why no answer could help, for what an access control requires.
    ///
    /// It is `nil` if a prompt is possible, or if everything was shown already.
    ///
    /// It neither prompts nor reads the state of the device, so that it can be used inside a transaction. The
    /// application password is not considered.
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

    /// Why no prompt for an application password is possible; `nil` if one is.
    func obstacleToTyping(_ context: ContextState) -> AuthenticationFailure? {
        if context.isInvalid { return .invalidContext }
        do throws(AuthenticationFailure) {
            try checkInteraction(context)
            return nil
        } catch {
            return error
        }
    }

    /// Why nothing can be stored under an access control; `nil` if something can.
    ///
    /// Constraints require a device with a passcode. An item for the current biometric set requires enrolled biometry,
    /// or it could never be read.
    ///
    /// It is used inside a transaction, and so does not read the state of the device.
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
    private func satisfy(
        _ requirement: Requirement,
        reason: String,
        _ context: ContextState
    ) throws(AuthenticationFailure) {
        guard !context.isInvalid else { throw .invalidContext }
        if requirement.asksForBiometry, let recognition = reusableRecognition(in: context) {
            context.record(recognition)
        }
        // What is impossible is refused at once, without waiting for a turn.
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

    /// The recognition by another evaluation that is recent enough to count in a context; `nil` if there is none.
    private func reusableRecognition(in context: ContextState) -> AuthenticationContext.Factor? {
        // A request may come from another process, which can specify any duration.
        let seconds = min(context.settings.reuseDurationSeconds, AuthenticationContext.Settings.longestReuseSeconds)
        guard let recognition = lastRecognition.withLock(\.self),
            recognition.counts(at: hostClock.now, forSeconds: seconds)
        else { return nil }
        // Biometry that was enrolled again since then, or that is locked out, might not recognize the same user.
        let biometry = authenticator.biometry
        guard biometry.obstacle == nil, biometry.enrolledSet == recognition.enrolledSet else { return nil }
        return .biometry(enrolledSet: recognition.enrolledSet)
    }

    /// The ways to meet a requirement that are not shown yet and are available; empty if it is met.
    ///
    /// Unavailable ways are left out where one way suffices.
    ///
    /// One access to the context decides both whether the requirement is met and what remains, because other threads
    /// can show something in it at any time. The state of the device itself is read only if the caller does not pass
    /// whether there is a passcode, and then only for a requirement that is not met.
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
    /// Runs `body` when it is its turn to prompt.
    private func withQuestions<Result>(
        reason: String,
        _ context: ContextState,
        _ body: (Questions) throws(AuthenticationFailure) -> Result
    ) throws(AuthenticationFailure) -> Result {
        let result = context.withPrompt { cancellation in
            Swift.Result { () throws(AuthenticationFailure) in
                let questions = Questions(
                    to: authenticator,
                    context: context,
                    reason: reason,
                    cancellation: cancellation
                )
                guard let ticket = authenticator.enqueue(cancellation) else { throw .notInteractive }
                defer { withExtendedLifetime(ticket) {} }
                let seconds = AuthenticationPrompt.defaultTimeoutSeconds
                guard turns.acquire(in: ticket.queue, within: seconds, cancellation) else { throw questions.end }
                defer { turns.release(ticket.queue) }
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
    /// Whether another way may be tried after this one; not if the evaluation was canceled as a whole.
    fileprivate var leavesOtherWays: Bool {
        switch self {
        case .userCancel, .systemCancel, .appCancel, .invalidContext: false
        default: true
        }
    }
}
