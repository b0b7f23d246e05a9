// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl bundle-identifier`, and what Foundation makes of its work.
struct BundleIdentifierTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path(of: "tool")))
    }

    private func run(_ arguments: String...) throws {
        var command = try KeychainControl.parseAsRoot(["bundle-identifier"] + arguments)
        try command.run()
    }

    @Test("a folder without a list has no identifier, and the check fails")
    func none() throws {
        #expect(try ProgramFolder(path: folder.path).bundleIdentifier() == nil)
        #expect(throws: (any Error).self) { try run("check", folder.path) }
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "Info.plist")), "a check writes nothing")
    }

    @Test("Foundation finds the identifier that is set for an executable", arguments: ["", "/tool"])
    func set(_ suffix: String) throws {
        #expect(Bundle(path: folder.path)?.bundleIdentifier == nil)
        try run("set", "com.example.tool", folder.path + suffix)
        try run("check", folder.path + suffix)
        // Foundation remembers a bundle by its path.
        let moved = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.path(of: "Info.plist"), toPath: moved.path(of: "Info.plist"))
        try Data("hello".utf8).write(to: URL(fileURLWithPath: moved.path(of: "hello.txt")))
        let bundle = try #require(Bundle(path: moved.path))
        #expect(bundle.bundleIdentifier == "com.example.tool")
        #expect(bundle.url(forResource: "hello", withExtension: "txt") != nil, "resources are where they were")
    }

    @Test("a list in Contents counts before any other, and is the one that is changed")
    func contents() throws {
        let contents = URL(fileURLWithPath: folder.path(of: "Contents"))
        try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: false)
        let list = ["CFBundleIdentifier": "com.example.old"]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: contents.appendingPathComponent("Info.plist"))
        try run("set", "com.example.new", folder.path)
        #expect(try ProgramFolder(path: folder.path).bundleIdentifier() == "com.example.new")
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "Info.plist")))
    }

    @Test("other keys of a list stay, and an older identifier is replaced")
    func others() throws {
        try run("set", "com.example.old", folder.path)
        let url = URL(fileURLWithPath: folder.path(of: "Info.plist"))
        let list: [String: Any] = ["CFBundleIdentifier": "com.example.old", "CFBundleVersion": "7"]
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0).write(to: url)
        try run("set", "com.example.new", folder.path)
        let written = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
        #expect(written as? [String: String] == ["CFBundleIdentifier": "com.example.new", "CFBundleVersion": "7"])
    }

    @Test("a link to an executable means the folder of its target, as it does when the program runs")
    func link() throws {
        let other = try TemporaryFolder()
        let link = other.path(of: "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path(of: "tool"))
        try run("set", "com.example.tool", link)
        #expect(FileManager.default.fileExists(atPath: folder.path(of: "Info.plist")))
    }

    @Test("a list that is no property list, or no dictionary, is reported and left alone", arguments: ["<", "(a, b)"])
    func unreadable(_ text: String) throws {
        let url = URL(fileURLWithPath: folder.path(of: "Info.plist"))
        try Data(text.utf8).write(to: url)
        #expect(throws: BundleIdentifierError.self) { try run("check", folder.path) }
        #expect(throws: BundleIdentifierError.self) { try run("set", "com.example.tool", folder.path) }
        #expect(try Data(contentsOf: url) == Data(text.utf8))
    }

    @Test("a path where nothing is, is reported", arguments: [nil, ""])
    func missing(_ path: String?) throws {
        let path = path ?? folder.path(of: "nothing")
        #expect(throws: BundleIdentifierError.noSuchPath(path)) { try run("set", "com.example.tool", path) }
    }

    @Test("a place that cannot be written is reported")
    func unwritable() throws {
        let path = folder.path(of: "Info.plist")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: BundleIdentifierError.self) { try run("set", "com.example.tool", folder.path) }
    }

    @Test(
        "an identifier consists of ASCII letters, digits, hyphens and periods",
        arguments: [
            "", "com.example tool", "com/example", "com.exämple", "com_example", "a\u{0}b", "..", ".a", "a.", "a..b",
            "-x", "a.-b",
        ]
    )
    func malformed(_ text: String) throws {
        #expect(BundleIdentifier(rawValue: text) == nil)
        #expect(throws: (any Error).self) { try run("set", text, folder.path) }
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "Info.plist")))
    }

    @Test("what is offered can be taken", arguments: ["tool", "My Tool", "t_1", "ä"])
    func suggestion(_ name: String) {
        #expect(BundleIdentifier(rawValue: BundleIdentifier.suggestion(for: name)) != nil)
    }
}
