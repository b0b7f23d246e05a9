// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// What one call has authenticated so far, and what it still has to.
///
/// An operation that reaches an item with further requirements records a demand and fails, and its transaction is
/// rolled back. The demand is satisfied outside the transaction, where it blocks no other caller, and the operation is
/// retried.
class Authorization {
    /// The maximum number of prompts in one call (Semantics, "Access control").
    static let maximumRounds = 20

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

    /// Called for each transaction of the call, before the call examines any item, to explain it.
    var onTransaction: ((Engine, RowReader) -> Void)?

    /// Whether the call runs on a thread other than its caller's.
    ///
    /// The authenticator must not be asked anything there: it may answer on behalf of the calling thread.
    var isElsewhere = false

    /// Whether the call needed the authenticator there, so that its outcome must be discarded.
    var needsOwnThread = false

    init(_ evaluator: Evaluator) { self.evaluator = evaluator }

    /// Whether access controls restrict access; on a simulator they do not.
    var enforcesAccessControl: Bool { evaluator.enforcesAccessControl }

    /// Reads from the query whether and how the user may be prompted.
    func begin(_ query: Query) {
        begin(query.context)
        // Where nothing is enforced, no prompt is shown either.
        isAskingAllowed = query.authenticationUI != .fail || !enforcesAccessControl
        passesOverGuarded = query.authenticationUI == .skip
        if reason.isEmpty { reason = query.operationPrompt ?? "" }
    }

    /// Adopts the context of a call that may prompt nobody.
    func beginUnasked(_ given: AuthenticationContext?) {
        begin(given)
        isAskingAllowed = !enforcesAccessControl
    }

    /// Adopts the context that the caller passed, if any.
    func begin(_ given: AuthenticationContext?) {
        guard let given else { return }
        context = state(of: given)
        reason = given.settings.localizedReason
    }

    /// The state of a context that the caller passed.
    func state(of given: AuthenticationContext) -> ContextState { evaluator.contexts.state(of: given) }

    /// Where a rehearsed call reads and changes rows; `nil` for a real one.
    var rehearsedRows: RehearsedRows? { nil }

    /// Whether everything that an access control requires was shown, except for application passwords.
    func isSatisfied(_ accessControl: AccessControl) -> Bool {
        guard enforcesAccessControl else { return true }
        return mayAsk() && evaluator.isSatisfied(accessControl, by: context)
    }

    /// Records that the authenticator is needed, and returns whether it may be called on this thread.
    private func mayAsk() -> Bool {
        if isElsewhere { needsOwnThread = true }
        return !isElsewhere
    }

    /// Whether a demand can be satisfied without a prompt: by the application password of the context, or because
    /// nothing is enforced.
    func canSatisfyUnasked(_ demand: AuthenticationDemand) -> Bool {
        guard enforcesAccessControl else { return true }
        return demand.accessControls.isEmpty && context.applicationPassword != nil
            && refusedPasswords.isDisjoint(with: demand.passwords)
    }

    /// The key of an item under an application password; `nil` until the password is known.
    func passwordKey(_ header: PasswordHeader) -> PasswordKey? { passwordKeys[header] }

    /// The key for new items under an application password; `nil` until the password is known.
    var keyForNewItems: PasswordKey? { newPasswordKey }

    /// Why an access control cannot protect an item other than a key of the Secure Enclave; `nil` if it can.
    ///
    /// One that permits only the use of a private key permits no encryption.
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

    /// Why nothing that could be shown now satisfies a demand; `nil` if something may.
    ///
    /// Nobody is prompted, and the state of the device is not read, so that it can be used inside a transaction.
    func obstacle(to demand: AuthenticationDemand, hasPasscode: Bool) -> AuthenticationFailure? {
        guard enforcesAccessControl, mayAsk() else { return nil }
        for accessControl in demand.accessControls {
            let obstacle = evaluator.obstacleToShowing(accessControl, context, hasPasscode: hasPasscode)
            if let obstacle { return obstacle }
        }
        guard !demand.passwords.isEmpty, context.applicationPassword == nil else { return nil }
        return evaluator.obstacleToTyping(context)
    }

    /// The currently enrolled biometry, for items that require the current set.
    var enrolledSet: Bytes16? { mayAsk() ? evaluator.biometry.enrolledSet : nil }

    /// Records what has to be shown before the call can continue.
    ///
    /// - Returns: The error of the call if no prompt is allowed.
    func require(_ demand: AuthenticationDemand) -> KeychainError {
        if isAskingAllowed { self.demand = demand }
        return KeychainError(AuthenticationFailure.notInteractive)
    }

    /// What has to be shown before the call can continue; `nil` if it ended for another reason.
    func takeDemand() -> AuthenticationDemand? {
        defer { demand = nil }
        return demand
    }

    /// Prompts for everything that is demanded.
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
                // What the context does not open is left out, as if no prompt were possible.
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

    /// The key derived from the application password: that of the context, or else one that the user types.
    ///
    /// A wrong password in the context is not replaced by a prompt, because the program supplied it.
    private func password(
        _ demand: AuthenticationDemand,
        isNew: Bool,
        _ derive: (SecretBytes) throws(ProtectionError) -> PasswordKey?
    ) throws(KeychainError) -> PasswordKey {
        if !enforcesAccessControl {
            // There, every item is under the same password, so that any password, or none, opens it.
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

    /// The key derived from a password that the user types.
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

/// What the owner has to show, or the program has to supply, before a call can continue.
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
    /// Whether both require the same, including the same enrolled set, which comparison ignores.
    func isIdentical(_ other: AccessControl) -> Bool { self == other && enrolledSet == other.enrolledSet }
}
