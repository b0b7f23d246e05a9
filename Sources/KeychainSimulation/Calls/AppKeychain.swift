// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The keychain of a device as an app reaches it: each call is noted, and meets the faults of the test.
struct AppKeychain: KeychainBackend {
    let app: App

    func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        let (operation, query, attributes) = request.operation.parts
        return try perform(operation, RedactedValues.of(query), RedactedValues.of(attributes)) {
            (backend) throws(KeychainError) in try backend.perform(request)
        }
    }

    var device: any KeychainDevice { backend.device }

    var authentication: any AuthenticationService { backend.authentication }

    var enclave: any KeyEnclave { AppEnclave(keychain: self) }

    /// What serves the app now: nothing, once it is uninstalled.
    var backend: any KeychainBackend {
        guard let reason = app.checkInstallation() else { return app.device.backend }
        return UnavailableKeychain(reason: reason)
    }

    /// Carries out one call under the eyes of the test.
    func perform<Answer>(
        _ operation: KeychainCall.Operation,
        _ query: [String: String],
        _ attributes: [String: String] = [:],
        _ body: (any KeychainBackend) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let device = app.device
        let identifier = app.entitlements.applicationIdentifier
        let call = device.calls.begin(operation, by: identifier, query: query, attributes: attributes)
        let fault = device.faults.meet(call, device.clock)
        do throws(KeychainError) {
            if let fault, fault.moment == .beforeEffect { throw fault.error }
            let answer = try body(backend)
            if let fault { throw fault.error }
            device.calls.end(call, nil, isInjected: false)
            return answer
        } catch {
            let isInjected = fault.map { $0.error.reason == error.reason } ?? false
            device.calls.end(call, error, isInjected: isInjected)
            throw error
        }
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
