// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainStore
import Testing

/// The folder of a keychain goes away, or another takes its place, while a process has it open.
@Suite(.timeLimit(.minutes(30)))
struct ReplacedFolderTests {
    @Test("after the folder was moved away, the next call begins a new keychain")
    func movedAway() throws {
        let (folder, process) = try StormFolder.started("add old")
        #expect(rename(folder.path, folder.path(beside: "aside")) == 0)
        #expect(try process.ask("read old").status == Int(Status.itemNotFound.rawValue))
        #expect(try process.ask("add new").isDone)
        #expect(try folder.items().map(\.account) == ["new"])
        #expect(try StormFolder.items(at: folder.path(beside: "aside")).map(\.account) == ["old"])
    }

    @Test("after the folder was removed, the next call begins a new keychain")
    func removed() throws {
        let (folder, process) = try StormFolder.started("add old")
        for name in try #require(try folder.fileNames) { #expect(unlink("\(folder.path)/\(name)") == 0) }
        #expect(rmdir(folder.path) == 0)
        #expect(try process.ask("add new").isDone)
        #expect(try folder.items().map(\.account) == ["new"])
    }

    @Test("after another keychain took the place of the folder, the next call works on that one")
    func replaced() throws {
        let (folder, process) = try StormFolder.started("add first")
        let other = try StormProcess(folder.path(beside: "other"))
        #expect(try other.ask("add second").isDone)
        #expect(rename(folder.path, folder.path(beside: "aside")) == 0)
        #expect(rename(folder.path(beside: "other"), folder.path) == 0)
        #expect(try process.ask("read second").isDone)
        #expect(try process.ask("add third").isDone)
        #expect(try other.ask("add fourth").status == 0, "the other process's folder is gone; it begins a new one")
        #expect(try Set(folder.items().map(\.account)) == ["second", "third"])
    }

    @Test("after the file alone was removed, its log is not replayed into the new one")
    func fileRemoved() throws {
        let (folder, process) = try StormFolder.started("add old")
        #expect(unlink("\(folder.path)/\(Store.fileName)") == 0)
        #expect(try process.ask("add new").isDone)
        #expect(try folder.items().map(\.account) == ["new"])
    }

    @Test("whatever is acknowledged while the folder is moved away lies in one of the folders")
    func movedWhileBusy() throws {
        let (folder, process) = try StormFolder.started()
        try process.send("adds item 400")
        var steps: [Step] = []
        var asides: [String] = []
        while let step = try process.nextStep(), step.operation != "done" {
            steps.append(step)
            guard steps.count % 20 == 0 else { continue }
            let aside = folder.path(beside: "aside-\(asides.count)")
            if rename(folder.path, aside) == 0 { asides.append(aside) }
        }
        // A move in the midst of a call can make it fail, which then says so.
        let failures = steps.filter { !$0.isDone }
        let expected = [Status.notAvailable, .io, .readOnly].map { Int($0.rawValue) }
        #expect(failures.allSatisfy { $0.status.map(expected.contains) ?? false }, "\(failures)")
        #expect(failures.count <= asides.count)
        let places = asides + (access(folder.path, F_OK) == 0 ? [folder.path] : [])
        expectKept(steps.filter(\.isDone).map(\.subject), in: try places.flatMap(StormFolder.items))
    }
}
