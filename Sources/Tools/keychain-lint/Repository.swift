// SPDX-License-Identifier: Apache-2.0
#if Lint
import ArgumentParser
import Foundation
import KeychainLint

/// The git repository of a folder.
struct Repository {
    /// An absolute path.
    let folder: String

    /// What was different in the folder at a commit.
    ///
    /// - Throws: An exit code after git has said what is wrong.
    func state(at commit: String) throws -> FormerState {
        guard try hasCommit(commit) else { return FormerState(files: nil, accessGroups: [:]) }
        let fields = try git(
            ["diff", "--name-status", "-z", "-M", "--relative", "--no-ext-diff", "--end-of-options", commit, "--"]
        ).split(separator: "\0").map(String.init)
        var files: [String: FormerState.File] = [:]
        var index = 0
        while index + 1 < fields.count {
            let kind = fields[index].first
            let old = fields[index + 1]
            // A renamed file has its new name, so that its findings are the same.
            let isMoved = kind == "R" || kind == "C"
            guard index + (isMoved ? 2 : 1) < fields.count else { break }
            let new = isMoved ? fields[index + 2] : old
            files[new] = kind == "A" ? .absent : .text(try show(old, at: commit))
            index += isMoved ? 3 : 2
        }
        for path in try git(["ls-files", "--others", "--exclude-standard", "-z"]).split(separator: "\0") {
            files[String(path)] = .absent
        }
        return FormerState(files: files, accessGroups: try accessGroups(at: commit))
    }

    /// Whether there is such a commit; a repository without any has no HEAD, which is no mistake.
    private func hasCommit(_ commit: String) throws -> Bool {
        if commit == "HEAD", try run(["rev-parse", "--verify", "--quiet", "HEAD"]).status != 0 {
            _ = try git(["rev-parse", "--is-inside-work-tree"])
            return false
        }
        return true
    }

    /// The keychain access groups of entitlements at a commit, by path.
    private func accessGroups(at commit: String) throws -> [String: [String]] {
        var result: [String: [String]] = [:]
        for path in try git(["ls-tree", "-r", "-z", "--name-only", "--end-of-options", commit]).split(separator: "\0")
        where path.hasSuffix(".entitlements") {
            let text = String(decoding: try show(String(path), at: commit), as: UTF8.self)
            result[String(path)] = Linter.accessGroups(ofEntitlements: text)
        }
        return result
    }

    private func show(_ path: String, at commit: String) throws -> Data {
        let result = try run(["show", "\(commit):./\(path)"])
        guard result.status == 0 else { throw ExitCode(2) }
        return result.output
    }

    private func git(_ arguments: [String]) throws -> String {
        let result = try run(arguments)
        guard result.status == 0 else { throw ExitCode(2) }
        return String(decoding: result.output, as: UTF8.self)
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, output: Data) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder, "-c", "core.quotePath=false"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, data)
    }
}
#endif
