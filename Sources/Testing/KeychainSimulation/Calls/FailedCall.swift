// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainDoctor

/// The data needed to explain a failed call: the call without its secrets, and the keychain's state before it.
struct FailedCall: Sendable {
    private let call: ExaminedCall
    private let explanation: Explanation

    /// Explanations of earlier look-ups, which show why they did not find the conflicting item.
    private var lookUps: [KeychainRequest: Explanation] = [:]

    /// How many earlier lookups are explained with a failed add: older ones were probably for other items.
    private static let maximumLookUps = 8

    /// Records a failed call.
    ///
    /// - Parameters:
    ///   - request: the call.
    ///   - explanation: the explanation of the call, as of before it.
    ///   - status: the returned status.
    ///   - app: the identifier of the app that made it.
    ///   - platform: the platform of the device.
    ///   - history: the events on the device before the call.
    ///   - fileKeychain: the contents of a Mac's keychain files.
    ///   - explain: explains another call, as of now.
    init(
        _ request: KeychainRequest,
        explanation: Explanation,
        status: Status,
        by app: String,
        on platform: VirtualDevice.Platform,
        after history: CallHistory,
        beside fileKeychain: KnownFileKeychain,
        explain: (KeychainRequest) -> Explanation?
    ) {
        self.explanation = explanation
        var call = ExaminedCall(request.withoutSecrets)
        call.clientName = app
        call.platform = platform.examined
        call.history = history
        call.fileKeychain = fileKeychain
        call.reportedStatus = status
        // The device prompted, and the prompt timed out.
        let isAsking = explanation.authentication.map { $0.obstacle == nil } ?? false
        // Or a keychain file is locked, and the app does not allow prompts.
        let isFileLocked = if case .items(_, isLocked: true) = fileKeychain { call.reachesFile } else { false }
        call.isBackground = status == .interactionNotAllowed && (isAsking || isFileLocked)
        self.call = call
        guard status == .duplicateItem, let holder = explanation.holder else { return }
        for lookUp in call.earlierLookUps(holder.itemClass).prefix(Self.maximumLookUps) {
            lookUps[lookUp.request] = explain(lookUp.request)
        }
    }

    /// The doctor's explanation; `nil` if it would need more than was recorded.
    var report: DoctorReport? {
        try? Doctor.report(call) { (request) throws(KeychainError) in
            if request == call.request { return explanation }
            guard let explanation = lookUps[request] else { throw .unexpectedReply }
            return explanation
        }
    }
}

extension ExaminedCall {
    fileprivate var reachesFile: Bool { KeychainRoute(query, function).reachesFile }
}

extension VirtualDevice.Platform {
    fileprivate var examined: ExaminedCall.Platform {
        switch self {
        case .iOS: .iOS
        case .macOS, .mac: .macOS
        case .simulator: .simulator
        }
    }
}

// MARK: - Secrets

extension KeychainRequest {
    /// The call as it is logged: of secrets only the size.
    var withoutSecrets: KeychainRequest {
        var request = self
        request.operation =
            switch operation {
            case .add(let query): .add(query.withoutSecrets)
            case .copyMatching(let query): .copyMatching(query.withoutSecrets)
            case .update(let query, let attributes):
                .update(query.withoutSecrets, attributes: attributes.withoutSecrets)
            case .delete(let query): .delete(query.withoutSecrets)
            case .set(let query, let attributes, let addition):
                .set(
                    query.withoutSecrets,
                    attributes: attributes.withoutSecrets,
                    addition: addition.withoutSecrets
                )
            }
        return request
    }
}

extension PropertyDictionary {
    fileprivate var withoutSecrets: PropertyDictionary {
        var dictionary = self
        if let value = dictionary[PropertyKey.valueData] { dictionary[PropertyKey.valueData] = value.asSizeOnly }
        if let value = dictionary[PropertyKey.valueReference] {
            dictionary[PropertyKey.valueReference] = value.withoutPrivateKey
        }
        if case .authenticationContext(var context)? = dictionary[PropertyKey.useAuthenticationContext] {
            context.applicationPassword = context.applicationPassword.map { _ in SecretBytes() }
            dictionary[PropertyKey.useAuthenticationContext] = .authenticationContext(context)
        }
        return dictionary
    }
}

extension PropertyValue {
    fileprivate var asSizeOnly: PropertyValue {
        switch self {
        case .data(let bytes): .data(SecretBytes(count: bytes.count) { _ in })
        case .string: .string("")
        default: self
        }
    }

    fileprivate var withoutPrivateKey: PropertyValue {
        switch self {
        case .reference(.key(var key)):
            key.data = nil
            return .reference(.key(key))
        case .reference(.identity(var identity)):
            identity.key.data = nil
            return .reference(.identity(identity))
        default: return self
        }
    }
}
