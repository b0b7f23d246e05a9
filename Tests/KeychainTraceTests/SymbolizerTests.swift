// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSupport
import KeychainTestSupport
import Testing

@testable import KeychainTrace

@Suite("The lines of addresses")
struct SymbolizerTests {
    @Test("what a tool prints are functions and lines; what it does not know is left out")
    func output() {
        let output = """
            warning: none of an address
            0x0000000000000010
            $s3App5inneryyF
            /src/Inner.swift:12:7
            $s3App5outeryyF
            /src/a:b/Outer.swift:30 (discriminator 2)
            ??
            ??:0
            main
            /src/main.swift:0:0
            cut
            0x20

            0x30
            $s3App4lastyyF
            /src/Last.swift:1:2
            """
        let sections = Symbolizer.sections(of: output)
        #expect(
            sections.map(Symbolizer.frames(in:)) == [
                [
                    Symbolizer.Frame(symbol: "$s3App5inneryyF", path: "/src/Inner.swift", line: 12, column: 7),
                    Symbolizer.Frame(symbol: "$s3App5outeryyF", path: "/src/a:b/Outer.swift", line: 30, column: 0),
                ],
                [],
                [Symbolizer.Frame(symbol: "$s3App4lastyyF", path: "/src/Last.swift", line: 1, column: 2)],
            ]
        )
        #expect(Symbolizer.sections(of: "").isEmpty)
    }

    @Test("an image that is no regular file is not read", arguments: ["/dev/zero", "/dev", "relative", "/missing"])
    func image(_ path: String) throws {
        let address = try #require(ProgramAddress("\(path)+0x10"))
        #expect(Symbolizer.frames(at: [address]).isEmpty)
    }

    @Test("an image without debug information has no lines")
    func plain() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "image")
        try Data("no program".utf8).write(to: URL(fileURLWithPath: path))
        let address = try #require(ProgramAddress("\(path)+0x10"))
        #expect(Symbolizer.frames(at: [address])[address, default: []].isEmpty)
    }

    @Test(
        "a frame is of this package in every folder of its sources, and in no other",
        arguments: [
            ("Sources/Values/KeychainCore/Keychain.swift", true), ("Sources/API/KeychainTrace/Trace.swift", true),
            ("Sources/Testing/KeychainTesting/Device.swift", true), ("Tests/KeychainTraceTests/Some.swift", false),
            ("SourcesOfOthers/Some.swift", false),
        ]
    )
    func ofPackage(_ path: String, _ isOfPackage: Bool) {
        let root = #filePath.components(separatedBy: "/Tests/KeychainTraceTests/")[0]
        let frame = Symbolizer.Frame(symbol: "f", path: "\(root)/\(path)", line: 1, column: 1)
        #expect(frame.isOfPackage == isOfPackage)
    }

    /// The address that this function returns to.
    @inline(never)
    private static func here() -> ProgramAddress? {
        var addresses: [UInt] = [0, 0]
        guard CSupport.returnAddresses(&addresses, 2) == 2 else { return nil }
        return ProgramAddress(addresses[1])?.before
    }

    @Test("addresses of one image that are looked up together have each its own line")
    func together() throws {
        let first = Self.here()
        let second = Self.here()
        let addresses = try [first, second].map { try #require($0) }
        let frames = Symbolizer.frames(at: addresses.reversed() + addresses)
        let lines = addresses.map { address in frames[address]?.first { $0.path == #filePath }?.line }
        #expect(lines == [#line - 5, #line - 4])
    }

    @Test("an address is read as it is written, and nothing else", arguments: ["", "app", "+0x", "app+0xg", "app+12"])
    func text(_ text: String) throws {
        #expect(ProgramAddress(text) == nil)
        let address = try #require(ProgramAddress("/bin/a+0xb+0x1f"))
        #expect(address.description == "/bin/a+0xb+0x1f" && address.image == "/bin/a+0xb" && address.offset == 31)
        #expect(address.before?.offset == 30)
        #expect(ProgramAddress("/bin/a+0x0")?.before == nil)
    }
}
