// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension KeychainCommand: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .items(let request): try writer.write(case: 1, request)
        case .device(let command): try writer.write(case: 2, command)
        case .authentication(let command): try writer.write(case: 3, command)
        case .enclave(let command): try writer.write(case: 4, command)
        case .maintenance(let command): try writer.write(case: 5, command)
        case .explain(let request): try writer.write(case: 6, request)
        case .itemsExplained(let request): try writer.write(case: 7, request)
        case .files(let command): try writer.write(case: 8, command)
        case .lookup(let request): try writer.write(case: 9, request)
        case .history(let request): try writer.write(case: 10, request)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .items(reader.value())
        case 2: self = try .device(reader.value())
        case 3: self = try .authentication(reader.value())
        case 4: self = try .enclave(reader.value())
        case 5: self = try .maintenance(reader.value())
        case 6: self = try .explain(reader.value())
        case 7: self = try .itemsExplained(reader.value())
        case 8: self = try .files(reader.value())
        case 9: self = try .lookup(reader.value())
        case 10: self = try .history(reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeychainCommand.Device: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .status: try writer.write(case: 1)
        case .lock: try writer.write(case: 2)
        case .lockThisProcess: try writer.write(case: 3)
        case .unlock(let passcode): try writer.write(case: 4, passcode)
        case .setPasscode(let passcode): try writer.write(case: 5, passcode)
        case .changePasscode(let old, let new): try writer.write(case: 6, old, new)
        case .removePasscode(let passcode): try writer.write(case: 7, passcode)
        case .setPolicy(let policy): try writer.write(case: 8, policy)
        case .summary: try writer.write(case: 9)
        case .createRecoveryKey(let key, let passcode): try writer.write(case: 10, key, passcode)
        case .checkRecoveryKey(let key): try writer.write(case: 11, key)
        case .useRecoveryKey(let key, let newPasscode, let newKey):
            try writer.write(case: 12, key, newPasscode, newKey)
        case .removeRecoveryKey(let passcode): try writer.write(case: 13, passcode)
        case .erase: try writer.write(case: 14)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .status
        case 2: self = .lock
        case 3: self = .lockThisProcess
        case 4: self = try .unlock(reader.value())
        case 5: self = try .setPasscode(reader.value())
        case 6: self = try .changePasscode(from: reader.value(), to: reader.value())
        case 7: self = try .removePasscode(reader.value())
        case 8: self = try .setPolicy(reader.value())
        case 9: self = .summary
        case 10: self = try .createRecoveryKey(reader.value(), passcode: reader.value())
        case 11: self = try .checkRecoveryKey(reader.value())
        case 12:
            self = try .useRecoveryKey(
                reader.value(),
                newPasscode: reader.value(),
                newRecoveryKey: reader.value()
            )
        case 13: self = try .removeRecoveryKey(passcode: reader.value())
        case 14: self = .erase
        default: throw .unknownCase
        }
    }
}

extension KeychainCommand.Authentication: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .biometry: try writer.write(case: 1)
        case .check(let policy, let context): try writer.write(case: 2, policy, context)
        case .evaluate(let demand, let reason, let context): try writer.write(case: 3, demand, reason, context)
        case .status(let context): try writer.write(case: 4, context)
        case .forgetPassword(let context): try writer.write(case: 5, context)
        case .invalidate(let context): try writer.write(case: 6, context)
        case .release(let context): try writer.write(case: 7, context)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .biometry
        case 2: self = try .check(reader.value(), reader.value())
        case 3: self = try .evaluate(reader.value(), reason: reader.value(), reader.value())
        case 4: self = try .status(of: reader.value())
        case 5: self = try .forgetPassword(of: reader.value())
        case 6: self = try .invalidate(reader.value())
        case 7: self = try .release(reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeychainCommand.Authentication.Demand: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .policy(let policy): try writer.write(case: 1, policy)
        case .accessControl(let accessControl): try writer.write(case: 2, accessControl)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .policy(reader.value())
        case 2: self = try .accessControl(reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeychainCommand.Enclave: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .kind: try writer.write(case: 1)
        case .makeKey(let algorithm, let accessControl, let context):
            try writer.write(case: 2, algorithm, accessControl, context)
        case .key(let sealed): try writer.write(case: 3, sealed)
        case .use(let operation, let sealed, let context): try writer.write(case: 4, operation, sealed, context)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .kind
        case 2: self = try .makeKey(reader.value(), reader.value(), reader.value())
        case 3: self = try .key(reader.value())
        case 4: self = try .use(reader.value(), reader.value(), reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeychainCommand.Maintenance: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .check: try writer.write(case: 1)
        case .recover: try writer.write(case: 2)
        case .createBackup(let request): try writer.write(case: 15, request)
        case .restoreBackup(let request): try writer.write(case: 16, request)
        case .takeOver: try writer.write(case: 5)
        case .giveBack(let onlyIfEmpty): try writer.write(case: 6, onlyIfEmpty)
        case .move(let step): try writer.write(case: 7, step)
        case .auditLog(let number): try writer.write(case: 8, number)
        case .rootKeyStatus: try writer.write(case: 9)
        case .replaceRootKey(let kind, let passcode): try writer.write(case: 10, kind, passcode)
        case .storeStatus: try writer.write(case: 11)
        case .downgradeStore(let revision): try writer.write(case: 12, revision)
        case .moveGroup(let move): try writer.write(case: 13, move)
        case .setBackupSecret(let secret): try writer.write(case: 17, secret)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = .check
        case 2: self = .recover
        case 5: self = .takeOver
        case 6: self = try .giveBack(onlyIfEmpty: reader.value())
        case 7: self = try .move(reader.value())
        case 8: self = try .auditLog(after: reader.value())
        case 9: self = .rootKeyStatus
        case 10: self = try .replaceRootKey(kind: reader.value(), passcode: reader.value())
        case 11: self = .storeStatus
        case 12: self = try .downgradeStore(revision: reader.value())
        case 13: self = try .moveGroup(reader.value())
        case 15: self = try .createBackup(reader.value())
        case 16: self = try .restoreBackup(reader.value())
        case 17: self = try .setBackupSecret(reader.value())
        default: throw .unknownCase
        }
    }
}

extension KeychainRequest: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: operation, client) }

    init(from reader: inout WireReader) throws(WireError) { try self.init(reader.value(), client: reader.value()) }
}

extension KeychainRequest.Operation: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .add(let dictionary): try writer.write(case: 1, dictionary)
        case .copyMatching(let query): try writer.write(case: 2, query)
        case .update(let query, let attributes): try writer.write(case: 3, query, attributes)
        case .delete(let query): try writer.write(case: 4, query)
        case .set(let query, let attributes, let addition): try writer.write(case: 5, query, attributes, addition)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .add(reader.value())
        case 2: self = try .copyMatching(reader.value())
        case 3: self = try .update(reader.value(), attributes: reader.value())
        case 4: self = try .delete(reader.value())
        case 5: self = try .set(reader.value(), attributes: reader.value(), addition: reader.value())
        default: throw .unknownCase
        }
    }
}

extension Profile: WireRawValue {}

extension Client: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: accessGroups, profile, appClipIdentifier, isNetworkExtension)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            accessGroups: reader.value(),
            profile: reader.value(),
            appClipIdentifier: reader.value(),
            isNetworkExtension: reader.value()
        )
    }
}
