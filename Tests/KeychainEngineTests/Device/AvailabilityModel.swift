// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSimulation
import Testing

/// The states that a device can be in, as the table of Semantics, "Items whose keys are unavailable", tells them apart.
enum DeviceState: String, CaseIterable {
    case noPasscode, beforeFirstUnlock, unlocked, locked

    /// Brings an unlocked device with a passcode into the state.
    func enter(_ device: VirtualDevice) throws {
        switch self {
        case .noPasscode: try device.removePasscode()
        case .beforeFirstUnlock: device.reboot()
        case .unlocked: break
        case .locked: try device.lock()
        }
    }

    /// Leaves the state for one in which everything can be read that is there.
    func leave(_ device: VirtualDevice) throws {
        if self != .noPasscode { try device.unlock() }
    }
}

/// What becomes of items of a level in a state: the tables of Semantics, "Protection levels" and
/// "Passcode", written down once more.
enum ModelAvailability: Character {
    case readable = "+"
    case locked = "-"
    case destroyed = "x"

    init(_ level: Accessibility, _ state: DeviceState) {
        let row =
            switch level {
            case .always, .alwaysThisDeviceOnly: "++++"
            case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: "+-++"
            case .whenUnlocked, .whenUnlockedThisDeviceOnly: "+-+-"
            case .whenPasscodeSetThisDeviceOnly: "x-+-"
            default: ""
            }
        let column = DeviceState.allCases.firstIndex(of: state).map { row.index(row.startIndex, offsetBy: $0) }
        self = column.flatMap { ModelAvailability(rawValue: row[$0]) } ?? .destroyed
    }

    /// What storing something under the level answers.
    var storing: Status? {
        switch self {
        case .readable: nil
        case .locked: .interactionNotAllowed
        case .destroyed: .notAvailable
        }
    }
}

/// An item as the model remembers it.
struct ModelItem: Hashable {
    var account: String
    var level: Accessibility
    var secret = "old secret"
    var label = "old label"
}

/// The items of one service, and what table 7.2 says of the operations on all of them.
struct Model {
    let state: DeviceState
    private(set) var items: [ModelItem]
    /// Whether rows are left of items that went with the passcode: a delete takes them, nothing else sees them.
    private var hasRemains: Bool

    /// Items that were added, in this order, before the device came into the state.
    init(_ items: [ModelItem], _ state: DeviceState) {
        self.state = state
        self.items = items.filter { ModelAvailability($0.level, state) != .destroyed }
        hasRemains = self.items.count < items.count
    }

    /// What a read answers: `nil` for success.
    func reading(limit: Int) -> Status? {
        if items.isEmpty { return .itemNotFound }
        return items.prefix(limit).allSatisfy(isReadable) ? nil : .interactionNotAllowed
    }

    /// What an update answers; all or nothing.
    mutating func update(_ change: ModelChange) -> Status? {
        if let status = reading(limit: .max) { return status }
        if case .level(let level) = change, let status = ModelAvailability(level, state).storing { return status }
        for index in items.indices { change.apply(to: &items[index]) }
        return nil
    }

    /// What a delete answers; no key is needed.
    mutating func delete() -> Status? {
        defer {
            items = []
            hasRemains = false
        }
        return items.isEmpty && !hasRemains ? .itemNotFound : nil
    }

    /// What an add of one more item answers.
    mutating func add(_ item: ModelItem) -> Status? {
        if let status = ModelAvailability(item.level, state).storing { return status }
        items.append(item)
        return nil
    }

    private func isReadable(_ item: ModelItem) -> Bool { ModelAvailability(item.level, state) == .readable }
}

/// What an update changes.
enum ModelChange: Hashable {
    case secret, label
    case level(Accessibility)

    static let all: [ModelChange] = [.secret, .label] + Accessibility.stored.map(ModelChange.level)

    func apply(to item: inout ModelItem) {
        switch self {
        case .secret: item.secret = "new secret"
        case .label: item.label = "new label"
        case .level(let level): item.level = level
        }
    }

    var attributes: PropertyDictionary {
        switch self {
        case .secret: ["v_Data": .data(SecretBytes(Array("new secret".utf8)))]
        case .label: ["labl": .string("new label")]
        case .level(let level): ["pdmn": .string(level.rawValue)]
        }
    }
}
