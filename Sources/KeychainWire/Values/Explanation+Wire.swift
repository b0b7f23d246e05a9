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
        self.init(
            scope: try reader.value(),
            itemLimit: try reader.value(),
            comparesEveryItem: try reader.value(),
            lockState: try reader.value(),
            now: try reader.value(),
            explainsSuccess: try reader.value()
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
        self.init(
            function: try reader.value(),
            scope: try reader.value(),
            device: try reader.value(),
            groups: try reader.value(),
            faults: try reader.value(),
            error: try reader.value(),
            authentication: try reader.value(),
            search: try reader.value(),
            additions: try reader.value(),
            update: try reader.value(),
            effect: try reader.value()
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
        self.init(
            check: try reader.value(),
            part: try reader.value(),
            isOfAddition: try reader.value(),
            error: try reader.value()
        )
    }
}

extension ExplainedDevice: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: lockState, hasPasscode, availableLevels, biometry, enforcesAccessControl, now)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            lockState: try reader.value(),
            hasPasscode: try reader.value(),
            availableLevels: try reader.value(),
            biometry: try reader.value(),
            enforcesAccessControl: try reader.value(),
            now: try reader.value()
        )
    }
}

extension ExplainedGroups: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: list, `default`, searched)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(list: try reader.value(), default: try reader.value(), searched: try reader.value())
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
        self.init(
            accessControls: try reader.value(),
            asksForApplicationPassword: try reader.value(),
            asksForNewApplicationPassword: try reader.value(),
            obstacle: try reader.value()
        )
    }
}

// MARK: - Changes

extension ExplainedAddition: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: itemClass, attributes, hasData, holder)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            itemClass: try reader.value(),
            attributes: try reader.value(),
            hasData: try reader.value(),
            holder: try reader.value()
        )
    }
}

extension ExplainedUpdate: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: attributes, setsData, ignored)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(attributes: try reader.value(), setsData: try reader.value(), ignored: try reader.value())
    }
}

extension ExplainedEffect: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        try writer.write(values: count, byClass, items, conflicts)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            count: try reader.value(),
            byClass: try reader.value(),
            items: try reader.value(),
            conflicts: try reader.value()
        )
    }
}

extension ExplainedEffect.Conflict: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) { try writer.write(values: item, holder) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(item: try reader.value(), holder: try reader.value())
    }
}
