// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// A process at the other end of a Unix socket, or one named by its PID: held so that no other process is mistaken for
/// it, even if its PID is reused.
///
/// Everything is read relative to its folder in `/proc`, which is opened once: after its exit, that folder is empty.
package final class PeerProcess: Sendable {
    /// Its PID, in the PID namespace of this process.
    package let identifier: Int32

    /// When it was started, in clock ticks since boot (proc(5), `/proc/PID/stat`, field 22).
    package let startTime: UInt64

    /// The user that it ran as when it connected (the effective one).
    package let user: UInt32

    /// The label of a security module, such as AppArmor; `nil` if there is none.
    let securityLabel: String?

    /// Whether it is certainly the process that connected: by a pidfd, or because it was started before the connection.
    package let isExact: Bool

    /// Its folder in `/proc`.
    let folder: ProcessFolder

    /// The process that connected to a socket.
    ///
    /// - Parameters:
    ///   - socket: the connected socket.
    ///   - greetingByteCount: the number of bytes it may already have sent. Everything it sends later comes from the
    ///     program that is identified here: a process that sends a command and then calls execve(2) is refused.
    /// - Throws: ``IdentityError`` if the process has exited, is not visible here, or has sent more than that.
    package init(socket: Int32, greetingByteCount: Int) throws(IdentityError) {
        var process: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
        let failure = keychain_peer_credentials(socket, &process, &user, &group)
        guard failure == 0 else { throw .system("getsockopt(SO_PEERCRED)", on: "the socket", failure: failure) }
        guard process > 0 else {
            throw IdentityError("the process is in a PID namespace that is not visible here")
        }
        var isExact: Int32 = 0
        guard let pidfd = Descriptor(taking: keychain_peer_open(socket, process, &isExact)) else {
            throw errno == ESRCH
                ? Self.ended(process) : .system("getsockopt(SO_PEERPIDFD)", on: "process \(process)", failure: errno)
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
    package init(identifier: Int32) throws(IdentityError) {
        folder = try ProcessFolder(identifier)
        startTime = try folder.startTime()
        user = try folder.user()
        self.identifier = identifier
        isExact = true
        securityLabel = folder.securityLabel
    }

    /// The process of which another service, such as a message bus, says that it connected there.
    ///
    /// - Parameters:
    ///   - identifier: its PID.
    ///   - user: the user that it ran as when it connected.
    ///   - pidfd: a descriptor of it (pidfd_open(2)); `nil` if the service has none.
    ///   - connectedBefore: when it was connected already, in clock ticks since boot: without a descriptor, the
    ///     process is exact only if it was not started later. `nil` if that is not known.
    /// - Throws: ``IdentityError`` if the process has exited, or is not visible here.
    package init(
        identifier: Int32,
        of user: UInt32,
        pidfd: Int32?,
        connectedBefore: UInt64?
    ) throws(IdentityError) {
        folder = try ProcessFolder(identifier)
        startTime = try folder.startTime()
        self.user = user
        self.identifier = identifier
        securityLabel = folder.securityLabel
        guard let pidfd else {
            isExact = connectedBefore.map { [startTime] in startTime <= $0 } ?? false
            return
        }
        isExact = true
        // Only now is it certain that the folder is that of the process: it has not exited since.
        guard keychain_peer_is_alive(pidfd) != 0 else { throw Self.ended(identifier) }
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

    /// The path of the executable that it runs, as the kernel reports it; `nil` if it cannot be inspected, and for what
    /// is not UTF-8.
    var executablePath: String? { linkTarget("exe", below: folder.number) }

    /// The same as bytes, which need not be UTF-8.
    package var executablePathBytes: [UInt8]? { linkBytes("exe", below: folder.number) }

    /// The path, without the mark of the kernel for an executable that was removed or replaced meanwhile.
    package var executablePathOnDisk: String? { executablePath.map(ExecutablePath.onDisk) }

    /// The contents of the executable that it runs, even if its path has changed.
    func openContents() throws(IdentityError) -> Descriptor {
        if let file = Descriptor("exe", below: folder.number, O_RDONLY) { return file }
        let failure = errno
        // A process that may not inspect it cannot read the path either (proc_pid_exe(5)): the file is then the reason.
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
        guard let state = folder.contents("status", limit: ProcessFolder.maximumStatusBytes).flatMap(State.init) else {
            throw folder.failure(Self.unknownTracer)
        }
        return state
    }

    /// The state of each of its threads.
    ///
    /// ``state()`` covers only the first thread, and a tracer of any of them can write to the memory of all.
    func threadStates() throws(IdentityError) -> [State] {
        let threads = folder.threads
        guard !threads.isEmpty else { throw folder.failure("its threads cannot be listed") }
        var states: [State] = []
        for thread in threads {
            let text = folder.contents("task/\(thread)/status", limit: ProcessFolder.maximumStatusBytes)
            // It has ended meanwhile.
            if text == nil, errno == ENOENT || errno == ESRCH { continue }
            guard let state = text.flatMap(State.init) else { throw folder.failure(Self.unknownTracer) }
            states.append(state)
        }
        return states
    }

    private static let unknownTracer = "it cannot be determined whether it is being traced"

    /// Parts of the file `status` of a process, which are those of its first thread, or of another thread.
    struct State {
        /// The process that traces the thread, as a debugger does; 0 for none.
        let tracer: Int32
        /// The user as whom it acts.
        let user: UInt32
        /// The capabilities that it has or may acquire (capabilities(7)), a bit for each.
        let capabilities: UInt64
        /// The size of its code, in KiB.
        let codeSize: UInt64?
        /// How many filters of system calls it has that any program of the user may have installed.
        let filterCount: UInt64

        init?(_ status: [UInt8]) {
            guard let tracer = ProcessStatus.tracer(status), let user = ProcessStatus.effectiveUser(status),
                let capabilities = ProcessStatus.permittedCapabilities(status)
            else { return nil }
            self.tracer = tracer
            self.user = user
            self.capabilities = capabilities
            codeSize = ProcessStatus.codeSize(status)
            filterCount = ProcessStatus.unprivilegedFilterCount(status)
        }

        func checkIsUntraced() throws(IdentityError) {
            guard tracer == 0 else { throw IdentityError("process \(tracer) is tracing it, as a debugger does") }
        }

        /// Capabilities with which a process can make the kernel name another executable as its own (prctl(2),
        /// `PR_SET_MM`), or see another system.
        private static let names: KeyValuePairs<UInt64, String> = [
            21: "CAP_SYS_ADMIN", 24: "CAP_SYS_RESOURCE", 40: "CAP_CHECKPOINT_RESTORE",
        ]

        /// Checks that it has no such capability, unless it is root, which has all of them.
        func checkPrivileges() throws(IdentityError) {
            guard user != 0, let (_, name) = Self.names.first(where: { capabilities >> $0.key & 1 == 1 }) else {
                return
            }
            throw IdentityError(
                "it has the capability \(name), with which it could appear to run another executable; only root's "
                    + "programs are identified with it"
            )
        }
    }

    /// Whether it has exited; `false` if it cannot be inspected.
    ///
    /// The kernel is asked for a link, which asks no file system.
    var hasExited: Bool {
        var byte: CChar = 0
        return readlinkat(folder.number, "exe", &byte, 1) < 0 && (errno == ENOENT || errno == ESRCH)
    }

    /// The work for a check of it.
    func effort(_ limits: CheckEffort.Limits, until deadline: Deadline? = nil) -> CheckEffort {
        CheckEffort(limits, until: deadline) { self.hasExited }
    }

    /// Its executable memory, if none of it was modified since it was mapped from files.
    func executableMemory(_ effort: CheckEffort? = nil) throws(IdentityError) -> ExecutableMemory {
        guard let file = folder.open("maps"),
            let memory = ExecutableMemory(file, limit: ExecutableMemory.largestByteCount)
        else {
            guard errno != EFBIG else { throw IdentityError(Self.tooManyMappings) }
            throw folder.failure("its loaded code cannot be listed")
        }
        guard !memory.unwritten.isEmpty else {
            errno = ESRCH
            throw folder.failure("its loaded code cannot be listed")
        }
        let limit = (effort?.limits ?? CheckEffort.Limits()).codeBytes
        guard memory.unwritten.reduce(0, { $0 + ($1.upperBound - $1.lowerBound) }) <= limit else {
            throw IdentityError("it has more than \(limit) bytes of files mapped as code, too many to be checked")
        }
        guard try !hasCopies(memory.unwritten, effort) else {
            throw IdentityError(
                "its loaded code was modified, as by a debugger or a library that was unmapped"
            )
        }
        return memory
    }

    /// Whether a page at some of these addresses was written to.
    private func hasCopies(_ addresses: [Range<UInt64>], _ effort: CheckEffort?) throws(IdentityError) -> Bool {
        if let file = folder.open("pagemap") {
            let pages = PageMap(file)
            for range in addresses where try pages.hasCopiedPage(range, effort) { return true }
            return false
        }
        let failure = folder.failure("it cannot be determined whether its code was modified")
        // Only its user may open that file, unlike the other one: the system service has CAP_SYS_PTRACE, but not
        // CAP_DAC_READ_SEARCH.
        guard let file = folder.open("smaps") else { throw failure }
        guard let copies = CopiedMappings(file, limit: Self.maximumMappingBytes) else {
            guard errno != EFBIG else { throw IdentityError(Self.tooManyMappings) }
            throw folder.failure("it cannot be determined whether its code was modified")
        }
        return addresses.contains { copies.overlap($0) }
    }

    private static let tooManyMappings =
        "it has too many mappings to be checked: at most \(ExecutableMemory.maximumMappings) may be executable"

    /// The maximum size of `smaps`, which has some 700 bytes and a path for each mapping.
    private static let maximumMappingBytes = 1 << 26

    /// Its control group; `nil` if there are none.
    func controlGroup() -> ControlGroup? {
        folder.contents("cgroup", limit: 1 << 14).flatMap { ControlGroup(text: $0) }
    }

    /// A file in its root folder; `nil` if there is none.
    func contents(ofFileInRoot name: String, limit: Int) -> [UInt8]? {
        guard let root = Descriptor("root", below: folder.number, O_RDONLY | O_DIRECTORY),
            let file = Descriptor(name, below: root.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let status = file.status, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return file.contents(limit: limit)
    }

    /// Whether it has the same folder as this process at a path, and on a writable mount.
    ///
    /// Symbolic links in its own view are not followed.
    func canWrite(toFolder path: String) -> Bool {
        guard let resolved = realpath(path, nil) else { return false }
        defer { free(resolved) }
        var ours = stat()
        guard let path = String(validatingCString: resolved), stat(path, &ours) == 0,
            var theirs = Descriptor("root", below: folder.number, Descriptor.asPath | O_DIRECTORY)
        else { return false }
        for name in path.pathNames {
            let flags = Descriptor.asPath | O_DIRECTORY | O_NOFOLLOW
            guard let next = Descriptor(name, below: theirs.number, flags) else { return false }
            theirs = next
        }
        var system = statvfs()
        guard let status = theirs.status, fstatvfs(theirs.number, &system) == 0 else { return false }
        return status.st_dev == ours.st_dev && status.st_ino == ours.st_ino && system.f_flag & UInt(ST_RDONLY) == 0
    }
}
