// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A private folder for the stores of one run.
struct Scratch {
    let folder: String

    init(in directory: String, suffix: String = "") throws {
        folder = "\(directory)/keychain-benchmarks-\(getpid())\(suffix)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// A folder in memory, where no write waits for a disk; in this one if that is not possible.
    func inMemory(suffix: String) throws -> Scratch {
        let memory = "/dev/shm"
        return try Scratch(in: FileManager.default.isWritableFile(atPath: memory) ? memory : folder, suffix: suffix)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Makes the functions of Security use a store in this folder, if called before them: a process looks once.
    func becomeHome() throws {
        setenv("SWIFT_KEYCHAIN_HOME", path(SecItemSubject.homeName), 1)
        let entitlements = try PropertyListSerialization.data(
            fromPropertyList: ["keychain-access-groups": EngineSubject.groups],
            format: .xml,
            options: 0
        )
        try entitlements.write(to: URL(fileURLWithPath: path("entitlements")))
        setenv("SWIFT_KEYCHAIN_ENTITLEMENTS", path("entitlements"), 1)
    }
}
