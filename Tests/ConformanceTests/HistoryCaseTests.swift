// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import KeychainCore
import KeychainSimulation
import Testing

/// Former values, by a table that each kind of keychain is run against: in memory, on a disk, and through a daemon.
struct HistoryCaseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let json: JSONValue
        let subject: Subject

        var testDescription: String { "\(json["title"].string ?? "") (\(subject.rawValue))" }

        static let all: [Row] = {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            let path = folder.appendingPathComponent("Cases/Histories/history.jsonl").path
            let lines = (FileManager.default.contents(atPath: path) ?? Data()).split(separator: 0x0A)
            precondition(!lines.isEmpty, "there are no cases in \(path)")
            return lines.flatMap { line in
                guard let json = try? JSONParser.parse(line, limitsMarks: false) else {
                    preconditionFailure("a line of \(path) is not JSON")
                }
                return Subject.allCases.map { Row(json: json, subject: $0) }
            }
        }()
    }

    @Test("former values are kept, listed and restored as the table says", arguments: Row.all)
    func table(_ row: Row) throws {
        let device = try row.subject.device { $0.reached }
        let keychain = HistoryClient(device)
        for step in try #require(row.json["steps"].elements) {
            let words = try #require(step.elements)
            let (name, subject) = (words[0].string ?? "", words[1].string ?? "")
            let expected = words[words.count - 1]
            do throws(KeychainError) {
                if name == "former" {
                    let found = try keychain.former(subject)
                    #expect(found == expected.elements?.map { $0.string ?? "" }, "\(words)")
                } else {
                    let found = try keychain.perform(name, subject, with: words[2].string ?? "")
                    if let found { #expect(found == expected.string, "\(words)") }
                    #expect(expected.string?.hasPrefix("errSec") != true, "\(words)")
                }
            } catch {
                // An unsigned program of a daemon is not the owner.
                let isRefused = name == "keepAll" && [.daemon, .system].contains(row.subject)
                if isRefused, error.status == .missingEntitlement { return }
                let isExpected = expected.string.map { error.status == Self.statuses[$0] } ?? false
                #expect(isExpected, "\(words): \(error)")
            }
        }
    }

    private static let statuses: [String: Status] = [
        "errSecItemNotFound": .itemNotFound, "errSecInteractionNotAllowed": .interactionNotAllowed,
        "errSecParam": .parameter,
    ]
}

/// The steps of the table, as a program makes them.
private struct HistoryClient {
    private let device: VirtualDevice
    private let client = Client(accessGroups: Subject.initialGroups)

    init(_ device: VirtualDevice) { self.device = device }

    private var history: KeychainHistory { KeychainHistory(device.backend, client: client) }

    /// The former values of an item, the one that was replaced last first.
    func former(_ account: String) throws(KeychainError) -> [String] {
        let item = try item(account)
        var found: [String] = []
        for value in try history.values(of: item).values {
            found.append(String(decoding: try history.secret(value, of: item).unprotectedCopy, as: UTF8.self))
        }
        return found
    }

    /// Does something with an item.
    ///
    /// - Returns: Its secret, where that is asked for.
    func perform(_ name: String, _ account: String, with text: String) throws(KeychainError) -> String? {
        let secret = PropertyValue.data(SecretBytes(Array(text.utf8)))
        var query: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
        switch name {
        case "add":
            query[PropertyKey.valueData] = secret
            try call(.add(query))
        case "update": try call(.update(query, attributes: [PropertyKey.valueData: secret]))
        case "delete": try call(.delete(query))
        case "secret":
            query["r_Data"] = .boolean(true)
            guard case .single(.data(let bytes)) = try call(.copyMatching(query)) else { return nil }
            return String(decoding: bytes.unprotectedCopy, as: UTF8.self)
        case "keep": try history.keep(Int(text), of: item(account))
        case "clear": try history.clear(item(account))
        case "keepAll": try history.keepForAll(Int(account) ?? 0)
        case "undo":
            let item = try item(account)
            guard let value = try history.values(of: item).values.first else {
                throw KeychainError(.itemNotFound, "nothing is kept")
            }
            try history.restore(value, of: item)
        case "lock": try device.keychain.device.lock()
        default: try device.keychain.device.unlock(passcode: SecretBytes(Array(VirtualDevice.defaultPasscode.utf8)))
        }
        return nil
    }

    @discardableResult
    private func call(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        try device.backend.perform(KeychainRequest(operation, client: client))
    }

    private func item(_ account: String) throws(KeychainError) -> HistoryRequest.Subject {
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "r_PersistentRef": .boolean(true),
        ]
        guard case .single(.data(let reference)) = try call(.copyMatching(query)),
            let identifier = ItemIdentifier(persistentReference: reference)
        else { throw .unexpectedReply }
        return HistoryRequest.Subject(.genericPassword, identifier)
    }
}
