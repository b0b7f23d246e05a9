// SPDX-License-Identifier: Apache-2.0

import PortableLocalAuthentication
import PortableSecurity

extension KeychainProtocol {
    /// Runs a call on a thread that may block.
    ///
    /// Cancelling the task ends the prompt and the call; a call that has already succeeded is not undone.
    func waiting<Result: Sendable>(
        for operation: KeychainItemError.Operation,
        of item: (any KeychainItem)?,
        authentication: Authentication,
        selection: String? = nil,
        _ body: @escaping @Sendable (Authentication) throws(KeychainItemError) -> Result
    ) async throws(KeychainItemError) -> Result {
        let cancellation = KeychainItemError(
            status: errSecUserCanceled,
            operation: operation,
            item: item,
            selection: selection,
            reason: "the task was cancelled"
        )
        guard !Task.isCancelled else { throw cancellation }
        let cancellable = authentication.cancellable
        let outcome = await withTaskCancellationHandler {
            await CallThread.run { () -> Swift.Result<Result, KeychainItemError> in
                do throws(KeychainItemError) { return .success(try body(cancellable)) } catch { return .failure(error) }
            }
        } onCancel: {
            cancellable.cancel()
        }
        if case .failure = outcome, Task.isCancelled { throw cancellation }
        return try outcome.get()
    }
}

extension Authentication {
    /// The same, with a context of its own if there is none, so that the prompt can be ended.
    fileprivate var cancellable: Authentication {
        guard case .allowed(let reason) = way else { return self }
        let context = LAContext()
        if let reason { context.localizedReason = reason }
        return .context(context)
    }

    fileprivate func cancel() {
        if case .context(let context) = way { context.invalidate() }
    }
}
