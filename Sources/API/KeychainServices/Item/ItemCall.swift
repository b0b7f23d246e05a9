// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTrace
import Logging

/// One call of an item function: from dictionaries to a request, from an answer to objects.
enum ItemCall {
    static func perform(
        _ operation: KeychainRequest.Operation,
        _ result: UnsafeMutablePointer<CFTypeRef?>?
    ) -> OSStatus {
        let context = KeychainContext.inEffect.reaching(operation)
        // The macOS front end clears the result of an add before anything else (Semantics, "Keys that the macOS front
        // end removes").
        if case .add = operation, context.client.profile == .macOS { result?.pointee = nil }
        do throws(KeychainError) {
            // Apart, for nothing is called on the right of an assignment that does not happen.
            let object = try object(operation, in: context)
            result?.pointee = object
            return errSecSuccess
        } catch {
            return error.status.rawValue
        }
    }

    /// Makes a request, and objects of its answer; logs why it failed.
    @discardableResult
    static func object(
        _ operation: KeychainRequest.Operation,
        in context: KeychainContext
    ) throws(KeychainError) -> CFTypeRef? {
        let contexts = operation.authenticationContexts.map { ($0.identifier, ClientContext.existing($0.identifier)) }
        for (_, live) in contexts { live?.recordUse(with: context.backend) }
        defer {
            // Keys in the result use it. If the program has released it, nothing else would report that.
            for (identifier, live) in contexts where live == nil { context.backend.authentication.release(identifier) }
            withExtendedLifetime(contexts) {}
        }
        do throws(KeychainError) {
            guard !KeychainTracing.isWanted else { return try CallTrace.perform(operation, in: context).object }
            return try context.backend.perform(KeychainRequest(operation, client: context.client)).object
        } catch {
            log(error, operation)
            SettingHint.printHint(for: error, operation, context.client)
            throw error
        }
    }

    private static let logger = Logger(label: "swift-keychain")

    /// An error that affects the whole keychain is logged as a warning; a failed query at debug level.
    private static func log(_ error: KeychainError, _ operation: KeychainRequest.Operation) {
        let level: Logger.Level = error.isAboutTheStore ? .warning : .debug
        logger.log(level: level, "\(operation.functionName): \(error)")
    }
}

extension KeychainError {
    /// Whether the store as a whole cannot be used, or an item in it is damaged.
    fileprivate var isAboutTheStore: Bool {
        switch kind {
        case .storage, .keys: [.notAvailable, .readOnly, .io, .decode].contains(status)
        case .foreignOwner: true
        // It is owned by a daemon that is not running.
        case .service(let failure): [.missing, .moved, .notInstalled, .gone].contains(failure)
        case .request, .device, .authentication, .lostIdentity, .unavailable, .transport: false
        }
    }
}
