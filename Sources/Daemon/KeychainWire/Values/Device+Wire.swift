// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Accessibility: WireRawValue {}

extension AccessControl: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: protection, constraints?.flags.rawValue, enrolledSet)
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
        try writer.write(values: lockState, hasPasscode, failedAttempts, secondsUntilNextAttempt, policy)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            lockState: reader.value(),
            hasPasscode: reader.value(),
            failedAttempts: reader.value(),
            secondsUntilNextAttempt: reader.value(),
            policy: reader.value()
        )
    }
}

extension DevicePolicy: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: autoLockAfterSeconds, eraseAfterFailedAttempts)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(autoLockAfterSeconds: reader.value(), eraseAfterFailedAttempts: reader.value())
    }
}

extension DeviceSummary: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: exists, hasPasscode, recoveryKeyDate, itemCount, hasRootKey)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            exists: reader.value(),
            hasPasscode: reader.value(),
            recoveryKeyDate: reader.value(),
            itemCount: reader.value(),
            hasRootKey: reader.value()
        )
    }
}

extension RecoveryKey: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try bytes.write(to: &writer) }

    init(from reader: inout WireReader) throws(WireError) {
        guard let key = RecoveryKey(try reader.value()) else { throw .invalidValue }
        self = key
    }
}

// MARK: - Enclave

extension EnclaveAlgorithm: WireRawValue {}

extension KeyEnclaveKind: WireRawValue {}

extension EnclaveKey: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: algorithm, publicKey, accessControl, sealed)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            algorithm: reader.value(),
            publicKey: reader.value(),
            accessControl: reader.value(),
            sealed: reader.value()
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
        case 1: self = try .sign(digest: reader.value())
        case 2: self = try .agree(publicKey: reader.value())
        case 3: self = try .decapsulate(reader.value())
        case 4: self = try .signMessage(reader.value(), context: reader.value())
        default: throw .unknownCase
        }
    }
}

// MARK: - Authentication

extension AuthenticationPolicy: WireRawValue {}

extension Biometry.Kind: WireRawValue {}

extension Biometry: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: kind, enrolledSet, isLockedOut)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(reader.value(), enrolledSet: reader.value(), isLockedOut: reader.value())
    }
}

extension AuthenticationContext: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: identifier, settings, applicationPassword, isInvalid)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            identifier: reader.value(),
            settings: reader.value(),
            applicationPassword: reader.value(),
            isInvalid: reader.value()
        )
    }
}

extension AuthenticationContext.Settings: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: interactionNotAllowed, localizedReason, localizedFallbackTitle, localizedCancelTitle)
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
        case 2: self = try .biometry(enrolledSet: reader.value())
        default: throw .unknownCase
        }
    }
}

extension AuthenticationContext.Status: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: shown, hasApplicationPassword)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(shown: reader.value(), hasApplicationPassword: reader.value())
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
        case 1: self = try .secret(reader.value())
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
