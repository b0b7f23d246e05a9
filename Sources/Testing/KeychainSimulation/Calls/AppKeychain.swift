// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainDoctor

/// The keychain of a device as an app reaches it: each call is logged and subject to the test's faults.
struct AppKeychain: KeychainBackend {
    let app: App

    var identity: ObjectIdentifier { ObjectIdentifier(app) }

    var families: CommandFamily { app.device.backend.families }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request):
            let (operation, query, attributes) = request.operation.parts
            return try perform(
                .itemsExplained(ExplanationRequest(request, Self.options)),
                as: operation,
                query: RedactedValues.of(query),
                attributes: RedactedValues.of(attributes),
                request: request
            )
        case .itemsExplained(let request):
            let (operation, query, attributes) = request.call.operation.parts
            return try perform(
                command,
                as: operation,
                query: RedactedValues.of(query),
                attributes: RedactedValues.of(attributes)
            )
        case .enclave(.makeKey(let algorithm, let accessControl, _)):
            let query = ["algorithm": "\(algorithm)", "pdmn": accessControl.protection.rawValue]
            return try perform(command, as: .makeEnclaveKey, query: query)
        case .enclave(.use(let operation, _, _)):
            return try perform(command, as: .useEnclaveKey, query: ["use": operation.name])
        case _ where command.has(.endsContext):
            // Not a call of the app: an object is deallocated, possibly after the app was removed.
            return try app.device.backend.perform(command)
        // Neither logged nor subject to faults.
        case .explain, .device, .authentication, .enclave(.kind), .enclave(.key), .maintenance, .files, .lookup,
            .history:
            return try backend.perform(command)
        }
    }

    /// Explains failed calls, with the view of the device's owner.
    private static let options = ExplanationOptions(scope: .owner, itemLimit: 50, explainsSuccess: false)

    /// The keychain that serves the app; none after it was uninstalled.
    private var backend: any KeychainBackend {
        guard let reason = app.checkInstallation() else { return app.device.backend }
        return UnavailableKeychain(reason: reason)
    }

    /// Performs one call with logging and faults; a call of an item function passed as well is explained if it fails.
    private func perform(
        _ command: KeychainCommand,
        as operation: KeychainCall.Operation,
        query: [String: String],
        attributes: [String: String] = [:],
        request: KeychainRequest? = nil
    ) throws(KeychainError) -> KeychainReply {
        let device = app.device
        let identifier = app.entitlements.applicationIdentifier
        let call = device.calls.begin(operation, by: identifier, query: query, attributes: attributes)
        let fault = device.faults.effect(on: call, device.clock)
        var isInjected = false
        do throws(KeychainError) {
            var reply = KeychainReply.done
            if fault?.moment != .beforeEffect {
                reply = try backend.perform(command)
                if let request { reply = try answer(reply, to: request, for: call) }
            }
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

    /// The answer to a call that is explained if it fails.
    private func answer(
        _ reply: KeychainReply,
        to request: KeychainRequest,
        for call: KeychainCall
    ) throws(KeychainError) -> KeychainReply {
        guard case .explained(let outcome) = reply else { throw .unexpectedReply }
        let status: Status
        switch outcome.result {
        case .success: status = .success
        case .failure(let error): status = error.status
        }
        let device = app.device
        if status != .success, let explanation = outcome.explanation {
            let failure = FailedCall(
                request,
                explanation: explanation,
                status: status,
                by: call.app,
                on: device.platform,
                after: device.calls.history,
                beside: device.macKeychains?.known(for: request.operation.function) ?? .unknown
            ) { try? device.backend.explain(ExplanationRequest($0, Self.options)) }
            device.calls.record(failure, of: call)
        }
        device.calls.record(
            .call(CallHistory.RecordedCall(request.withoutSecrets, client: call.app, status: status))
        )
        return .answer(try outcome.result.get())
    }
}

extension KeychainReply {
    /// The error of a call that was explained.
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
