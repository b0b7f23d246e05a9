// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport

/// An owner of a device, in what matters to an evaluation.
struct ModelOwner: Sendable, Hashable {
    enum Passcode: CaseIterable {
        case notSet, unaskable, right, wrong, cancelled
    }

    enum Biometry: CaseIterable {
        case missing, notEnrolled, lockedOut, enrolledAgain, recognized, notRecognized, fallback, cancelled
    }

    enum Shown: CaseIterable {
        case nothing, passcode, biometry
    }

    var passcode: Passcode
    var biometry: Biometry
    var shownBefore: Shown
    var mayBeAsked: Bool

    static let all = Passcode.allCases.flatMap { passcode in
        Biometry.allCases.flatMap { biometry in
            Shown.allCases.flatMap { shown in
                [true, false].map {
                    ModelOwner(passcode: passcode, biometry: biometry, shownBefore: shown, mayBeAsked: $0)
                }
            }
        }
    }
}

/// What an evaluation does, said once more and as plainly as possible: the outcome, and the questions on the way.
struct EvaluationModel {
    struct Evaluation: Hashable {
        var failure: AuthenticationFailure?
        var questions: [AuthenticationPrompt.Kind] = []
    }

    private enum Step {
        case done
        case impossible(AuthenticationFailure)
        case asked([AuthenticationPrompt.Kind], AuthenticationFailure?)
    }

    let owner: ModelOwner

    func evaluation(_ constraints: AccessConstraints) -> Evaluation {
        let shown = constraints.shown
        if shown == .userPresence { return any([anyBiometry, passcode]) }
        var steps: [Step] = []
        if shown.contains(.biometryAny) { steps.append(anyBiometry) }
        if shown.contains(.biometryCurrentSet) { steps.append(storedBiometry) }
        if shown.contains(.devicePasscode) { steps.append(passcode) }
        if shown.contains(.companion) { steps.append(.impossible(.companionNotAvailable)) }
        return constraints.anyOneSuffices && !steps.isEmpty ? any(steps) : all(steps)
    }

    func evaluation(_ policy: AuthenticationPolicy) -> Evaluation {
        switch policy {
        case .biometrics, .biometricsOrCompanion: all([anyBiometry])
        case .deviceOwner: any([anyBiometry, passcode])
        case .companion, .wristDetection: all([.impossible(.companionNotAvailable)])
        }
    }

    private var passcode: Step {
        if owner.shownBefore == .passcode { return .done }
        return switch owner.passcode {
        case .notSet: .impossible(.passcodeNotSet)
        case .unaskable: .impossible(.notInteractive)
        case .right: .asked([.passcode], nil)
        case .wrong: .asked([.passcode, .passcode, .passcode], .authenticationFailed)
        case .cancelled: .asked([.passcode], .userCancel)
        }
    }

    private var anyBiometry: Step {
        if owner.shownBefore == .biometry { return .done }
        switch owner.biometry {
        case .missing: return .impossible(.biometryNotAvailable)
        case .notEnrolled: return .impossible(.biometryNotEnrolled)
        case .lockedOut: return .impossible(.biometryLockout)
        default: break
        }
        if owner.passcode == .notSet { return .impossible(.passcodeNotSet) }
        return switch owner.biometry {
        case .notRecognized: .asked([.biometry, .biometry, .biometry], .authenticationFailed)
        case .fallback: .asked([.biometry], .userFallback)
        case .cancelled: .asked([.biometry], .userCancel)
        default: .asked([.biometry], nil)
        }
    }

    /// Biometry of the set that was enrolled when the item was stored.
    private var storedBiometry: Step {
        switch owner.biometry {
        case .missing, .notEnrolled, .enrolledAgain: .impossible(.authenticationFailed)
        default: anyBiometry
        }
    }

    private func all(_ steps: [Step]) -> Evaluation {
        for case .impossible(let failure) in steps { return Evaluation(failure: failure) }
        var evaluation = Evaluation()
        for case .asked(let questions, let failure) in steps {
            guard owner.mayBeAsked else { return Evaluation(failure: .notInteractive) }
            evaluation.questions += questions
            evaluation.failure = failure
            if failure != nil { break }
        }
        return evaluation
    }

    private func any(_ steps: [Step]) -> Evaluation {
        for case .done in steps { return Evaluation() }
        var evaluation = Evaluation()
        var isPossible = false
        for case .asked(let questions, let failure) in steps {
            guard owner.mayBeAsked else { return Evaluation(failure: .notInteractive) }
            isPossible = true
            evaluation.questions += questions
            evaluation.failure = failure
            if failure == nil || failure == .userCancel { break }
        }
        if isPossible { return evaluation }
        for case .impossible(let failure) in steps {
            let isOfPasscode = failure == .passcodeNotSet || failure == .notInteractive
            if evaluation.failure == nil || isOfPasscode { evaluation.failure = failure }
        }
        return evaluation
    }
}
