// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The keychain of a device as an app reaches it: each call is noted, and meets the faults of the test.
struct AppKeychain: KeychainBackend {
    let app: App

    var identity: ObjectIdentifier { ObjectIdentifier(app) }

    func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request):
            let (operation, query, attributes) = request.operation.parts
            return try perform(command, as: operation, RedactedValues.of(query), RedactedValues.of(attributes))
        case .itemsExplained(let request):
            let (operation, query, attributes) = request.call.operation.parts
            return try perform(command, as: operation, RedactedValues.of(query), RedactedValues.of(attributes))
        case .enclave(.makeKey(let algorithm, let accessControl, _)):
            let query = ["algorithm": "\(algorithm)", "pdmn": accessControl.protection.rawValue]
            return try perform(command, as: .makeEnclaveKey, query)
        case .enclave(.use(let operation, _, _)):
            return try perform(command, as: .useEnclaveKey, ["use": operation.name])
        case .authentication(.invalidate), .authentication(.release), .authentication(.forgetPassword):
            // Nothing that runs as the app: the end of an object, perhaps after the app was removed.
            return try app.device.backend.perform(command)
        case .enclave(.kind), .enclave(.key), .authentication, .device, .maintenance, .explain:
            return try backend.perform(command)
        }
    }

    /// What serves the app now: nothing, once it is uninstalled.
    private var backend: any KeychainBackend {
        guard let reason = app.checkInstallation() else { return app.device.backend }
        return UnavailableKeychain(reason: reason)
    }

    /// Carries out one call under the eyes of the test.
    private func perform(
        _ command: KeychainCommand,
        as operation: KeychainCall.Operation,
        _ query: [String: String],
        _ attributes: [String: String] = [:]
    ) throws(KeychainError) -> KeychainReply {
        let device = app.device
        let identifier = app.entitlements.applicationIdentifier
        let call = device.calls.begin(operation, by: identifier, query: query, attributes: attributes)
        let fault = device.faults.effect(on: call, device.clock)
        var isInjected = false
        do throws(KeychainError) {
            var reply = KeychainReply.done
            if fault?.moment != .beforeEffect { reply = try backend.perform(command) }
            if let fault {
                isInjected = true
                throw fault.error
            }
            device.calls.end(call, reply.failure, isInjected: false)
            return reply
        } catch {
            device.calls.end(call, error, isInjected: isInjected)
            throw error
        }
    }
}

extension KeychainReply {
    /// What a call failed with that was explained.
    fileprivate var failure: KeychainError? {
        guard case .explained(let outcome) = self, case .failure(let error) = outcome.result else { return nil }
        return error
    }
}

extension KeychainRequest.Operation {
    fileprivate var parts: (KeychainCall.Operation, query: PropertyDictionary, attributes: PropertyDictionary) {
        switch self {
        case .add(let query): (.add, query, [:])
        case .copyMatching(let query): (.copyMatching, query, [:])
        case .update(let query, let attributes): (.update, query, attributes)
        case .delete(let query): (.delete, query, [:])
        case .set(let query, let attributes, _): (.set, query, attributes)
        }
    }
}

extension EnclaveOperation {
    fileprivate var name: String {
        switch self {
        case .sign: "sign a digest"
        case .agree: "agree on a secret"
        case .decapsulate: "decapsulate"
        case .signMessage: "sign a message"
        }
    }
}
