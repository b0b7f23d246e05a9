// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

/// One call: what failed in it, and about what.
struct OperationContext {
    let operation: KeychainItemError.Operation
    var item: (any KeychainItem)?
    /// The value that would conflict with another item; the item itself if `nil`.
    var rival: (any KeychainItem)?
    var selection: String?

    func error(_ failure: TransportFailure) -> KeychainItemError {
        KeychainItemError(
            status: failure.status,
            operation: operation,
            item: item,
            rival: rival ?? item,
            selection: selection,
            kind: failure.kind,
            reason: failure.reason,
            advice: failure.advice()
        )
    }

    func run<Result>(
        _ body: () throws(TransportFailure) -> Result
    ) throws(KeychainItemError) -> Result {
        do throws(TransportFailure) { return try body() } catch { throw self.error(error) }
    }

    /// `nil` if there is no such item.
    func find<Result>(
        _ body: () throws(TransportFailure) -> Result
    ) throws(KeychainItemError) -> Result? {
        do throws(TransportFailure) { return try body() } catch {
            guard error.status == errSecItemNotFound else { throw self.error(error) }
            return nil
        }
    }
}
