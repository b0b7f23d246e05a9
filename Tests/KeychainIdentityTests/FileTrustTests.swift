// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// What only root can change, with this user in root's place and one folder in that of the whole system.
struct FileTrustTests {
    private let bench: Workbench
    private let trust: FileTrust

    init() throws {
        bench = try Workbench()
        trust = FileTrust(owner: geteuid(), base: bench.folder.path)
    }

    private static let isRoot = geteuid() == 0

    /// Makes a folder with a file.
    private func folder(_ name: String, _ mode: mode_t = 0o755, in bench: Workbench? = nil) throws -> String {
        let bench = bench ?? self.bench
        let folder = bench.folder.path(of: name)
        try bench.write("x", to: "\(folder)/file")
        #expect(chmod("\(folder)/file", 0o644) == 0 && chmod(folder, mode) == 0)
        return folder
    }

    private func opened(_ path: String) throws -> Descriptor {
        guard let file = Descriptor(path, O_RDONLY) else { throw PeerProgram.Failure("\(path): \(errno)") }
        return file
    }

    /// Has two folders exchange their names.
    private static func exchange(_ one: String, _ other: String) {
        #expect(rename(one, "\(one).old") == 0 && rename(other, one) == 0 && rename("\(one).old", other) == 0)
    }

    @Test("every folder on the way, and what links lead to, must be root's")
    func parts() throws {
        let folder = try folder("way")
        #expect(trust.objection(toFileAt: "\(folder)/file") == nil)
        #expect(chmod(folder, 0o775) == 0)
        let reason = "is in \(folder), which is writable by others than its owner"
        #expect(trust.objection(toFileAt: "\(folder)/file") == reason)
        #expect(chmod(folder, 0o755) == 0)
        let link = bench.folder.path(of: "link")
        #expect(symlink("\(folder)/file", link) == 0)
        #expect(trust.objection(toFileAt: link) == nil)
        let other = FileTrust(owner: geteuid() &+ 1, base: bench.folder.path)
        #expect(other.objection(toFileAt: "\(folder)/file")?.contains("is owned by user") == true)
        #expect(FileTrust().objection(toFileAt: "/dev/null") != nil)
        #expect(FileTrust().objection(toFileAt: "/tmp") != nil)
        #expect(FileTrust().objection(toFileAt: "/bin/sh") == nil)
    }

    @Test("an open file is judged, and not what its path leads to meanwhile")
    func exchangedFolders() throws {
        let (theirs, roots) = (try folder("theirs", 0o777), try folder("roots"))
        let file = try opened("\(theirs)/file")
        let other = try opened("\(roots)/file")
        Self.exchange(theirs, roots)
        #expect(trust.objection(to: file.number)?.contains("is in \(roots), which is writable by others") == true)
        #expect(trust.objection(to: other.number) == nil)
        #expect(unlink("\(theirs)/file") == 0)
        #expect(trust.objection(to: other.number) == "was moved or removed")
    }

    @Test("a library that is exchanged for one of root's after it was opened")
    func exchangedLibrary() throws {
        let (theirs, roots) = (try folder("theirs", 0o777), try folder("roots"))
        for place in ["theirs", "roots"] { _ = try bench.library("\(place)/lib.so", "int one(void) { return 1; }") }
        let tool = try bench.install()
        let (program, _) = try bench.start(tool)
        #expect(try program.ask("map-code \(theirs)/lib.so") == "mapped")
        let maps = try String(contentsOfFile: "/proc/\(program.identifier)/maps", encoding: .utf8)
        let lines = maps.split(separator: "\n").filter { $0.hasSuffix(tool) || $0.hasSuffix("lib.so") }
        let memory = try #require(ExecutableMemory(text: Array(lines.joined(separator: "\n").utf8)))
        let executable = try Executable(path: tool)
        let allowance = LoadedCode.Allowance(
            executable: executable.mark,
            code: executable.code,
            libraries: [],
            isJIT: false
        )
        var code = LoadedCode(trust: trust, hashes: ExecutableHashes(), system: SystemCode())
        code.open = { path in
            let file = Descriptor(path, O_RDONLY)
            if path.hasSuffix("lib.so") { Self.exchange(theirs, roots) }
            return file
        }
        let refusal = #expect(throws: IdentityError.self) { try code.check(memory, allowance) }
        #expect(refusal?.description.contains("lib.so, which is in \(roots), which is writable") == true, "\(refusal!)")
        withExtendedLifetime(program) {}
    }

    @Test(
        "the digest of a file that is exchanged for one of root's is not kept",
        .enabled(if: TemporaryFolder.memory != nil, "there is no tmpfs")
    )
    func exchangedDigest() throws {
        let bench = try Workbench(in: TemporaryFolder.memory)
        let (theirs, roots) = (try folder("theirs", 0o777, in: bench), try folder("roots", in: bench))
        try Workbench.waitUntilSettled("\(roots)/file")
        let hashes = ExecutableHashes(FileTrust(owner: geteuid(), base: bench.folder.path))
        let file = try opened("\(theirs)/file")
        Self.exchange(theirs, roots)
        let before = try hashes.digest(of: file.number, "\(theirs)/file")
        #expect(try Workbench.mapping("\(roots)/file").ask("flip") == "flipped")
        let after = try hashes.digest(of: file.number, "\(theirs)/file")
        #expect(before.0 != after.0)
    }

    @Test("a file that has grown without end is neither read to its end nor taken for what it was")
    func grown() throws {
        let path = bench.folder.path(of: "lib.so")
        try Data("code".utf8).write(to: URL(fileURLWithPath: path))
        let hashes = ExecutableHashes()
        let file = try opened(path)
        let (digest, mark) = try hashes.digest(of: file.number, path)
        let library = LoadedCode.HashedFile(path: path, digest: digest, mark: mark)
        #expect(library.isUnchanged(hashes))
        #expect(SHA256Value(ofFile: file.number, byteCount: 4) == digest)
        try #require(truncate(path, 1 << 40) == 0)
        #expect(!library.isUnchanged(hashes))
        #expect(SHA256Value(ofFile: file.number, byteCount: 4) == digest)
        let refusal = #expect(throws: IdentityError.self) { _ = try hashes.digest(of: file.number, path) }
        #expect(refusal?.description.contains("is too large") == true)
    }

    @Test("names of folders that links lead from, and up from")
    func folders() throws {
        let folder = try folder("folder")
        let names = ["link": folder, "relative": "folder/../folder", "loop": "loop"]
        for (name, target) in names { #expect(symlink(target, bench.folder.path(of: name)) == 0) }
        func objection(_ name: String) -> String? { trust.objection(toFolder: bench.folder.path(of: name)) }
        for name in [
            "link/lib", "relative", "relative/lib", "nowhere", "nowhere/../folder", "folder/./x//", "folder/..",
        ] {
            #expect(objection(name) == nil, "\(name)")
        }
        let open = try self.folder("open", 0o777)
        #expect(symlink(folder, "\(open)/\u{301}link") == 0)
        for name in ["\u{301}nowhere", "\u{301}link"] {
            #expect(objection("open/\(name)")?.contains("is in \(open), which is writable") == true, "\(name)")
        }
        #expect(objection("loop")?.contains("too many symbolic links") == true)
        #expect(trust.objection(toFolder: "lib") == "is no absolute path")
        #expect(chmod(folder, 0o777) == 0)
        for name in ["link", "relative/lib", "folder/..", "link/nowhere"] {
            #expect(objection(name)?.contains("is writable by others than its owner") == true, "\(name)")
        }
    }

    @Test("what a FUSE file system says of owners is not believed")
    func fuse() throws {
        let folder = try folder("folder", 0o777)
        let options = ["--force-user=\(geteuid())", "--perms=0755"]
        let mount = try FUSEMount(of: folder, at: bench.folder.path(of: "mount"), options: options)
        let reason = "is in \(mount.path), which is on a FUSE file system, which can report any owner"
        #expect(trust.objection(toFileAt: "\(mount.path)/file") == reason)
        #expect(trust.objection(toFolder: "\(mount.path)/lib") == reason)
        withExtendedLifetime(mount) {}
    }

    @Test(
        "nor what one without set-user-ID programs says, as users mount them, unless that is a part of the one above",
        .enabled(if: isRoot, "only root mounts file systems")
    )
    func limitedFileSystem() throws {
        let (bound, mounted, full) = (try folder("bound"), try folder("mounted"), try folder("full"))
        var findings: [String?] = []
        try withOwnMounts {
            #expect(mount(bound, bound, nil, UInt(MS_BIND), nil) == 0)
            #expect(mount(nil, bound, nil, UInt(MS_BIND | MS_REMOUNT | MS_NOSUID), nil) == 0)
            for (path, flags) in [(mounted, UInt(MS_NOSUID)), (full, 0)] {
                #expect(mount("tmpfs", path, "tmpfs", flags, "mode=755") == 0)
                try? bench.write("x", to: "\(path)/file")
            }
            findings = [bound, mounted, full].map { trust.objection(toFileAt: "\($0)/file") }
        }
        let reason = "is in \(mounted), which is on a file system that a user may have mounted (nosuid)"
        #expect(findings == [nil, reason, nil])
    }

    /// Runs something in a mount namespace of its own.
    private func withOwnMounts(_ body: () -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            var body = body
            let failure = withUnsafeMutablePointer(to: &body) { context in
                storm_run_with_own_mounts({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context)
            }
            guard failure == 0 else { throw PeerProgram.Failure("unshare: \(failure)") }
        }
    }
}

extension FileTrust {
    /// The same of the file at a path.
    func objection(toFileAt path: String) -> String? {
        guard let file = Descriptor(path, Descriptor.asPath) else { return "cannot be opened" }
        return objection(to: file.number)
    }
}
