// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension KeychainError: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: status, kind, reason, subject, facts)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let status = try reader.value(Status.self)
        let kind = try reader.value(Kind.self)
        try self.init(status, reader.value(), kind: kind, subject: reader.value(), facts: reader.value())
    }
}

extension Status: WireRawValue {}

extension KeychainError.Kind: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .request: try writer.write(case: 1)
        case .device(let error): try writer.write(case: 2, error)
        case .authentication(let failure): try writer.write(case: 3, failure)
        case .storage(let failure): try writer.write(case: 4, failure)
        case .keys(let failure): try writer.write(case: 5, failure)
        case .unavailable: try writer.write(case: 6)
        case .transport: try writer.write(case: 7)
        case .foreignOwner(let owner): try writer.write(case: 8, owner)
        case .lostIdentity: try writer.write(case: 9)
        case .service(let failure): try writer.write(case: 10, failure)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .request
        case 2: self = try .device(reader.value())
        case 3: self = try .authentication(reader.value())
        case 4: self = try .storage(reader.value())
        case 5: self = try .keys(reader.value())
        case 6: self = .unavailable
        case 7: self = .transport
        case 8: self = try .foreignOwner(reader.value())
        case 9: self = .lostIdentity
        case 10: self = try .service(reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeychainError.StorageFailure: WireRawValue {}

extension KeychainError.KeyFailure: WireRawValue {}

extension KeychainError.ServiceFailure: WireRawValue {}

extension StoreOwner: WireRawValue {}

extension AuthenticationFailure: WireRawValue {}

extension DeviceError: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .noPasscode: try writer.write(case: 1)
        case .passcodeAlreadySet: try writer.write(case: 2)
        case .emptyPasscode: try writer.write(case: 3)
        case .wrongPasscode(let attempts, let seconds): try writer.write(case: 4, attempts, seconds)
        case .attemptTooSoon(let seconds): try writer.write(case: 5, seconds)
        case .erased: try writer.write(case: 6)
        case .locked: try writer.write(case: 7)
        case .unusablePolicy: try writer.write(case: 8)
        case .noRecoveryKey: try writer.write(case: 9)
        case .wrongRecoveryKey: try writer.write(case: 10)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .noPasscode
        case 2: self = .passcodeAlreadySet
        case 3: self = .emptyPasscode
        case 4: self = try .wrongPasscode(failedAttempts: reader.value(), secondsUntilNextAttempt: reader.value())
        case 5: self = try .attemptTooSoon(secondsUntilNextAttempt: reader.value())
        case 6: self = .erased
        case 7: self = .locked
        case 8: self = .unusablePolicy
        case 9: self = .noRecoveryKey
        case 10: self = .wrongRecoveryKey
        default: throw .unknownCase
        }
    }
}
