// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The code that a process had loaded at the last check, for checking it again.
final class CheckedCode: Sendable {
    private let code: LoadedCode
    private let limits: CheckEffort.Limits
    private let allowance: LoadedCode.Allowance
    private let image: ProcessImage
    private let last: Mutex<Look>

    private struct Look {
        var size: UInt64?
        var libraries: [LoadedCode.HashedFile]
        var time: ContinuousClock.Instant
    }

    /// For how long code of the same size is assumed to be unchanged.
    private static let lifetime = Duration.seconds(1)

    /// Checks the code of a process, within the effort of the hashes.
    ///
    /// - Throws: ``IdentityError`` for code that it may not execute.
    init(
        of process: PeerProcess,
        _ code: LoadedCode,
        _ allowance: LoadedCode.Allowance
    ) throws(IdentityError) {
        limits = code.hashes.effort?.limits ?? CheckEffort.Limits()
        var later = code
        later.hashes = code.hashes.within(nil)
        self.code = later
        self.allowance = allowance
        image = try process.openImage()
        last = Mutex(try Self.inspect(process, in: try process.state(), code: code, within: allowance))
    }

    /// The hashes for another check of a process.
    func hashes(for process: PeerProcess) -> ExecutableHashes { code.hashes.within(process.effort(limits)) }

    /// Checks the code again, if it may have changed.
    ///
    /// - Returns: Whether it may have changed.
    /// - Throws: ``IdentityError`` for code that it may not execute.
    func check(_ process: PeerProcess, _ state: PeerProcess.State) throws(IdentityError) -> Bool {
        guard image.isCurrent else { throw IdentityError("it executed a program since it connected (execve(2))") }
        let last = last.withLock(\.self)
        var code = code
        code.hashes = hashes(for: process)
        // A library is hashed each time: it can be written to while a process executes it, unlike an executable.
        let isSame =
            last.size == state.codeSize && last.time.advanced(by: Self.lifetime) > .now
            && last.libraries.allSatisfy { $0.isUnchanged(code.hashes) }
        if isSame { return false }
        code.hashes = hashes(for: process)
        let look = try Self.inspect(process, in: state, code: code, within: allowance)
        self.last.withLock { $0 = look }
        return true
    }

    // The size is read before the check, so code that is loaded meanwhile is noticed next time.
    private static func inspect(
        _ process: PeerProcess,
        in state: PeerProcess.State,
        code: LoadedCode,
        within allowance: LoadedCode.Allowance
    ) throws(IdentityError) -> Look {
        let time = ContinuousClock.now
        return Look(
            size: state.codeSize,
            libraries: try code.check(try process.executableMemory(code.hashes.effort), allowance),
            time: time
        )
    }
}
