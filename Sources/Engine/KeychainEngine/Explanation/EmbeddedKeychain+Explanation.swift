// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

extension EmbeddedKeychain {
    /// Says why a call would give what it gives.
    ///
    /// A keychain that is not there yet is explained as an empty one; none is made.
    func explain(_ request: ExplanationRequest) throws(KeychainError) -> Explanation {
        try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                try Explainer(request, engine, evaluator, reader).explanation()
            }
        }
    }

    /// Whether there is a store; none is made.
    ///
    /// - Throws: ``KeychainError`` where it cannot be told, as in a folder of somebody else.
    package func exists() throws(KeychainError) -> Bool {
        if access.isInMemory { return true }
        return try access.hasStore()
    }

    /// Carries out a call, and explains it as of before it.
    ///
    /// A failed call has changed nothing, so that one which is explained for its failure alone is looked at again in
    /// the same turn: until then nothing is kept of it, and a success costs what it costs elsewhere.
    func performExplaining(_ request: ExplanationRequest) throws(KeychainError) -> ExplainedOutcome {
        var request = request
        (request.options.lockState, request.options.now) = (nil, nil)
        let authorization = Authorization(evaluator)
        var explanation: Result<Explanation, KeychainError>?
        // Taken again whenever the call is carried out anew: the items that count are those of the transaction in which
        // it ends. By then its context knows what was shown, so that what was asked for is told as of the first time.
        var asked: ExplainedAuthentication?
        func explain(_ engine: Engine, _ reader: RowReader) {
            explanation = Result { () throws(KeychainError) in
                var taken = try Explainer(request, engine, evaluator, reader).explanation()
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
