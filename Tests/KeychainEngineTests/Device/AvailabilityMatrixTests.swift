// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainSimulation
import Testing

/// The table of Semantics, "Items whose keys are unavailable", for every operation, level and state, in memory and on
/// disk, for one and many matches.
struct AvailabilityMatrixTests {
    /// One device, and the items that each operation is tried on.
    struct Row: CustomTestStringConvertible {
        var level: Accessibility
        var state: DeviceState
        /// The levels of the items that match, in the order in which they are added.
        var matches: Matches
        var storage: VirtualDevice.Storage

        var testDescription: String { "\(level.rawValue), \(state), \(matches), \(storage)" }

        static var all: [Row] {
            VirtualDevice.Storage.allCases.flatMap { storage in
                Accessibility.stored.flatMap { level in
                    DeviceState.allCases.flatMap { state in
                        Matches.allCases.map { Row(level: level, state: state, matches: $0, storage: storage) }
                    }
                }
            }
        }

        /// A device in the state, with the items under each of some services.
        func device(services: [String]) throws -> VirtualDevice {
            let device = try VirtualDevice(storage: storage)
            for service in services { try device.add(items, service: service) }
            try state.enter(device)
            return device
        }

        /// The items of an operation's own service.
        var items: [ModelItem] {
            let item = ModelItem(account: "of the level", level: level)
            let always = ModelItem(account: "always", level: .always)
            return switch matches {
            case .one: [item]
            case .lockedFirst: [item, always]
            case .lockedLast: [always, item]
            }
        }
    }

    /// How many items match, and where among them that of the level lies.
    enum Matches: CaseIterable {
        case one, lockedFirst, lockedLast
    }

    @Test("a read answers by table 7.2, whatever it asks for", arguments: Row.all)
    func reading(_ row: Row) throws {
        let device = try row.device(services: ["read"])
        let model = Model(row.items, row.state)
        for flags in Self.returnFlags {
            for limit in [1, 2, Int.max] {
                let question = "\(flags), limit \(limit)"
                #expect(
                    device.read("read", flags: flags, limit: limit) == Self.expected(model, flags: flags, limit: limit),
                    "\(question)"
                )
                #expect(device.read("nothing", flags: flags, limit: limit) == .failed(.itemNotFound), "\(question)")
            }
        }
        try row.state.leave(device)
        #expect(device.items("read") == Set(model.items))
    }

    @Test("an update answers by table 7.2, and changes all matches or none", arguments: Row.all)
    func updating(_ row: Row) throws {
        let device = try row.device(services: ModelChange.all.map { "\($0)" })
        var models: [ModelChange: Model] = [:]
        for change in ModelChange.all {
            var model = Model(row.items, row.state)
            #expect(device.update("\(change)", change.attributes) == model.update(change), "\(change)")
            models[change] = model
        }
        try row.state.leave(device)
        for (change, model) in models { #expect(device.items("\(change)") == Set(model.items), "\(change)") }
    }

    @Test("an add answers by table 7.2, beside items that are there", arguments: Row.all)
    func adding(_ row: Row) throws {
        let device = try row.device(services: ["add"])
        var model = Model(row.items, row.state)
        let item = ModelItem(account: "one more", level: row.level)
        #expect(device.addStatus(item, service: "add") == model.add(item))
        try row.state.leave(device)
        #expect(device.items("add") == Set(model.items))
    }

    @Test("a delete needs no key", arguments: Row.all)
    func deleting(_ row: Row) throws {
        let device = try row.device(services: ["delete", "kept"])
        var model = Model(row.items, row.state)
        let kept = model.items
        #expect(device.delete("delete") == model.delete())
        #expect(device.delete("delete") == model.delete())
        try row.state.leave(device)
        #expect(device.items("delete") == [])
        #expect(device.items("kept") == Set(kept))
    }

    /// Every set of return flags, the empty one included.
    private static let returnFlags: [Set<String>] = (0..<8).map { bits in
        Set(
            ["r_Data", "r_Attributes", "r_PersistentRef"].enumerated().filter { bits >> $0.offset & 1 == 1 }.map(
                \.element
            )
        )
    }

    /// How many results a read gives; without a return flag it gives none.
    private static func expected(_ model: Model, flags: Set<String>, limit: Int) -> Reading {
        if let status = model.reading(limit: limit) { return .failed(status) }
        return .results(flags.isEmpty ? 0 : min(limit, model.items.count))
    }
}

/// What a read gave.
private enum Reading: Hashable {
    case results(Int)
    case failed(Status)
}

// MARK: - The operations on a service

extension VirtualDevice {
    fileprivate func add(_ items: [ModelItem], service: String) throws {
        for item in items { try #require(addStatus(item, service: service) == nil) }
    }

    fileprivate func addStatus(_ item: ModelItem, service: String) -> Status? {
        let attributes: PropertyDictionary = [
            "class": .string("genp"), "svce": .string(service), "acct": .string(item.account),
            "labl": .string(item.label), "pdmn": .string(item.level.rawValue),
            "v_Data": .data(SecretBytes(Array(item.secret.utf8))),
        ]
        return status(of: .add(attributes))
    }

    fileprivate func update(_ service: String, _ attributes: PropertyDictionary) -> Status? {
        status(of: .update(query(service), attributes: attributes))
    }

    fileprivate func delete(_ service: String) -> Status? { status(of: .delete(query(service))) }

    fileprivate func read(_ service: String, flags: Set<String>, limit: Int) -> Reading {
        var query = query(service)
        for flag in flags { query[flag] = .boolean(true) }
        query["m_Limit"] = limit == .max ? .string("m_LimitAll") : .number(.integer(Int64(limit)))
        do throws(KeychainError) {
            switch try answer(to: .copyMatching(query)) {
            case .nothing: return .results(0)
            case .single: return .results(1)
            case .list(let values): return .results(values.count)
            }
        } catch {
            return .failed(error.status)
        }
    }

    /// Everything that a service has; `nil` when it cannot be read.
    fileprivate func items(_ service: String) -> Set<ModelItem>? {
        var query = query(service)
        for flag in ["r_Data", "r_Attributes"] { query[flag] = .boolean(true) }
        query["m_Limit"] = .string("m_LimitAll")
        do throws(KeychainError) {
            guard case .list(let values) = try answer(to: .copyMatching(query)) else { return nil }
            let items = values.compactMap(ModelItem.init)
            return items.count == values.count ? Set(items) : nil
        } catch {
            return error.status == .itemNotFound ? [] : nil
        }
    }

    private func query(_ service: String) -> PropertyDictionary {
        ["class": .string("genp"), "svce": .string(service)]
    }

    private func answer(to operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        try keychain.perform(KeychainRequest(operation, client: TestStore.client))
    }

    private func status(of operation: KeychainRequest.Operation) -> Status? {
        do throws(KeychainError) {
            _ = try answer(to: operation)
            return nil
        } catch {
            return error.status
        }
    }
}

extension ModelItem {
    /// An item as a read with attributes and data gives it.
    fileprivate init?(_ value: ResultValue) {
        guard case .dictionary(let entries) = value, case .string(let account)? = entries["acct"],
            case .string(let code)? = entries["pdmn"], let level = Accessibility(rawValue: code),
            case .string(let label)? = entries["labl"], case .data(let secret)? = entries["v_Data"]
        else { return nil }
        let text = String(decoding: secret.unprotectedCopy, as: UTF8.self)
        self.init(account: account, level: level, secret: text, label: label)
    }
}
