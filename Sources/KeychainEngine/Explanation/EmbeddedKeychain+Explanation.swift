// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

extension EmbeddedKeychain {
    /// Says why a call would give what it gives.
    ///
    /// A keychain that is not there yet is explained as the empty one that the call would make; none is made.
    func explain(_ request: ExplanationRequest) throws(KeychainError) -> Explanation {
        if case .folder = access.source, try !access.hasStore() {
            return try EmbeddedKeychain.inMemory(device: access.device, clock: access.clock).explain(request)
        }
        return try withEngine(.lookingOn) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                try Explainer(request, engine, evaluator, reader).explanation()
            }
        }
    }

    /// Carries out a call, and explains it as of before it.
    func performExplaining(_ request: ExplanationRequest) throws(KeychainError) -> ExplainedOutcome {
        let authorization = Authorization(evaluator)
        var explanation: Result<Explanation, KeychainError>?
        // Taken again whenever the call is carried out anew: the items that count are those of the transaction in which
        // it ends. By then its context knows what was shown, so that what was asked for is told as of the first time.
        var asked: ExplainedAuthentication?
        authorization.onTransaction = { [evaluator] engine, reader in
            explanation = Result { () throws(KeychainError) in
                var taken = try Explainer(request, engine, evaluator, reader).explanation()
                asked = asked ?? taken.authentication
                taken.authentication = asked
                return taken
            }
        }
        let result = Result { () throws(KeychainError) in try perform(request.call, authorization) }
        // A request that does not pass its checks came to no transaction, and changed nothing.
        guard let explanation else { return ExplainedOutcome(try explain(request), result) }
        return ExplainedOutcome(try explanation.get(), result)
    }
}
