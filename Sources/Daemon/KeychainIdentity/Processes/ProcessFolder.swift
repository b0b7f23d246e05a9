// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The folder of a process in `/proc`, opened.
struct ProcessFolder: Sendable, ~Copyable {
    let number: Int32

    init(_ process: Int32) throws(IdentityError) {
        number = Glibc.open("/proc/\(process)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number < 0 else { return }
        // A process that other processes may not inspect is hidden even from its own user (proc(5), hidepid=).
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

    /// The most bytes of `status`: its line of groups has up to 65536 (credentials(7)), of eleven bytes at most.
    static let maximumStatusBytes = 1 << 20

    func startTime() throws(IdentityError) -> UInt64 {
        guard let text = contents("stat", limit: 4096), let time = ProcessStatus.startTime(text) else {
            throw failure("its start time cannot be read")
        }
        return time
    }

    func user() throws(IdentityError) -> UInt32 {
        guard let text = contents("status", limit: Self.maximumStatusBytes),
            let user = ProcessStatus.effectiveUser(text)
        else {
            throw failure("its user cannot be read")
        }
        return user
    }

    /// The label of AppArmor; `nil` if there is none.
    var securityLabel: String? {
        let attribute = contents("attr/apparmor/current", limit: 4096) ?? []
        return String(validating: attribute.prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self)
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
