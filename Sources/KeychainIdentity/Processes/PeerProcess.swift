// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import HostFiles

/// A process at the other end of a Unix socket, or one named by its PID: held so that no other process is mistaken for
/// it, even if its PID is reused.
///
/// Everything is read relative to its folder in `/proc`, which is opened once: after its exit, that folder is empty.
public final class PeerProcess: Sendable {
    /// Its PID, in the PID namespace of this process.
    public let identifier: Int32

    /// When it was started, in clock ticks since boot (proc(5), `/proc/PID/stat`, field 22).
    public let startTime: UInt64

    /// The user that it ran as when it connected (the effective one).
    public let user: UInt32

    /// The label of a security module, such as AppArmor; `nil` if there is none.
    let securityLabel: String?

    /// Whether the kernel returned a pidfd of the process that connected, rather than only its PID (before Linux 6.5).
    public let isExact: Bool

    /// Its folder in `/proc`.
    private let folder: ProcessFolder

    /// The process that connected to a socket.
    ///
    /// - Parameters:
    ///   - socket: the connected socket.
    ///   - greetingByteCount: how many bytes it may have sent already. Whatever it sends later comes from the program
    ///     that is identified here: a process that sends a command and then calls execve(2) is refused.
    /// - Throws: ``IdentityError`` if the process has exited, is not visible here, or has sent more than that.
    public init(socket: Int32, greetingByteCount: Int) throws(IdentityError) {
        var process: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
        let failure = keychain_peer_credentials(socket, &process, &user, &group)
        guard failure == 0 else { throw .system("getsockopt(SO_PEERCRED)", "the socket", failure) }
        guard process > 0 else {
            throw IdentityError("the process is in a PID namespace that is not visible here")
        }
        var isExact: Int32 = 0
        guard let pidfd = Descriptor(taking: keychain_peer_open(socket, process, &isExact)) else {
            throw errno == ESRCH
                ? Self.ended(process) : .system("getsockopt(SO_PEERPIDFD)", "process \(process)", errno)
        }
        folder = try ProcessFolder(process)
        startTime = try folder.startTime()
        // Only now is it certain that the folder is that of the process that connected: it has not exited since.
        guard keychain_peer_is_alive(pidfd.number) != 0 else { throw Self.ended(process) }
        identifier = process
        self.user = user
        self.isExact = isExact != 0
        securityLabel = Self.label(socket)
        try checkQueue(of: socket, greetingByteCount: greetingByteCount)
    }

    /// Checks that the process has not yet sent more than its greeting.
    ///
    /// This has to be checked again once the executable is known: until then the process may have sent a command, and
    /// called execve(2).
    func checkQueue(of socket: Int32, greetingByteCount: Int) throws(IdentityError) {
        guard (0...greetingByteCount).contains(Int(keychain_queued_bytes(socket))) else {
            throw IdentityError("process \(identifier) sent a message before it was identified")
        }
    }

    /// A process by its PID.
    ///
    /// - Throws: ``IdentityError`` if there is none.
    public init(identifier: Int32) throws(IdentityError) {
        folder = try ProcessFolder(identifier)
        startTime = try folder.startTime()
        user = try folder.user()
        self.identifier = identifier
        isExact = true
        let attribute = folder.contents("attr/apparmor/current", limit: 4096) ?? []
        securityLabel = String(validating: attribute.prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self)
    }

    private static func ended(_ process: Int32) -> IdentityError {
        IdentityError("process \(process), which connected, has exited")
    }

    private static func label(_ socket: Int32) -> String? {
        var label = [CChar](repeating: 0, count: 4096)
        guard keychain_peer_label(socket, &label, label.count) == 0 else { return nil }
        return label.withUnsafeBufferPointer { $0.baseAddress.flatMap { String(validatingCString: $0) } }
    }
}

// MARK: - Properties of the process

extension PeerProcess {
    /// Opens the executable that it runs.
    func openExecutable() throws(IdentityError) -> Executable {
        let file = try openContents()
        guard let path = linkTarget("exe", below: folder.number) else {
            throw folder.failure("the path of its executable cannot be read")
        }
        return try Executable(file, path: path)
    }

    /// The path of the executable that it runs, as the kernel reports it; `nil` if it cannot be inspected.
    public var executablePath: String? { linkTarget("exe", below: folder.number) }

    /// The same, without the mark of the kernel for an executable that was removed or replaced meanwhile.
    var executablePathOnDisk: String? { executablePath.map(ExecutablePath.onDisk) }

    /// The contents of the executable that it runs, even if its path has changed.
    func openContents() throws(IdentityError) -> Descriptor {
        if let file = Descriptor("exe", below: folder.number, O_RDONLY) { return file }
        let failure = errno
        // Who may not inspect the process does not learn the path either (proc_pid_exe(5)): it is the file then.
        if failure == EACCES, let path = executablePathOnDisk { throw Executable.unreadable(path) }
        errno = failure
        throw folder.failure("its executable cannot be inspected")
    }

    /// The executable that it runs now, without opening it; `nil` when it has ended.
    func executableMark() throws(IdentityError) -> FileMark? {
        var status = stat()
        guard fstatat(folder.number, "exe", &status, 0) == 0 else {
            if errno == ENOENT || errno == ESRCH { return nil }
            throw folder.failure("its executable cannot be inspected")
        }
        return FileMark(status)
    }

    /// The memory that it has now, to see later whether it has that still.
    func openImage() throws(IdentityError) -> ProcessImage {
        guard let map = folder.open("maps"), let image = ProcessImage(map: map) else {
            throw folder.failure("the code that it has loaded cannot be listed")
        }
        return image
    }

    /// Its state according to the kernel.
    func state() throws(IdentityError) -> State {
        guard let state = folder.contents("status", limit: 1 << 14).flatMap(State.init) else {
            throw folder.failure(Self.unknownTracer)
        }
        return state
    }

    /// Checks that no process traces one of its threads.
    ///
    /// ``state()`` speaks of the first one alone, and a tracer of any of them can write to the memory of all.
    func checkThreadsAreUntraced() throws(IdentityError) {
        let threads = folder.threads
        guard !threads.isEmpty else { throw folder.failure("its threads cannot be listed") }
        for thread in threads {
            let text = folder.contents("task/\(thread)/status", limit: 1 << 14)
            // It has ended meanwhile.
            if text == nil, errno == ENOENT || errno == ESRCH { continue }
            guard let state = text.flatMap(State.init) else { throw folder.failure(Self.unknownTracer) }
            try state.checkIsUntraced()
        }
    }

    private static let unknownTracer = "it cannot be determined whether it is being traced"

    /// Parts of the file `status` of a process, which are those of its first thread, or of another thread.
    struct State {
        /// The process that traces the thread, as a debugger does; 0 for none.
        let tracer: Int32
        /// The size of its code, in KiB.
        let codeSize: UInt64?

        init?(_ status: [UInt8]) {
            guard let tracer = ProcessStatus.tracer(status) else { return nil }
            self.tracer = tracer
            codeSize = ProcessStatus.codeSize(status)
        }

        func checkIsUntraced() throws(IdentityError) {
            guard tracer == 0 else { throw IdentityError("process \(tracer) is tracing it, as a debugger does") }
        }
    }

    /// Its executable memory, if none of it was modified since it was mapped from files.
    func executableMemory() throws(IdentityError) -> ExecutableMemory {
        guard let text = folder.contents("maps", limit: ExecutableMemory.largestByteCount),
            text.count < ExecutableMemory.largestByteCount, !text.isEmpty
        else { throw folder.failure("its loaded code cannot be listed") }
        guard let memory = ExecutableMemory(text: text) else {
            throw IdentityError("the list of its loaded code cannot be parsed")
        }
        guard try !hasCopies(memory.unwritten) else {
            throw IdentityError(
                "its loaded code was modified, as by a debugger or a library that was unmapped"
            )
        }
        return memory
    }

    /// Whether a page at some of these addresses was written to.
    private func hasCopies(_ addresses: [Range<UInt64>]) throws(IdentityError) -> Bool {
        if let file = folder.open("pagemap") {
            let pages = PageMap(file)
            return addresses.contains { pages.hasCopiedPage($0) }
        }
        let failure = folder.failure("it cannot be determined whether its code was modified")
        // Only its user may open that file, unlike the other one: the system service has CAP_SYS_PTRACE, but not
        // CAP_DAC_READ_SEARCH.
        guard let text = folder.contents("smaps", limit: Self.mostMappingBytes), text.count < Self.mostMappingBytes,
            let copies = CopiedMappings(text: text)
        else { throw failure }
        return addresses.contains { copies.overlap($0) }
    }

    private static let mostMappingBytes = 1 << 26

    /// Its control group; `nil` if there are none.
    func controlGroup() -> ControlGroup? {
        folder.contents("cgroup", limit: 1 << 14).flatMap { ControlGroup(text: $0) }
    }

    /// A file in its root folder; `nil` when there is none.
    func contents(ofFileInRoot name: String, limit: Int) -> [UInt8]? {
        guard let root = Descriptor("root", below: folder.number, O_RDONLY | O_DIRECTORY),
            let file = Descriptor(name, below: root.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let status = file.status, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return file.contents(limit: limit)
    }

    /// O_PATH (open(2)), which Glibc keeps from Swift: no right to list the folders on the way is needed.
    private static let asPath: Int32 = 0o10_000_000

    /// Whether it has the same folder as this process at a path, and on a writable mount.
    ///
    /// Symbolic links in its own view are not followed.
    func canWrite(toFolder path: String) -> Bool {
        guard let resolved = realpath(path, nil) else { return false }
        defer { free(resolved) }
        var ours = stat()
        guard let path = String(validatingCString: resolved), stat(path, &ours) == 0,
            var theirs = Descriptor("root", below: folder.number, Self.asPath | O_DIRECTORY)
        else { return false }
        for name in path.split(separator: "/") {
            let flags = Self.asPath | O_DIRECTORY | O_NOFOLLOW
            guard let next = Descriptor(String(name), below: theirs.number, flags) else { return false }
            theirs = next
        }
        var system = statvfs()
        guard let status = theirs.status, fstatvfs(theirs.number, &system) == 0 else { return false }
        return status.st_dev == ours.st_dev && status.st_ino == ours.st_ino && system.f_flag & UInt(ST_RDONLY) == 0
    }

    /// In which ways its view of the system differs from this process's: names of namespaces, or its root folder.
    func foreignViews() throws(IdentityError) -> [String] {
        let views = [("ns/pid", "PID namespace"), ("ns/mnt", "mount namespace"), ("root", "root folder")]
        var foreign: [String] = []
        for (name, text) in views {
            var theirs = stat()
            var ours = stat()
            guard fstatat(folder.number, name, &theirs, 0) == 0, stat("/proc/self/\(name)", &ours) == 0 else {
                if errno == EACCES || errno == EPERM { return try foreignViewsOfAnybody() }
                throw folder.failure("its \(text) cannot be inspected")
            }
            if theirs.st_dev != ours.st_dev || theirs.st_ino != ours.st_ino { foreign.append(text) }
        }
        return foreign
    }

    /// The same from world-readable files, for a process that others may not inspect, such as `keychainctl`: its
    /// mounts, by identifiers that are unique on the host (proc(5), `mountinfo`), and its PID namespaces.
    func foreignViewsOfAnybody() throws(IdentityError) -> [String] {
        guard let theirs = folder.contents("status", limit: 1 << 14),
            let ours = Self.contents("/proc/self/status", limit: 1 << 14)
        else { throw folder.failure("its PID namespace cannot be inspected") }
        var foreign: [String] = []
        let counts = [theirs, ours].map(ProcessStatus.namespaceCount)
        if counts[0] != counts[1] { foreign.append("PID namespace") }
        var hasSameMounts = false
        // Something may be mounted between the two reads.
        for _ in 0..<3 where !hasSameMounts {
            guard let theirs = folder.contents("mountinfo", limit: Self.mostMountBytes), !theirs.isEmpty,
                let ours = Self.contents("/proc/self/mountinfo", limit: Self.mostMountBytes)
            else { throw folder.failure("its mount namespace cannot be inspected") }
            hasSameMounts = theirs == ours
        }
        if !hasSameMounts { foreign.append("mount namespace") }
        return foreign
    }

    private static let mostMountBytes = 1 << 22

    private static func contents(_ path: String, limit: Int) -> [UInt8]? {
        guard let file = Descriptor(path, O_RDONLY) else { return nil }
        return file.contents(limit: limit)
    }
}

/// The memory of a process as execve(2) made it.
///
/// An open list of mappings (proc(5), `maps`) belongs to that memory, and is empty once the process has executed
/// another program: one that executes its first program again cannot hide that it was another meanwhile.
final class ProcessImage: Sendable {
    private let map: Descriptor

    /// The memory of an open `maps`; `nil` when that has gone already.
    init?(map: consuming Descriptor) {
        self.map = map
        guard isCurrent else { return nil }
    }

    /// Whether the process has that memory still.
    var isCurrent: Bool {
        var byte: UInt8 = 0
        return pread(map.number, &byte, 1, 0) == 1
    }
}

/// The folder of a process in `/proc`, opened.
private struct ProcessFolder: Sendable, ~Copyable {
    let number: Int32

    init(_ process: Int32) throws(IdentityError) {
        number = Glibc.open("/proc/\(process)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number < 0 else { return }
        // A process that nobody else may look into is not shown to its own user either (proc(5), hidepid=).
        let isHidden = kill(process, 0) == 0 || errno == EPERM
        throw IdentityError(
            isHidden
                ? "/proc does not show process \(process): it is mounted with hidepid=, with which only the system "
                    + "service works" : "there is no process \(process)"
        )
    }

    deinit { close(number) }

    func open(_ name: String) -> Descriptor? { Descriptor(name, below: number, O_RDONLY) }

    func contents(_ name: String, limit: Int) -> [UInt8]? {
        guard let file = open(name) else { return nil }
        return file.contents(limit: limit)
    }

    /// The numbers of its threads; none if they cannot be read.
    var threads: [Int32] {
        FolderNames.of("/proc/self/fd/\(number)/task", beginningWith: "").compactMap { Int32($0) }
    }

    func startTime() throws(IdentityError) -> UInt64 {
        guard let text = contents("stat", limit: 4096), let time = ProcessStatus.startTime(text) else {
            throw failure("its start time cannot be read")
        }
        return time
    }

    func user() throws(IdentityError) -> UInt32 {
        guard let text = contents("status", limit: 1 << 14), let user = ProcessStatus.effectiveUser(text) else {
            throw failure("its user cannot be read")
        }
        return user
    }

    func failure(_ what: String) -> IdentityError {
        switch errno {
        case EACCES, EPERM:
            IdentityError(
                "\(what): other processes of its user may not inspect it (PR_SET_DUMPABLE, or higher privileges)"
            )
        case ENOENT, ESRCH: IdentityError("\(what): it has exited")
        case let failure: IdentityError("\(what): \(SystemText.of(failure))")
        }
    }
}
