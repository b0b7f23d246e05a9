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
        let contexts = operation.authenticationContexts.map { ($0.identifier, ClientContext.live($0.identifier)) }
        for (_, live) in contexts { live?.noteUse(with: context.backend) }
        defer {
            // Keys of the answer look for it. One that the program let go of has nobody else who says that it is gone.
            for (identifier, live) in contexts where live == nil { context.backend.authentication.release(identifier) }
            withExtendedLifetime(contexts) {}
        }
        do throws(KeychainError) {
            guard !KeychainTracing.isWanted else { return try CallTrace.perform(operation, in: context).object }
            return try context.backend.perform(KeychainRequest(operation, client: context.client)).object
        } catch {
            log(error, operation)
            SettingHint.tell(of: error, operation, context.client)
            throw error
        }
    }

    private static let logger = Logger(label: "swift-keychain")

    /// What keeps the whole keychain from working is worth a warning; a query's own failure is for debugging.
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
        // A daemon owns it that is not there.
        case .service(let failure): [.missing, .moved, .notInstalled, .gone].contains(failure)
        case .request, .device, .authentication, .lostIdentity, .unavailable, .transport: false
        }
    }
}
