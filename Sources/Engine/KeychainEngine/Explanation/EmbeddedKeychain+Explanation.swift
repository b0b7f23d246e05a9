// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

extension EmbeddedKeychain {
    /// Explains the result of a call.
    ///
    /// A keychain that does not exist yet is explained as an empty one; none is created.
    func explain(_ request: ExplanationRequest) throws(KeychainError) -> Explanation {
        try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                try Explainer(of: request, engine: engine, evaluator: evaluator, reader: reader).explanation()
            }
        }
    }

    /// Whether there is a store; none is created.
    ///
    /// - Throws: ``KeychainError`` if that cannot be determined, as in a folder of another user.
    package func exists() throws(KeychainError) -> Bool {
        if access.isInMemory { return true }
        return try access.hasStore()
    }

    /// Performs a call, and explains it on the state before it.
    ///
    /// A failed call has changed nothing; a call that is explained only on failure is therefore analyzed again in the
    /// same turn. Until then no state is recorded, so that a success has no extra cost.
    func performExplaining(_ request: ExplanationRequest) throws(KeychainError) -> ExplainedOutcome {
        var request = request
        (request.options.lockState, request.options.now) = (nil, nil)
        let authorization = Authorization(evaluator)
        var explanation: Result<Explanation, KeychainError>?
        // Repeated on every retry of the call: the items of its last transaction count. By then its context records
        // what was shown, so that demands are reported as of the first attempt.
        var asked: ExplainedAuthentication?
        func explain(_ engine: Engine, _ reader: RowReader) {
            explanation = Result { () throws(KeychainError) in
                var taken = try Explainer(of: request, engine: engine, evaluator: evaluator, reader: reader)
                    .explanation()
                asked = asked ?? taken.authentication
                taken.authentication = asked
                return taken
            }
        }
        guard request.options.explainsSuccess else {
            let result = Result { () throws(KeychainError) in
                try perform(request.call, authorization) { engine in
                    try? engine.read { reader in explain(engine, reader) }
                }
            }
            return ExplainedOutcome(try? explanation?.get(), result)
        }
        authorization.onTransaction = explain
        let result = Result { () throws(KeychainError) in try perform(request.call, authorization) }
        // A request that does not pass its checks came to no transaction, and changed nothing.
        guard let explanation else { return ExplainedOutcome(try self.explain(request), result) }
        return ExplainedOutcome(try explanation.get(), result)
    }
}
