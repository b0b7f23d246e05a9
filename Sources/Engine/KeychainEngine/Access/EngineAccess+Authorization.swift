// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection

extension EngineAccess {
    /// Runs `body`, and retries it after satisfying what it demanded.
    ///
    /// The owner of the device is prompted while other processes may use the keychain (Semantics, "Copying matching
    /// items", step 7).
    func withEngine<Result>(
        _ authorization: Authorization,
        for use: Use = .changing,
        countingIf isUse: (Result) -> Bool = { _ in true },
        _ body: (Engine, Authorization) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try satisfying(authorization) { () throws(KeychainError) in
            try withEngine(use, countingIf: isUse) { (engine) throws(KeychainError) in
                try body(engine, authorization)
            }
        }
    }

    /// Changes items, in a batch with other changes if the store's options allow it, else by running `body` directly.
    func change(
        for request: KeychainRequest,
        under authorization: Authorization,
        _ body: (Engine, Authorization) throws(KeychainError) -> KeychainAnswer
    ) throws(KeychainError) -> KeychainAnswer {
        try satisfying(authorization) { () throws(KeychainError) in
            let deadline = Deadline(milliseconds: patienceMilliseconds)
            if makesChangesTogether, let answer = try changeTogether(request, authorization, until: deadline) {
                return answer
            }
            return try withEngine(request.use, until: deadline) { (engine) throws(KeychainError) in
                try body(engine, authorization)
            }
        }
    }

    private func satisfying<Result>(
        _ authorization: Authorization,
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        for _ in 0..<Authorization.maximumRounds {
            do throws(KeychainError) {
                return try body()
            } catch {
                guard let demand = authorization.takeDemand() else { throw error }
                // An item was found, and is read once somebody has answered.
                try? Turns.none.withTurn { session.noteUse() }
                try authorization.satisfy(demand, work: device.passwordWork)
            }
        }
        throw .tooManyRounds
    }
}

extension KeychainRequest {
    /// What an engine is needed for.
    var use: EngineAccess.Use {
        switch operation {
        case .copyMatching: .reading
        case .add, .set: .changing
        case .update, .delete: .changingStored
        }
    }
}

extension KeychainError {
    /// The error of a call that demanded something different on every retry.
    static let tooManyRounds = KeychainError(
        .authenticationFailed,
        "the items required different authentication at each attempt"
    )
}
