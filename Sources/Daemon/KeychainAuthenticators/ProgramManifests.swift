// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// Whether this program may have a manifest that identifies it (Identity).
///
/// No file is hashed for it: a folder of manifests named by digests may have one for every program.
struct ProgramManifests: Sendable {
    /// The folder of root-owned manifests.
    var rootOwned = ManifestFolders.rootOwned

    /// The folders of signed manifests that are named by digests.
    var signed = [ManifestFolders.signed] + [ManifestFolders.user.map(ManifestFolders.signed(in:))].compactMap(\.self)

    /// The largest file that is read; 1 MiB.
    private static let largestByteCount = 1 << 20

    /// Whether there may be one for an executable; `nil` means this process's own.
    func mayName(_ executable: String? = nil) -> Bool {
        guard let path = executable ?? Self.ownExecutable else { return true }
        if access(path + Client.manifestSuffix, F_OK) == 0 { return true }
        let isSigned = signed.contains { folder in
            FolderNames.of(folder, beginningWith: "").contains { $0.hasSuffix(Client.manifestSuffix) }
        }
        return isSigned
            || FolderNames.of(rootOwned, beginningWith: "").contains { names("\(rootOwned)/\($0)", path) }
    }

    private static var ownExecutable: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(validatingCString: path)
    }

    /// Whether a root-owned manifest is for an executable.
    private func names(_ file: String, _ path: String) -> Bool {
        guard file.hasSuffix(".json"), let text = Self.contents(file), let manifest = try? JSONParser.parse(text) else {
            return false
        }
        return path.isSamePath(as: manifest["path"].string)
    }

    private static func contents(_ file: String) -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), largestByteCount))
        let count = read(descriptor, &bytes, bytes.count)
        return count >= 0 ? Array(bytes[..<count]) : nil
    }
}
