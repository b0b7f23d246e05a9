// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension ExplanationRequest: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: call, options) }

    init(from reader: inout WireReader) throws(WireError) { self.init(try reader.value(), try reader.value()) }
}

extension ExplanationOptions: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: scope, itemLimit, comparesEveryItem, lockState, now, explainsSuccess)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            scope: reader.value(),
            itemLimit: reader.value(),
            comparesEveryItem: reader.value(),
            lockState: reader.value(),
            now: reader.value(),
            explainsSuccess: reader.value()
        )
    }
}

extension ExplanationScope: WireRawValue {}

extension ExplainedOutcome: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch result {
        case .success(let answer): try writer.write(case: 1, explanation, answer)
        case .failure(let error): try writer.write(case: 2, explanation, error)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self.init(try reader.value(), .success(try reader.value()))
        case 2: self.init(try reader.value(), .failure(try reader.value()))
        default: throw .unknownCase
        }
    }
}

extension Explanation: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: function, scope, device, groups, faults, error, authentication, search)
        try writer.write(values: additions, update, effect)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            function: reader.value(),
            scope: reader.value(),
            device: reader.value(),
            groups: reader.value(),
            faults: reader.value(),
            error: reader.value(),
            authentication: reader.value(),
            search: reader.value(),
            additions: reader.value(),
            update: reader.value(),
            effect: reader.value()
        )
    }
}

extension ItemFunction: WireRawValue {}

extension RequestCheck: WireRawValue {}

extension RequestPart: WireRawValue {}

extension ExplainedFault: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: check, part, isOfAddition, error)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(check: reader.value(), part: reader.value(), isOfAddition: reader.value(), error: reader.value())
    }
}

extension ExplainedDevice: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: lockState, hasPasscode, availableLevels, biometry, enforcesAccessControl, now)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            lockState: reader.value(),
            hasPasscode: reader.value(),
            availableLevels: reader.value(),
            biometry: reader.value(),
            enforcesAccessControl: reader.value(),
            now: reader.value()
        )
    }
}

extension ExplainedGroups: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: list, `default`, searched) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(list: reader.value(), default: reader.value(), searched: reader.value())
    }
}

extension ExplainedAuthentication: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(
            values: accessControls,
            asksForApplicationPassword,
            asksForNewApplicationPassword,
            obstacle
        )
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            accessControls: reader.value(),
            asksForApplicationPassword: reader.value(),
            asksForNewApplicationPassword: reader.value(),
            obstacle: reader.value()
        )
    }
}

// MARK: - Changes

extension ExplainedAddition: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: itemClass, attributes, hasData, holder)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(
            itemClass: reader.value(),
            attributes: reader.value(),
            hasData: reader.value(),
            holder: reader.value()
        )
    }
}

extension ExplainedUpdate: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: attributes, setsData, ignored)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(attributes: reader.value(), setsData: reader.value(), ignored: reader.value())
    }
}

extension ExplainedEffect: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: count, byClass, items, conflicts)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(count: reader.value(), byClass: reader.value(), items: reader.value(), conflicts: reader.value())
    }
}

extension ExplainedEffect.Conflict: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: item, holder) }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(item: reader.value(), holder: reader.value())
    }
}
