// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

extension EngineAccess {
    /// Carries out `body`, and carries it out anew after what it asked for was shown.
    ///
    /// The owner of the device is asked while others may use the keychain (Semantics, "Copying matching items", step
    /// 7).
    func withEngine<Result>(
        _ authorization: Authorization,
        _ use: Use = .changing,
        _ body: (Engine, Authorization) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        for _ in 0..<Authorization.mostRounds {
            do throws(KeychainError) {
                return try withEngine(use) { (engine) throws(KeychainError) in try body(engine, authorization) }
            } catch {
                guard let demand = authorization.takeDemand() else { throw error }
                try authorization.satisfy(demand, work: device.passwordWork)
            }
        }
        throw .tooManyRounds
    }
}

extension KeychainError {
    /// The end of a call that asked for something else each time that it was carried out.
    static let tooManyRounds = KeychainError(
        .authenticationFailed,
        "the items required different authentication at each attempt"
    )
}
