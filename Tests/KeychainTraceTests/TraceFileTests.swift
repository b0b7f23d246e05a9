// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Security
import Testing

@testable import KeychainServices
@testable import KeychainTrace

/// The file of a trace, and the calls of a process in it.
///
/// One after the other: a process has one trace.
@Suite(.serialized)
struct TraceFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path(of: "trace.jsonl") }

    /// A client of whom nobody else is.
    private static let group = "TEAMID.com.example.traced"

    init() throws { folder = try TemporaryFolder() }

    private func entries(_ path: String? = nil) throws -> [TraceEntry] {
        try TraceReader.entries(at: path ?? self.path).map { try $0.content.get() }
    }

    @Test("a device or a folder is no trace", arguments: ["/dev/zero", "/dev/null", "/tmp"])
    func noFile(_ path: String) {
        #expect(throws: TraceError.unusable(path: path, "it is no file")) { _ = try TraceReader.entries(at: path) }
    }

    @Test("calls are written with what they asked, and what came of them")
    func calls() throws {
        try KeychainTracing.start(TraceOptions(path: path))
        defer { KeychainTracing.stop() }
        let context = KeychainContext(backend: EmbeddedKeychain.inMemory(), client: Client(accessGroups: [Self.group]))
        let secret = "a-distinctive-secret"
        KeychainContext.$current.withValue(context) {
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna", kSecValueData: Data(secret.utf8),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecDuplicateItem)
        }
        KeychainTracing.stop()
        KeychainContext.$current.withValue(context) {
            #expect(SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) == errSecSuccess)
        }
        // Whatever else the process calls meanwhile is in the trace as well.
        let calls = try entries().compactMap { entry in if case .call(let call) = entry.content { call } else { nil } }
            .filter { $0.client.accessGroups == [Self.group] }
        #expect(calls.map(\.status) == [.success, .duplicateItem])
        #expect(calls.map(\.lockState) == [.unlocked, .unlocked])
        #expect(calls.allSatisfy { !$0.stack.isEmpty && $0.milliseconds > 0 })
        #expect(calls.map(\.reason) == [nil, "an item with the same primary key exists"])
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("anna") && !text.contains(secret))
        #expect(!text.contains(Data(secret.utf8).base64EncodedString()))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a file that became too long is renamed, and no line is lost by that when several write")
    func rotation() async throws {
        let file = TraceFile(path: path, limit: 20_000)
        let line = TraceEntry(time: .referenceDate, process: 1, program: "p", .event(.lock)).line
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<30 { file.append(line) } } }
        }
        let count =
            try entries().count + (FileManager.default.fileExists(atPath: path + ".1") ? entries(path + ".1").count : 0)
        #expect(count == 240)
        for _ in 0..<2_000 { file.append(line) }
        let sizes = try [path, path + ".1"].map {
            try #require(try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int)
        }
        #expect(sizes.allSatisfy { $0 <= 20_000 })
    }

    @Test("the bound on the size holds where the file cannot be renamed")
    func bound() throws {
        try FileManager.default.createDirectory(atPath: path + ".1", withIntermediateDirectories: false)
        let file = TraceFile(path: path, limit: 2_000)
        let line = TraceEntry(time: .referenceDate, process: 1, program: "p", .event(.lock)).line
        for _ in 0..<100 { file.append(line) }
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size > 0 && size <= 2_000)
    }

    @Test("nothing is written through a link, into a file that others can read, or to a path that is not absolute")
    func hostile() throws {
        let target = folder.path(of: "target")
        #expect(FileManager.default.createFile(atPath: target, contents: nil, attributes: [.posixPermissions: 0o600]))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(throws: TraceError.self) { try KeychainTracing.start(TraceOptions(path: path)) }
        TraceFile(path: path, limit: 100).append("x")
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)).isEmpty)
        let open = folder.path(of: "open")
        #expect(FileManager.default.createFile(atPath: open, contents: nil, attributes: [.posixPermissions: 0o644]))
        #expect(throws: TraceError.self) { try KeychainTracing.start(TraceOptions(path: open)) }
        #expect(throws: TraceError.self) { try KeychainTracing.start(TraceOptions(path: "trace.jsonl")) }
        #expect(throws: TraceError.self) { try KeychainTracing.start(TraceOptions(path: folder.path(of: "no/folder"))) }
        let pipe = folder.path(of: "pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: TraceError.self) { try KeychainTracing.start(TraceOptions(path: pipe)) }
    }

    @Test("a file that cannot be written is left out, and the call goes on")
    func unwritable() throws {
        try KeychainTracing.start(TraceOptions(path: path))
        defer { KeychainTracing.stop() }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let context = KeychainContext(backend: EmbeddedKeychain.inMemory(), client: Client(accessGroups: ["TEAMID.a"]))
        KeychainContext.$current.withValue(context) {
            #expect(SecItemDelete([kSecClass: kSecClassKey] as CFDictionary) == errSecItemNotFound)
        }
    }

    @Test("hidden values are hidden by one key for all who write, which nobody else can read")
    func hashKey() throws {
        let file = TraceFile(path: path, limit: 1_000)
        let key = try file.hashKey()
        #expect(try file.hashKey() == key)
        var status = stat()
        #expect(stat(path + ".key", &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_size == 32)
        #expect(chmod(path + ".key", 0o644) == 0)
        #expect(throws: TraceError.self) { try file.hashKey() }
    }

    @Test("a reader goes on where it ended, over a file that took the other's place, and names lines that are none")
    func reading() throws {
        let line = TraceEntry(time: .referenceDate, process: 1, program: "p", .event(.lock)).line
        try Data("\(line)\nnone\n{\"v\":9}\n\(line.prefix(9))".utf8).write(to: URL(fileURLWithPath: path))
        let reader = try TraceReader(path: path)
        let lines = try reader.lines()
        #expect(lines.map(\.number) == [1, 2, 3])
        let failures = lines.map { line -> TraceError? in
            if case .failure(let error) = line.content { error } else { nil }
        }
        #expect(failures == [nil, .malformed("it is not JSON: a value is expected at byte 0"), .version(9)])
        #expect(try reader.reopenIfReplaced() == false)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("\(line.dropFirst(9))\n\(line.prefix(4))".utf8))
        #expect(try reader.lines().map(\.number) == [4])
        #expect(reader.rest()?.content == .failure(.truncated))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try Data("\(line)\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try reader.reopenIfReplaced())
        #expect(try reader.lines().map(\.number) == [1])
        #expect(throws: TraceError.self) { try TraceReader(path: folder.path(of: "none")) }
    }

    @Test("the stack is told as far as it is the thread's own: what lies above another one is not looked at")
    func foreignStack() async {
        #expect(!Tracer.stack().isEmpty)
        await #expect(processExitsWith: .success) {
            let size = 1 << 20
            let stack = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4_096)
            let failure = storm_run_as_coroutine(stack, size) {
                precondition(Tracer.stack().isEmpty)
                storm_call_without_frame_pointer { precondition(Tracer.stack().isEmpty) }
            }
            precondition(failure == 0)
        }
    }
}
