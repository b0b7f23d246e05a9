// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The demands and the outcome of a call without performing it: there are no prompts, and every demand counts as
/// satisfied.
///
/// The operations run as in a real call, on rows whose changes only they see, and without opening secrets.
final class Rehearsal: Authorization {
    /// The rows of the run under way, or of the last one.
    private(set) var rows: RehearsedRows

    private let hasPasscode: Bool
    /// The recorded demand; `nil` if there was none.
    private(set) var authentication: ExplainedAuthentication?

    /// A rehearsal over what a transaction reads, on a device that has a passcode or not.
    init(_ evaluator: Evaluator, _ reader: RowReader, hasPasscode: Bool) {
        rows = RehearsedRows(over: reader)
        self.hasPasscode = hasPasscode
        super.init(evaluator)
    }

    /// Runs an operation until it demands nothing more, each time on the rows that are in the store.
    ///
    /// - Returns: The error of the call; `nil` for success.
    func run(
        over reader: RowReader,
        _ operation: (Rehearsal) throws(KeychainError) -> Void
    ) -> KeychainError? {
        for _ in 0..<Self.maximumRounds {
            rows = RehearsedRows(over: reader)
            do throws(KeychainError) {
                try operation(self)
                return nil
            } catch {
                guard let demand = takeDemand() else { return error }
                do throws(KeychainError) {
                    try satisfy(demand, work: .minimum)
                } catch {
                    return error
                }
            }
        }
        return .tooManyRounds
    }

    override var rehearsedRows: RehearsedRows? { rows }

    override func state(of given: AuthenticationContext) -> ContextState { evaluator.contexts.copy(of: given) }

    override func isSatisfied(_ accessControl: AccessControl) -> Bool {
        let isAssumed = authentication?.accessControls.contains { $0.isIdentical(accessControl) } ?? false
        return isAssumed || super.isSatisfied(accessControl)
    }

    override func ask(for accessControl: AccessControl) throws(AuthenticationFailure) {
        recordObstacle(evaluator.obstacleToShowing(accessControl, context, hasPasscode: hasPasscode))
        authentication?.accessControls.append(accessControl)
    }

    override func typedPassword(
        isNew: Bool,
        _ derive: (SecretBytes) throws(ProtectionError) -> PasswordKey?
    ) throws(KeychainError) -> PasswordKey {
        recordObstacle(evaluator.obstacleToTyping(context))
        if isNew {
            authentication?.asksForNewApplicationPassword = true
        } else {
            authentication?.asksForApplicationPassword = true
        }
        // Opens nothing; what it seals is stored nowhere.
        do { return try PasswordKey(new: SecretBytes(), .minimum) } catch { throw KeychainError(error) }
    }

    private func recordObstacle(_ obstacle: AuthenticationFailure?) {
        var noted = authentication ?? ExplainedAuthentication()
        noted.obstacle = noted.obstacle ?? obstacle
        authentication = noted
    }

    /// What an access control requires that protects an item, in the current state of the context, without assumptions.
    func access(_ demand: AuthenticationDemand) -> ExplainedItem.Access {
        .demanded(obstacle: obstacle(to: demand, hasPasscode: hasPasscode))
    }
}
