// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing
import WireTestSupport

@testable import KeychainWire

/// The first bytes of a connection, whose layout never changes.
struct GreetingTests {
    @Test("a greeting is these bytes for ever")
    func layout() throws {
        let magic: [UInt8] = [0x73, 0x77, 0x69, 0x66, 0x74, 0x6b, 0x63, 0xff]
        let client = ClientGreeting(1...0x0203)
        #expect(client.bytes == magic + [0, 1, 2, 3, 0, 0, 0, 0])
        let server = ServerGreeting(to: client, 1...1)
        #expect(server.bytes == magic + [0, 1, 0, 1, 0, 0, 0, 0])
        #expect(client.bytes.count == Greeting.byteCount)
        let folder = try #require(FolderNumber(value: 0x0102_0304))
        let serving = ServerGreeting(to: client, 1...1, folder: folder)
        #expect(serving.bytes == magic + [0, 1, 0, 1, 1, 2, 3, 4])
        #expect(try serving.bytes.withUnsafeBytes { try ServerGreeting($0) } == serving)
        #expect(FolderNumber(value: 0) == nil)
        let refusing = ServerGreeting(to: client, 0x0304...0x0506, folder: folder)
        #expect(refusing.bytes == magic + [0, 0, 5, 6, 0, 0, 3, 4])
    }

    @Test("a greeting comes back as it was, whatever is in the bytes that are kept for later")
    func roundTrip() throws {
        let client = ClientGreeting(2...7)
        let later = client.bytes.dropLast(4) + [1, 2, 3, 4]
        #expect(try Array(later).withUnsafeBytes { try ClientGreeting($0) } == client)
        let server = ServerGreeting(to: client, 1...5)
        #expect(try server.bytes.withUnsafeBytes { try ServerGreeting($0) } == server)
    }

    struct Choice: Sendable {
        var client: ClosedRange<UInt16>
        var server: ClosedRange<UInt16>
        var version: UInt16?
    }

    @Test(
        "the highest version that both understand is chosen, or none",
        arguments: [
            Choice(client: 1...1, server: 1...1, version: 1), Choice(client: 1...3, server: 2...5, version: 3),
            Choice(client: 2...5, server: 1...3, version: 3), Choice(client: 1...1, server: 2...3, version: nil),
            Choice(client: 4...5, server: 1...3, version: nil),
        ]
    )
    func choice(_ row: Choice) throws {
        let answer = ServerGreeting(
            to: ClientGreeting(row.client),
            row.server
        )
        #expect(answer.version == row.version)
        #expect(answer.lowestVersion == (row.version == nil ? row.server.lowerBound : nil))
        #expect(answer.highestVersion == row.server.upperBound)
        #expect(try answer.bytes.withUnsafeBytes { try ServerGreeting($0) } == answer)
    }

    @Test("a daemon that ends a connection before the greeting answers in the lowest version")
    func beforeGreeting() {
        #expect(ServerGreeting.beforeGreeting(2...5).version == 2)
        #expect(ServerGreeting.beforeGreeting().version == ProtocolVersion.supported.lowerBound)
    }

    @Test("a command is of the version that has had it first, and those of the first one stay there")
    func commands() throws {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let page = try String(contentsOfFile: "\(root)/Documentation/Daemon.md", encoding: .utf8)
        let rows = try #require(page.components(separatedBy: "\n| version | commands |\n").dropFirst().first)
        let later = WireSamples.commands.filter { $0.protocolVersion > 1 }
        for version in ProtocolVersion.supported.dropFirst() {
            let row = rows.split(separator: "\n").first { $0.hasPrefix("| \(version) |") } ?? ""
            let names = Set(row.matches(of: /`([^`]+)`/).map { String($0.1) })
            #expect(Set(later.filter { $0.protocolVersion == version }.map(\.row.name)) == names, "\(version)")
        }
        #expect(later.allSatisfy { ProtocolVersion.supported.contains($0.protocolVersion) })
    }

    @Test("what is no greeting is refused")
    func refusals() {
        let good = ClientGreeting().bytes
        var bad: [[UInt8]] = [[], Array(good.dropLast()), good + [0], Array("GET / HTTP/1.1\r\n".utf8)]
        bad += (0..<8).map { index in good.enumerated().map { $0.offset == index ? $0.element ^ 1 : $0.element } }
        for bytes in bad {
            #expect(throws: WireError.self) { try bytes.withUnsafeBytes { try ClientGreeting($0) } }
            #expect(throws: WireError.self) { try bytes.withUnsafeBytes { try ServerGreeting($0) } }
        }
        let none: [UInt8] = good.prefix(8) + [0, 0, 0, 0, 0, 0, 0, 0]
        let reversed: [UInt8] = good.prefix(8) + [0, 2, 0, 1, 0, 0, 0, 0]
        for bytes in [none, reversed] {
            #expect(throws: WireError.invalidValue) { try bytes.withUnsafeBytes { try ClientGreeting($0) } }
        }
        // No version in common, and a version that is beyond what the server understands.
        #expect(throws: Never.self) { try none.withUnsafeBytes { try ServerGreeting($0) } }
        #expect(throws: WireError.invalidValue) { try reversed.withUnsafeBytes { try ServerGreeting($0) } }
    }
}
