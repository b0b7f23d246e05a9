// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainSimulation
import PortableSecurity
import Synchronization

/// Calls a subject for a rule, and throws at the first answer that breaks the rule.
struct SecItemBench {
    let subject: any SecItemContractSubject

    /// The device that the subject is called on.
    let device: VirtualDevice

    /// The calls so far, so that a keychain can explain why its answer would have been different.
    private let journal = CallJournal()

    init(subject: any SecItemContractSubject, device: VirtualDevice) {
        self.subject = subject
        self.device = device
    }

    /// Whether the subject has what a rule needs.
    func has(_ requirement: ContractRule.Requirement) -> Bool {
        switch requirement {
        case .concurrency: subject is any ConcurrentContractSubject
        case .iOS: !device.platform.isMac
        case .device: device.platform != .simulator && reachesDevice
        // Only for stores of passwords.
        case .accessGroups, .adding, .listing, .clearing: false
        }
    }

    /// Whether the subject stores in the keychain of the device, which is empty afterwards.
    private var reachesDevice: Bool {
        let probe = Self.plain(Self.password("probe", at: "probe"))
        defer { _ = subject.delete(probe) }
        return subject.add(probe).status == errSecSuccess && device.hasItems
    }

    typealias Attributes = [CFString: Any]

    /// A generic password; additional attributes take precedence.
    static func password(_ account: Any = "ada", at service: String = "mail", more: Attributes = [:]) -> Attributes {
        let attributes: Attributes = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
        ]
        return attributes.merging(more) { _, new in new }
    }

    /// An internet password; additional attributes take precedence.
    static func internetPassword(_ more: Attributes = [:]) -> Attributes {
        let attributes: Attributes = [
            kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.com", kSecAttrAccount: "ada",
            kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPort: 443, kSecAttrPath: "/login",
        ]
        return attributes.merging(more) { _, new in new }
    }

    static var secret: Attributes { [kSecValueData: Data("secret".utf8)] }
    static var otherSecret: Attributes { [kSecValueData: Data("another".utf8)] }

    @discardableResult
    func add(_ attributes: Attributes, _ more: Attributes = [:], gives status: OSStatus = errSecSuccess) throws -> Any?
    {
        let attributes = attributes.merging(more) { _, new in new }
        let answer = subject.add(Self.plain(attributes))
        journal.record { SecItemAdd(Self.plain(attributes) as CFDictionary, nil) }
        try expect(answer.status, is: status, "SecItemAdd(\(Self.text(attributes)))")
        return answer.result
    }

    @discardableResult
    func copy(_ query: Attributes, _ more: Attributes = [:], gives status: OSStatus = errSecSuccess) throws -> Any? {
        let query = query.merging(more) { _, new in new }
        let answer = subject.copyMatching(Self.plain(query))
        journal.record {
            var result: CFTypeRef?
            return SecItemCopyMatching(Self.plain(query) as CFDictionary, &result)
        }
        try expect(answer.status, is: status, "SecItemCopyMatching(\(Self.text(query)))")
        return answer.result
    }

    func update(_ query: Attributes, to attributes: Attributes, gives status: OSStatus = errSecSuccess) throws {
        let got = subject.update(Self.plain(query), Self.plain(attributes))
        journal.record { SecItemUpdate(Self.plain(query) as CFDictionary, Self.plain(attributes) as CFDictionary) }
        try expect(got, is: status, "SecItemUpdate(\(Self.text(query)), \(Self.text(attributes)))")
    }

    func delete(_ query: Attributes, gives status: OSStatus = errSecSuccess) throws {
        let got = subject.delete(Self.plain(query))
        journal.record { SecItemDelete(Self.plain(query) as CFDictionary) }
        try expect(got, is: status, "SecItemDelete(\(Self.text(query)))")
    }

    /// The secret of what a query finds.
    func data(_ query: Attributes) throws -> Data? {
        let query = query.merging([kSecReturnData: true]) { _, new in new }
        let result = try copy(query)
        guard let result else { return nil }
        guard let data = result as? Data else {
            throw mismatch(Self.copying(query), expected: "Data", got: Self.shape(result))
        }
        return data
    }

    /// The attributes of the one item that a query finds.
    func attributes(_ query: Attributes, _ more: Attributes = [:]) throws -> [String: Any] {
        let query = query.merging(more) { _, new in new }.merging([kSecReturnAttributes: true]) { _, new in new }
        let result = try copy(query)
        guard let dictionary = Self.dictionary(result) else {
            throw mismatch(Self.copying(query), expected: "a dictionary of attributes", got: Self.shape(result))
        }
        return dictionary
    }

    /// The attributes of all items that a query finds.
    func list(_ query: Attributes) throws -> [[String: Any]] {
        let query = query.merging([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]) { _, new in new }
        let result = try copy(query)
        guard let array = result as? [Any] else {
            throw mismatch(Self.copying(query), expected: "an array", got: Self.shape(result))
        }
        return array.compactMap(Self.dictionary)
    }

    /// Expects the number of items that a query finds.
    func expect(_ count: Int, matching query: Attributes, because reason: String) throws {
        guard count > 0 else {
            try copy(query, [kSecReturnAttributes: true], gives: errSecItemNotFound)
            return
        }
        let found = try list(query).count
        guard found != count else { return }
        throw mismatch(Self.copying(query), expected: "\(count) items: \(reason)", got: "\(found)")
    }

    /// Expects the secret of what a query finds.
    func expect(_ secret: Data, in query: Attributes, because reason: String) throws {
        guard let found = try data(query) else {
            throw mismatch(Self.copying(query), expected: reason, got: "no data")
        }
        guard found != secret else { return }
        throw mismatch(Self.copying(query), expected: reason, got: "other data (\(found.count) bytes)")
    }

    /// Expects the value of an attribute of the item that a query finds; `name` is the value in a report.
    func expect(_ attribute: CFString, _ value: String, named name: String, in query: Attributes) throws {
        let found = try attributes(query)[attribute as String]
        try expect(found as? String == value, name, got: found, of: Self.copying(query))
    }

    /// Checks an answer that was already received.
    func expect(_ isSo: Bool, _ expected: String, got: @autoclosure () -> Any?, of call: String) throws {
        if !isSo { throw mismatch(call, expected: expected, got: Self.shape(got())) }
    }

    func mismatch(_ call: String, expected: String, got: String) -> ContractMismatch {
        ContractMismatch(call: call, expected: expected, got: got)
    }

    private func expect(_ got: OSStatus, is status: OSStatus, _ call: String) throws {
        guard got != status else { return }
        let isRefusal = status == errSecSuccess
        var consequence: String?
        if isRefusal {
            consequence = ContractMismatch.consequenceOfRefusal
        } else if got != errSecSuccess, (status, got) != (errSecInteractionNotAllowed, errSecItemNotFound) {
            // The rule itself describes success, and an unreadable item that is reported as missing.
            consequence = ContractMismatch.consequenceOfOtherStatus
        }
        throw ContractMismatch(
            call: call,
            expected: Self.name(of: status),
            got: Self.name(of: got),
            explanation: isRefusal ? nil : journal.explanation(of: status, on: device.platform),
            consequence: consequence
        )
    }

    private static func name(of status: OSStatus) -> String { "\(Status(rawValue: status)) (\(status))" }
}

extension SecItemBench {
    /// Adds one item from several threads at the same time.
    func race() throws {
        guard let subject = subject as? any SecItemContractSubject & ConcurrentContractSubject else { return }
        let statuses = Mutex<[OSStatus]>([])
        let app = App.current
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            let item = Self.password(more: [kSecValueData: Data([UInt8(index)])])
            let add = { subject.add(Self.plain(item)).status }
            // The threads of a queue do not inherit the app.
            let status = app.map { $0.run(add) } ?? add()
            statuses.withLock { $0.append(status) }
        }
        let (won, lost) = statuses.withLock { all in
            (all.count { $0 == errSecSuccess }, all.count { $0 == errSecDuplicateItem })
        }
        guard won == 1, lost == 7 else {
            throw mismatch(
                "SecItemAdd of one item by 8 threads",
                expected: "1 success, 7 duplicates",
                got: "\(won) successes, \(lost) duplicates"
            )
        }
        try expect(1, matching: Self.password(), because: "one add won")
    }
}
