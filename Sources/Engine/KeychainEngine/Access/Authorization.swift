// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// What one call has shown so far, and what it still has to show.
///
/// An operation that meets an item which asks for more notes a demand and fails, and its transaction is undone. The
/// demand is satisfied outside, where it keeps nobody waiting, and the operation is carried out anew.
class Authorization {
    /// How often the owner may be asked in one call (Semantics, "Access control").
    static let mostRounds = 20

    /// The context of the call: the one that the caller gave, or one of its own.
    private(set) lazy var context = ContextState()

    let evaluator: Evaluator
    private var isAskingAllowed = true
    private var reason = ""
    private var passwordKeys: [PasswordHeader: PasswordKey] = [:]
    private var newPasswordKey: PasswordKey?
    /// The items whose password the context does not have.
    private var refusedPasswords: Set<PasswordHeader> = []
    private var passesOverGuarded = false
    private var demand: AuthenticationDemand?

    /// Told of each transaction of the call before the call looks at an item, to explain it.
    var onTransaction: ((Engine, RowReader) -> Void)?

    /// Whether the call runs on another thread than its caller's, where the authenticator must not be asked anything:
    /// it may answer for the caller of the thread.
    var isElsewhere = false

    /// Whether the call asked for something there, so that what came of it is worth nothing.
    var needsOwnThread = false

    init(_ evaluator: Evaluator) { self.evaluator = evaluator }

    /// Whether an access control keeps anybody from anything; on a simulator it does not.
    var enforcesAccessControl: Bool { evaluator.enforcesAccessControl }

    /// Takes from the query who may be asked, and how.
    func begin(_ query: Query) {
        begin(query.context)
        // Where nothing is enforced nobody is asked either.
        isAskingAllowed = query.authenticationUI != .fail || !enforcesAccessControl
        passesOverGuarded = query.authenticationUI == .skip
        if reason.isEmpty { reason = query.operationPrompt ?? "" }
    }

    /// Takes the context that the caller gave, if one was given.
    func begin(_ given: AuthenticationContext?) {
        guard let given else { return }
        context = state(of: given)
        reason = given.settings.localizedReason
    }

    /// What is known of a context that the caller gave.
    func state(of given: AuthenticationContext) -> ContextState { evaluator.contexts.state(of: given) }

    /// Where a call that is rehearsed reads and changes rows; `nil` for one that is made.
    var rehearsedRows: RehearsedRows? { nil }

    /// Whether the owner has shown what an access control asks for, application passwords aside.
    func isSatisfied(_ accessControl: AccessControl) -> Bool {
        guard enforcesAccessControl else { return true }
        return mayAsk() && evaluator.isSatisfied(accessControl, by: context)
    }

    /// Notes that the authenticator is needed, and says whether it may be asked on this thread.
    private func mayAsk() -> Bool {
        if isElsewhere { needsOwnThread = true }
        return !isElsewhere
    }

    /// Whether a demand can be satisfied without anybody being asked: by the application password of the context, or
    /// where nothing is enforced.
    func canSatisfyUnasked(_ demand: AuthenticationDemand) -> Bool {
        guard enforcesAccessControl else { return true }
        return demand.accessControls.isEmpty && context.applicationPassword != nil
            && refusedPasswords.isDisjoint(with: demand.passwords)
    }

    /// The key of an item under an application password; `nil` before the password was given.
    func passwordKey(_ header: PasswordHeader) -> PasswordKey? { passwordKeys[header] }

    /// The key for new items under an application password; `nil` before the password was given.
    var keyForNewItems: PasswordKey? { newPasswordKey }

    /// Why an access control cannot be put on an item that is no key of the Secure Enclave; `nil` when it can: it
    /// permits the use of a private key, and nobody to encrypt anything.
    func refusal(toStoreUnder accessControl: AccessControl) -> KeychainError? {
        guard enforcesAccessControl, accessControl.constraints?.guardsPrivateKeyUsage ?? false else { return nil }
        return KeychainError(
            .authenticationFailed,
            "under an access control with privateKeyUsage nothing but keys of the Secure Enclave can be stored"
        )
    }

    /// Why an access control cannot be put on an item now; `nil` when it can.
    func obstacle(toStoring accessControl: AccessControl, on device: Sealer) -> KeychainError? {
        guard enforcesAccessControl, mayAsk() else { return nil }
        let hasPasscode = device.keybag.passcodeSlot != nil
        return evaluator.obstacleToStoring(accessControl, hasPasscode: hasPasscode).map { failure in
            KeychainError(
                .authenticationFailed,
                "nothing could ever satisfy the access control",
                kind: .authentication(failure)
            )
        }
    }

    /// The biometry that is enrolled now, for items that ask for the current one.
    var enrolledSet: Bytes16? { mayAsk() ? evaluator.biometry.enrolledSet : nil }

    /// Notes what has to be shown for the call to go on.
    ///
    /// - Returns: What the call answers when nobody may be asked.
    func require(_ demand: AuthenticationDemand) -> KeychainError {
        if isAskingAllowed { self.demand = demand }
        return KeychainError(AuthenticationFailure.notInteractive)
    }

    /// What has to be shown for the call to go on; `nil` when it ended for another reason.
    func takeDemand() -> AuthenticationDemand? {
        defer { demand = nil }
        return demand
    }

    /// Asks for everything that is demanded.
    ///
    /// - Throws: The status of the first failure (Semantics, "Access control").
    func satisfy(_ demand: AuthenticationDemand, work: ScryptParameters) throws(KeychainError) {
        do throws(AuthenticationFailure) {
            for accessControl in demand.accessControls where !isSatisfied(accessControl) {
                try ask(for: accessControl)
            }
        } catch {
            throw KeychainError(error)
        }
        for header in demand.passwords where passwordKeys[header] == nil {
            if passesOverGuarded, enforcesAccessControl, let password = context.applicationPassword {
                // What the context does not open is left out, as if nobody could be asked.
                passwordKeys[header] = try derived(password) { (password) throws(ProtectionError) in
                    try PasswordKey(password, header)
                }
                if passwordKeys[header] == nil { refusedPasswords.insert(header) }
                continue
            }
            passwordKeys[header] = try password(demand, isNew: false) { (password) throws(ProtectionError) in
                try PasswordKey(password, header)
            }
        }
        if demand.needsNewPassword, newPasswordKey == nil {
            newPasswordKey = try password(demand, isNew: true) { (password) throws(ProtectionError) in
                try PasswordKey(new: password, work)
            }
        }
    }

    /// The key that the application's password gives: the one of the context, else one that is typed.
    ///
    /// A wrong one of the context is not replaced by asking: the program gave it.
    private func password(
        _ demand: AuthenticationDemand,
        isNew: Bool,
        _ derive: (SecretBytes) throws(ProtectionError) -> PasswordKey?
    ) throws(KeychainError) -> PasswordKey {
        if !enforcesAccessControl {
            // Every item is under the same one there, so that any or none opens it.
            guard let key = try derived(Self.unenforcedPassword, derive) else {
                throw KeychainError(AuthenticationFailure.authenticationFailed)
            }
            return key
        }
        if let password = context.applicationPassword {
            if let key = try derived(password, derive) { return key }
            throw KeychainError(AuthenticationFailure.authenticationFailed)
        }
        return try typedPassword(isNew: isNew, derive)
    }

    /// Has the owner show what an access control demands, application passwords aside.
    func ask(for accessControl: AccessControl) throws(AuthenticationFailure) {
        try evaluator.evaluateShown(accessControl, reason: reason, context)
    }

    /// The key that a password gives which is typed.
    func typedPassword(
        isNew: Bool,
        _ derive: (SecretBytes) throws(ProtectionError) -> PasswordKey?
    ) throws(KeychainError) -> PasswordKey {
        for attempt in 0..<3 {
            let password: SecretBytes
            do throws(AuthenticationFailure) {
                password = try evaluator.askForApplicationPassword(
                    isNew: isNew,
                    problem: attempt == 0 ? nil : "The password is wrong.",
                    reason: reason,
                    context
                )
            } catch {
                throw KeychainError(error)
            }
            guard let key = try derived(password, derive) else { continue }
            context.applicationPassword = password
            return key
        }
        throw KeychainError(AuthenticationFailure.authenticationFailed)
    }

    private static let unenforcedPassword = SecretBytes(Array("not enforced".utf8))

    private func derived(
        _ password: SecretBytes,
        _ derive: (SecretBytes) throws(ProtectionError) -> PasswordKey?
    ) throws(KeychainError) -> PasswordKey? {
        // A rehearsal is inside of a transaction.
        try evaluator.derivations.derive(waits: rehearsedRows == nil) { () throws(ProtectionError) in
            try derive(password)
        }
    }
}

/// What the owner has to show, or the program to give, before a call can go on.
struct AuthenticationDemand: Sendable {
    /// The access controls of the items that were met, each once.
    var accessControls: [AccessControl] = []
    /// The items under application passwords that were met.
    var passwords: [PasswordHeader] = []
    /// Whether something is to be stored under an application password.
    var needsNewPassword = false

    var isEmpty: Bool { accessControls.isEmpty && passwords.isEmpty && !needsNewPassword }

    mutating func add(_ other: AuthenticationDemand) {
        for one in other.accessControls where !accessControls.contains(where: { $0.isIdentical(one) }) {
            accessControls.append(one)
        }
        for header in other.passwords where !passwords.contains(header) { passwords.append(header) }
        needsNewPassword = needsNewPassword || other.needsNewPassword
    }
}

extension AccessControl {
    /// Whether both ask for the same of the same enrolled set, which comparison leaves aside.
    func isIdentical(_ other: AccessControl) -> Bool { self == other && enrolledSet == other.enrolledSet }
}
