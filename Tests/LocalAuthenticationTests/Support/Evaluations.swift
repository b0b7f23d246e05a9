// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import LocalAuthentication
import Testing

/// What came of an evaluation.
struct Outcome: Sendable, Equatable {
    var isSuccess: Bool
    var code: LAError.Code?

    static let success = Outcome(isSuccess: true)

    static func failure(_ code: LAError.Code) -> Outcome { Outcome(isSuccess: false, code: code) }

    init(isSuccess: Bool, code: LAError.Code? = nil) {
        self.isSuccess = isSuccess
        self.code = code
    }

    /// The outcome that a reply tells.
    init(_ isSuccess: Bool, _ error: (any Error)?) {
        self.init(isSuccess: isSuccess, code: (error as? LAError)?.code)
        #expect((error == nil) == isSuccess && (code == nil) == isSuccess, "\(isSuccess) \(String(describing: error))")
    }

    /// The outcome of an asynchronous evaluation.
    static func of(_ body: () async throws -> Bool) async -> Outcome {
        do { return Outcome(try await body(), nil) } catch { return Outcome(false, error) }
    }
}

/// The forms in which an evaluation can be started.
enum Form: CaseIterable, Sendable {
    case policy
    case policyAsync
    case accessControl
    case accessControlAsync

    /// Evaluates a policy that asks for the owner, or an access control that asks for a present user.
    ///
    /// Forms with a reply call `afterwards` when the call has returned.
    func evaluate(
        _ context: LAContext,
        reason: String = "a test",
        operation: LAAccessControlOperation = .useItem,
        afterwards: @escaping @Sendable () -> Void = {}
    ) async throws -> Outcome {
        let access = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        )
        switch self {
        case .policy:
            return await withCheckedContinuation { continuation in
                context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) {
                    continuation.resume(returning: Outcome($0, $1))
                }
                afterwards()
            }
        case .policyAsync:
            return await Outcome.of {
                try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason)
            }
        case .accessControl:
            return await withCheckedContinuation { continuation in
                context.evaluateAccessControl(access, operation: operation, localizedReason: reason) {
                    continuation.resume(returning: Outcome($0, $1))
                }
                afterwards()
            }
        case .accessControlAsync:
            return await Outcome.of {
                try await context.evaluateAccessControl(access, operation: operation, localizedReason: reason)
            }
        }
    }
}
