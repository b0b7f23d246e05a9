// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import Synchronization
import Testing

/// A row of a table in `Cases`: what a caller sends to its helper one call after the other, and what it gets.
struct HelperCase: CustomTestStringConvertible, Sendable {
    let name: HelperName
    let title: String
    let steps: [JSONValue]

    var testDescription: String { "\(name.word): \(title)" }

    static let all = HelperName.allCases.flatMap(table)

    private static func table(_ name: HelperName) -> [HelperCase] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = folder.appendingPathComponent("Cases/\(name.word).jsonl").path
        let lines = (FileManager.default.contents(atPath: path) ?? Data()).split(separator: 0x0A)
        precondition(!lines.isEmpty, "there are no cases in \(path)")
        return lines.map { line in
            guard let row = try? JSONParser.parse(line, limitsMarks: false), let title = row["title"].string,
                let steps = row["steps"].elements
            else { preconditionFailure("a row of \(path) is none: \(String(decoding: line, as: UTF8.self))") }
            return HelperCase(name: name, title: title, steps: steps)
        }
    }
}

/// A keychain in memory, and a helper called on it.
final class HelperBench: Sendable {
    let keychain: any KeychainBackend
    private let state = Mutex((now: 1_800_000_000, environment: [String: String](), answers: [String]()))

    init(_ keychain: any KeychainBackend = EmbeddedKeychain.inMemory()) { self.keychain = keychain }

    /// What a call left behind.
    struct Outcome: Equatable {
        var status: Int32
        var output: [UInt8]
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    func run(_ name: HelperName, _ arguments: [String], input: [UInt8] = []) -> Outcome {
        let streams = RecordedStreams(input)
        let (now, environment, answers) = state.withLock { $0 }
        let questions = Mutex(answers)
        let authenticator = ScriptedAuthenticator { _ in
            questions.withLock { $0.isEmpty ? .unavailable : .secret(SecretBytes(Array($0.removeFirst().utf8))) }
        }
        authenticator.canAskForSecrets = !answers.isEmpty
        let surroundings = HelperSurroundings(
            keychain: keychain,
            authenticator: authenticator,
            environment: { environment[$0] },
            now: { now },
            streams: streams
        )
        let status = name.run(arguments, surroundings)
        return streams.outcome(status)
    }

    func run(_ name: HelperName, _ arguments: [String], input: String) -> Outcome {
        run(name, arguments, input: Array(input.utf8))
    }

    // MARK: - Steps

    /// Does what a step of a table says.
    func perform(_ step: JSONValue, _ name: HelperName) throws {
        if let now = step["now"].integer { state.withLock { $0.now = now } }
        for (variable, value) in step["environment"].members ?? [:] {
            state.withLock { $0.environment[variable] = value.string }
        }
        if let answers = step["answers"].elements { state.withLock { $0.answers = answers.compactMap(\.string) } }
        if step["lock"].boolean == true { try lock() }
        if let item = step["add"].members { try add(item) }
        if let attributes = step["storeOnBus"].members { try store(attributes, of: step) }
        if let arguments = step["argv"].elements { try call(name, arguments.compactMap(\.string), of: step) }
        if let items = step["items"].elements { try compare(items.compactMap(\.members)) }
    }

    private func call(_ name: HelperName, _ arguments: [String], of step: JSONValue) throws {
        let input = step["hex"].string.map(Self.bytes) ?? Array((step["stdin"].string ?? "").utf8)
        let outcome = run(name, arguments, input: input)
        #expect(outcome.status == Int32(step["exit"].integer ?? 0), "\(step.text)\n\(outcome.errors)")
        #expect(outcome.text == step["stdout"].string ?? "", "\(step.text)\n\(outcome.errors)")
        let errors = step["stderr"].string
        #expect(errors.map(outcome.errors.contains) ?? outcome.errors.isEmpty, "\(step.text)\n\(outcome.errors)")
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        var digits = hex.filter(\.isHexDigit)[...]
        var bytes: [UInt8] = []
        while !digits.isEmpty {
            bytes.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    func lock() throws {
        try keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try keychain.device.lock()
    }

    func add(_ members: [String: JSONValue]) throws {
        var item: PropertyDictionary = [AttributeName.accessGroup.description: .string(Client.commonGroup)]
        for (key, value) in members {
            switch (key, value) {
            case ("secret", .string(let text)): item[PropertyKey.valueData] = .data(SecretBytes(Array(text.utf8)))
            case ("secretHex", .string(let hex)): item[PropertyKey.valueData] = .data(SecretBytes(Self.bytes(hex)))
            case (_, .string(let text)): item[key] = .string(text)
            case (_, .integer(let number)): item[key] = .number(.integer(Int64(number)))
            default: Issue.record("a step adds \(value.text)")
            }
        }
        _ = try keychain.perform(KeychainRequest(.add(item), client: .person))
    }

    /// Stores an item as a program of the Secret Service does.
    private func store(_ attributes: [String: JSONValue], of step: JSONValue) throws {
        let pairs = attributes.map { LookupAttributes.Pair($0.key, $0.value.string ?? "") }
        let contents = LookupContents(
            attributes: try LookupAttributes(pairs),
            label: step["label"].string ?? "",
            secret: SecretBytes(Array((step["secret"].string ?? "").utf8)),
            contentType: "text/plain"
        )
        let client = Client(accessGroups: [Client.commonGroup])
        _ = try keychain.perform(.lookup(LookupRequest(.store(contents, replacing: true), client: client)))
    }

    /// Compares all the passwords with those that are expected, in any order.
    private func compare(_ expected: [[String: JSONValue]]) throws {
        var found = try items()
        #expect(found.count == expected.count, "\(found)")
        for item in expected {
            let place = found.firstIndex { found in item.allSatisfy { found[$0.key] ?? "" == Self.text($0.value) } }
            guard let place else {
                Issue.record("there is no \(JSONValue.object(item).text) among \(found)")
                continue
            }
            found.remove(at: place)
        }
    }

    func items() throws -> [[String: String]] {
        try ["inet", "genp"].flatMap { itemClass in
            let query: PropertyDictionary = [
                PropertyKey.itemClass: .string(itemClass), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
                PropertyKey.returnAttributes: .boolean(true), PropertyKey.returnData: .boolean(true),
            ]
            return try KeychainAnswer.values { () throws(KeychainError) in
                try keychain.perform(KeychainRequest(.copyMatching(query), client: .person))
            }.compactMap { value -> [String: String]? in
                guard case .dictionary(let attributes) = value else { return nil }
                var item = ["class": itemClass]
                for (key, value) in attributes {
                    item[key == PropertyKey.valueData ? "secret" : key] = Self.text(value)
                }
                return item
            }
        }
    }

    private static func text(_ value: JSONValue) -> String { value.string ?? value.text }

    private static func text(_ value: PropertyValue) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.exactInteger.map { $0 == 0 ? "" : "\($0)" }
        case .data(let bytes): String(decoding: bytes.unprotectedCopy, as: UTF8.self)
        default: nil
        }
    }
}

/// Streams that are known before, and kept.
final class RecordedStreams: HelperStreams {
    private let state: Mutex<(input: [UInt8], output: [UInt8], errors: String)>

    init(_ input: [UInt8]) { state = Mutex((input, [], "")) }

    func readAll() throws(HelperFailure) -> SecretBytes {
        state.withLock { state in
            defer { state.input = [] }
            return SecretBytes(state.input)
        }
    }

    func readLine() throws(HelperFailure) -> SecretBytes? {
        state.withLock { state in
            guard !state.input.isEmpty else { return nil }
            let end = state.input.firstIndex(of: 0x0A) ?? state.input.endIndex
            defer { state.input.removeFirst(min(end + 1, state.input.count)) }
            return SecretBytes(Array(state.input[..<end]))
        }
    }

    func write(_ bytes: SecretBytes) { state.withLock { $0.output += bytes.unprotectedCopy } }

    func remark(_ line: String) { state.withLock { $0.errors += "\(line)\n" } }

    func outcome(_ status: Int32) -> HelperBench.Outcome {
        state.withLock { HelperBench.Outcome(status: status, output: $0.output, errors: $0.errors) }
    }
}
