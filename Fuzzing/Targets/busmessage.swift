// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import MessageBus

@testable import KeychainSecretService

/// Messages of a bus whose values are made of bytes, also with other types than they should have: what is read of them
/// are attributes within their limits, and secrets that are coded and decoded again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bus = fuzzBus else { preconditionFailure("there is no connection") }
    var input = Input(bytes: Array(UnsafeBufferPointer(start: start, count: count)))
    let purpose = input.byte()
    do throws(BusError) {
        let message = try bus.methodCall(on: "a.b", at: "/a", interface: "a.b", method: "C")
        for _ in 0..<8 where !input.isAtEnd { try input.append(to: message, depth: 0) }
        try message.seal()
        read(message, purpose)
    } catch {
        // The values are not those of a container.
    }
    return 0
}

/// A connection to nobody, for which messages are made.
///
/// libFuzzer calls a target on one thread only.
nonisolated(unsafe) private let fuzzBus: Bus? = {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
    return try? Bus(taking: ends[0])
}()

private func read(_ message: borrowing BusMessage, _ purpose: UInt8) {
    switch purpose % 7 {
    case 0:
        guard let attributes = try? message.attributes() else { return }
        precondition(attributes.count <= LookupAttributes.maximumCount, "there are too many")
        precondition(attributes.byteCount <= LookupAttributes.maximumByteCount, "they are too long")
        precondition(attributes.satisfy(attributes), "attributes satisfy themselves")
    case 1:
        guard let secret = try? message.secret() else { return }
        let key = SecretCoding.encrypted(SecretBytes(Array(0..<16)))
        _ = try? key.decode(secret.coded)
        guard let coded = try? key.encode(secret.coded.value), let decoded = try? key.decode(coded) else {
            preconditionFailure("a secret is coded")
        }
        precondition(decoded == secret.coded.value, "a secret is decoded as it was")
    case 2: _ = try? message.itemProperties()
    case 3:
        for path in (try? message.objectPaths()) ?? [] {
            guard let object = ObjectPath(path) else { continue }
            precondition(object.text == path, "an object has one path")
        }
    case 4: _ = try? message.variantBytesOrText(atMost: 128)
    case 5: _ = try? message.collectionLabel()
    default: _ = BusCredentials(message)
    }
}

/// Bytes that say what a message has.
private struct Input {
    var bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard !isAtEnd else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func some() -> [UInt8] {
        let count = min(Int(byte()), bytes.count - position)
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func text() -> String { String(decoding: some().map { $0 == 0 ? 1 : $0 }, as: UTF8.self) }

    /// Containers, by their kinds and contents.
    private static let containers: [(Character, String)] = [
        ("a", "{ss}"), ("e", "ss"), ("r", "oayays"), ("a", "{sv}"), ("e", "sv"), ("v", "s"), ("v", "a{ss}"),
        ("v", "ay"), ("a", "o"), ("a", "s"), ("v", "u"), ("r", "oays"),
    ]

    private static let paths = [
        "/", "/a", "/org/freedesktop/secrets", "/org/freedesktop/secrets/collection/login",
        "/org/freedesktop/secrets/aliases/default",
        "/org/freedesktop/secrets/session/0123456789abcdef0123456789abcdef",
    ]

    mutating func append(to message: borrowing BusMessage, depth: Int) throws(BusError) {
        switch byte() % 8 {
        case 0, 1: try message.append(text())
        case 2: try message.append(bytes: some())
        case 3: try message.append(Self.paths[Int(byte()) % Self.paths.count], as: "o")
        case 4: try message.append(UInt32(byte()))
        case 5: try message.append(byte() % 2 == 0)
        default:
            guard depth < 4 else { return }
            let (kind, contents) = Self.containers[Int(byte()) % Self.containers.count]
            let count = Int(byte()) % 6
            try message.append(kind, of: contents) { () throws(BusError) in
                for _ in 0..<count { try append(to: message, depth: depth + 1) }
            }
        }
    }
}
