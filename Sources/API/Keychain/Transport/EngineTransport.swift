// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainCore
package import KeychainServices

/// The keychain of this package, without the item functions: a set is one transaction, and errors have reasons.
package struct EngineTransport: ItemTransport {
    private let given: KeychainContext?

    /// A transport.
    ///
    /// - Parameter context: which keychain, and as whom; `nil` for that of the task.
    package init(_ context: KeychainContext? = nil) { given = context }

    private var context: KeychainContext { given ?? .inEffect }

    package func add(_ attributes: [String: Any]) throws(TransportFailure) -> AnyObject? {
        try answer { (context) throws(KeychainError) in
            try ThrowingItemFunctions.add(Self.object(attributes), in: context)
        }
    }

    package func copyMatching(_ query: [String: Any]) throws(TransportFailure) -> AnyObject? {
        try answer { (context) throws(KeychainError) in
            try ThrowingItemFunctions.copyMatching(Self.object(query), in: context)
        }
    }

    package func update(_ query: [String: Any], _ attributes: [String: Any]) throws(TransportFailure) {
        try answer { (context) throws(KeychainError) in
            try ThrowingItemFunctions.update(Self.object(query), Self.object(attributes), in: context)
        }
    }

    package func delete(_ query: [String: Any]) throws(TransportFailure) {
        try answer { (context) throws(KeychainError) in
            try ThrowingItemFunctions.delete(Self.object(query), in: context)
        }
    }

    package func set(
        _ query: [String: Any],
        _ attributes: [String: Any],
        orAdd addition: [String: Any]
    ) throws(TransportFailure) {
        try answer { (context) throws(KeychainError) in
            try ThrowingItemFunctions.set(
                Self.object(query),
                Self.object(attributes),
                orAdd: Self.object(addition),
                in: context
            )
        }
    }

    package func defaultAccessGroup() -> String? { context.client.defaultAccessGroup }

    package var scope: ChangeScope { ChangeScope(context) }

    private static func object(_ entries: [String: Any]) -> NSDictionary { NSDictionary(dictionary: entries) }

    private func answer<Answer>(
        _ call: (KeychainContext) throws(KeychainError) -> Answer
    ) throws(TransportFailure) -> Answer {
        let context = context
        do throws(KeychainError) {
            return try call(context)
        } catch {
            var failure = TransportFailure(error)
            failure.advice = { context.owner?.adviceOnLastFailure }
            throw failure
        }
    }
}

extension TransportFailure {
    init(_ error: KeychainError) {
        self.init(status: error.status.rawValue, reason: error.reason)
        guard error.status == .interactionNotAllowed else { return }
        kind = if case .authentication = error.kind { .authenticationRequired } else { .locked }
    }
}
#endif
