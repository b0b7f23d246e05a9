// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Accessibility: WireRawValue {}

extension AccessControl: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try protection.write(to: &writer)
        try (constraints?.flags.rawValue).write(to: &writer)
        try enrolledSet.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let protection = try reader.value(Accessibility.self)
        if let flags = try reader.value(UInt64?.self) {
            guard let constraints = AccessConstraints(AccessControlFlags(rawValue: flags)) else { throw .invalidValue }
            self.init(protection: protection, constraints: constraints)
        } else {
            self.init(synthesizedFor: protection)
        }
        enrolledSet = try reader.value()
    }
}

extension LockState: WireRawValue {}

extension DeviceStatus: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try lockState.write(to: &writer)
        try hasPasscode.write(to: &writer)
        try failedAttempts.write(to: &writer)
        try secondsUntilNextAttempt.write(to: &writer)
        try policy.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            lockState: try reader.value(),
            hasPasscode: try reader.value(),
            failedAttempts: try reader.value(),
            secondsUntilNextAttempt: try reader.value(),
            policy: try reader.value()
        )
    }
}

extension DevicePolicy: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try autoLockAfterSeconds.write(to: &writer)
        try eraseAfterFailedAttempts.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(autoLockAfterSeconds: try reader.value(), eraseAfterFailedAttempts: try reader.value())
    }
}

// MARK: - Enclave

extension EnclaveAlgorithm: WireRawValue {}

extension KeyEnclaveKind: WireRawValue {}

extension EnclaveKey: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try algorithm.write(to: &writer)
        try publicKey.write(to: &writer)
        try accessControl.write(to: &writer)
        try sealed.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            algorithm: try reader.value(),
            publicKey: try reader.value(),
            accessControl: try reader.value(),
            sealed: try reader.value()
        )
    }
}

extension EnclaveOperation: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .sign(let digest): try writer.write(case: 1, digest)
        case .agree(let publicKey): try writer.write(case: 2, publicKey)
        case .decapsulate(let encapsulated): try writer.write(case: 3, encapsulated)
        case .signMessage(let message, let context): try writer.write(case: 4, message, context)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .sign(digest: try reader.value())
        case 2: self = .agree(publicKey: try reader.value())
        case 3: self = .decapsulate(try reader.value())
        case 4: self = .signMessage(try reader.value(), context: try reader.value())
        default: throw .unknownCase
        }
    }
}

// MARK: - Authentication

extension AuthenticationPolicy: WireRawValue {}

extension Biometry.Kind: WireRawValue {}

extension Biometry: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try kind.write(to: &writer)
        try enrolledSet.write(to: &writer)
        try isLockedOut.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.value(), enrolledSet: try reader.value(), isLockedOut: try reader.value())
    }
}

extension AuthenticationContext: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try identifier.write(to: &writer)
        try settings.write(to: &writer)
        try applicationPassword.write(to: &writer)
        try isInvalid.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            identifier: try reader.value(),
            settings: try reader.value(),
            applicationPassword: try reader.value(),
            isInvalid: try reader.value()
        )
    }
}

extension AuthenticationContext.Settings: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try interactionNotAllowed.write(to: &writer)
        try localizedReason.write(to: &writer)
        try localizedFallbackTitle.write(to: &writer)
        try localizedCancelTitle.write(to: &writer)
        try reuseDurationSeconds.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        interactionNotAllowed = try reader.value()
        localizedReason = try reader.value()
        localizedFallbackTitle = try reader.value()
        localizedCancelTitle = try reader.value()
        reuseDurationSeconds = try reader.value()
    }
}

extension AuthenticationContext.Factor: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .passcode: try writer.write(case: 1)
        case .biometry(let enrolledSet): try writer.write(case: 2, enrolledSet)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .passcode
        case 2: self = .biometry(enrolledSet: try reader.value())
        default: throw .unknownCase
        }
    }
}

extension AuthenticationContext.Status: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try shown.write(to: &writer)
        try hasApplicationPassword.write(to: &writer)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(shown: try reader.value(), hasApplicationPassword: try reader.value())
    }
}

extension AuthenticationPrompt.Kind: WireRawValue {}

extension AuthenticationReply: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .secret(let secret): try writer.write(case: 1, secret)
        case .recognized: try writer.write(case: 2)
        case .notRecognized: try writer.write(case: 3)
        case .fallback: try writer.write(case: 4)
        case .cancelled: try writer.write(case: 5)
        case .ended: try writer.write(case: 6)
        case .unavailable: try writer.write(case: 7)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .secret(try reader.value())
        case 2: self = .recognized
        case 3: self = .notRecognized
        case 4: self = .fallback
        case 5: self = .cancelled
        case 6: self = .ended
        case 7: self = .unavailable
        default: throw .unknownCase
        }
    }
}
