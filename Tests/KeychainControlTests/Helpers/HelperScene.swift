// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// A home folder with the configuration of other programs, in which the helpers are installed.
struct HelperScene {
    let home: TemporaryFolder
    var control: Control

    init() throws {
        home = try TemporaryFolder()
        control = Control(EmbeddedKeychain.inMemory())
        control.environment = ["HOME": home.path, "PATH": "\(home.path)/programs"]
        control.helperFolder = "\(home.path)/programs"
        try FileManager.default.createDirectory(atPath: "\(home.path)/programs", withIntermediateDirectories: false)
        for name in HelperName.allCases {
            let made = FileManager.default.createFile(
                atPath: "\(home.path)/programs/\(name.rawValue)",
                contents: nil,
                attributes: [.posixPermissions: 0o755]
            )
            try #require(made)
        }
    }

    func run(_ line: String) throws -> Control.Outcome {
        try control.run(["helper"] + line.split(separator: " ").map(String.init))
    }

    func write(_ name: String, _ text: String, mode: Int = 0o640) throws {
        let path = home.path(of: name)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = FileManager.default.createFile(
            atPath: path,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: mode]
        )
        try #require(made)
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: home.path(of: name)).map { String(decoding: $0, as: UTF8.self) }
    }

    func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home.path(of: folder)).sorted()
    }

    /// A kubectl that writes the file anew, without its comments, if it changes anything.
    func fakeKubectl() -> Control {
        var control = control
        control.output = { words throws(Refusal) in
            let copy = words.first { $0.hasPrefix("KUBECONFIG=") }?.dropFirst("KUBECONFIG=".count)
            guard let copy, let before = FileManager.default.contents(atPath: String(copy)) else {
                throw Refusal("none")
            }
            let lines = String(decoding: before, as: UTF8.self).split(separator: "\n").map(String.init)
            let user = words[5].split(separator: ".").dropFirst(words[4] == "unset" ? 1 : 0).first ?? ""
            let line = "exec: \(user)"
            var after = lines.filter { $0 != line }
            if words[4] == "set-credentials" { after.append(line) }
            guard after.count != lines.count else { return "" }
            let text = after.filter { !$0.hasPrefix("#") }.sorted().joined(separator: "\n") + "\n"
            let isWritten = FileManager.default.createFile(atPath: String(copy), contents: Data(text.utf8))
            if !isWritten { throw Refusal("the copy is gone") }
            return ""
        }
        return control
    }
}
