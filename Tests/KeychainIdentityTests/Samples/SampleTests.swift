// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

@testable import KeychainIdentity

/// What the system says of processes and sandboxes: `Cases/samples.jsonl` has a text on each line, what reads it, and
/// what it must find.
struct SampleTests {
    private struct Sample: Decodable, Sendable, CustomTestStringConvertible {
        var id: String
        var reader: String
        var text: String
        var result: String?

        var testDescription: String { id }
    }

    private static let samples: [Sample] = CaseLines.read("samples")

    @Test("the sample is read as it must be", arguments: samples)
    private func sample(_ sample: Sample) {
        let bytes = Array(sample.text.utf8)
        let result: String? =
            switch sample.reader {
            case "flatpak": FlatpakInformation(text: bytes)?.application
            case "snap": SnapLabel(sample.text).map { "\($0.snap) \($0.application)" }
            case "unit": ControlGroup(text: bytes)?.systemUnit
            case "snap-group": ControlGroup(text: bytes)?.snap
            case "start-time": ProcessStatus.startTime(bytes).map { "\($0)" }
            case "tracer": ProcessStatus.tracer(bytes).map { "\($0)" }
            case "user": ProcessStatus.effectiveUser(bytes).map { "\($0)" }
            case "maps":
                ExecutableMemory(text: bytes).map { memory in
                    let files = memory.files.map { "\($0.device) \($0.inode) \($0.path)" }
                    return (files + memory.generated.map { "generated \($0)" }).joined(separator: "; ")
                }
            case "maps-parts":
                ExecutableMemory(text: bytes).map { memory in
                    memory.files.map { file in
                        let parts = (memory.parts[file] ?? []).map { "\($0.lowerBound)..<\($0.upperBound)" }
                        return "\(file.path) \(parts.joined(separator: " "))"
                    }.joined(separator: "; ")
                }
            case "capabilities": ProcessStatus.permittedCapabilities(bytes).map { "\($0)" }
            case "filters": "\(ProcessStatus.unprivilegedFilterCount(bytes))"
            case "variables": LoaderVariables.named(in: bytes, FileTrust()).joined(separator: " ")
            case "code-size": ProcessStatus.codeSize(bytes).map { "\($0)" }
            case "namespaces": "\(ProcessStatus.namespaceCount(bytes))"
            default: "no reader \(sample.reader)"
            }
        #expect(result == sample.result)
    }

    @Test(
        "a service that runs code of many users identifies no program",
        arguments: [
            "cron", "crond", "cronie", "atd", "anacron", "ssh", "sshd", "sshd@3-192.0.2.1:22-192.0.2.2:50000", "ssh@1",
            "gdm", "gdm3", "sddm", "lightdm", "greetd", "systemd-logind", "user@1000", "console-getty",
            "system-getty.slice/getty@tty1", "system-serial\\x2dgetty.slice/serial-getty@ttyS0",
        ]
    )
    func unitOfManyUsers(_ name: String) throws {
        let group = try #require(ControlGroup(text: Array("0::/system.slice/\(name).service\n".utf8)))
        #expect(group.systemUnit == nil)
    }

    @Test("what a program writes for Flatpak takes no longer to read for its marks", .timeLimit(.minutes(1)))
    func flatpakMarks() {
        let group = "[A" + String(repeating: "\u{301}\u{323}", count: 7_000) + "]\n"
        for lines in [String(repeating: "\n", count: 32_000), String(repeating: "a=b\n", count: 8_000)] {
            let text = Array((group + lines + "[Application]\nname=org.example.App\n").utf8)
            #expect(FlatpakInformation(text: text)?.application == "org.example.App")
        }
    }

    @Test("all samples are there")
    func count() { #expect(Self.samples.count >= 40) }
}

/// Tables beside the tests, a JSON object on each line.
enum CaseLines {
    static func read<Case: Decodable>(_ name: String) -> [Case] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appendingPathComponent("Cases/\(name).jsonl")
        let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.compactMap { line in
            do { return try JSONDecoder().decode(Case.self, from: Data(line.utf8)) } catch {
                Issue.record("\(name).jsonl: \(line): \(error)")
                return nil
            }
        }
    }
}
