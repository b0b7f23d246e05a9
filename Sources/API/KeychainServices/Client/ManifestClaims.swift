// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost

/// The claims of the signed manifest next to an executable, not verified (Identity, "Signed manifests").
///
/// A daemon verifies the manifest and grants its groups. The embedded keychain uses the same groups, so that a program
/// finds its items in both; the daemon reports a manifest that is no longer valid. In the embedded keychain, groups
/// organize items, and are not a security boundary: a program could claim them without a manifest.
struct ManifestClaims: Hashable {
    /// The prefix of the groups: the team identifier and a period.
    let prefix: String

    /// The groups in their order.
    let accessGroups: [String]

    /// The maximum size of the file, in bytes; daemons read no larger one.
    private static let largestByteCount = 1 << 18

    /// The maximum number of groups that count.
    private static let maximumGroups = 256

    /// Reads the manifest next to an executable; `nil` if there is none, or it is invalid.
    init?(executable: String) {
        let path = executable + Client.manifestSuffix
        guard let text = Self.contents(path) else { return nil }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Self.decoded(parts[1]), let value = try? JSONParser.parse(payload),
            let team = value["team"].string, !team.isEmpty, let groups = value["accessGroups"].elements
        else { return nil }
        let prefix = "\(team)."
        self.prefix = prefix
        accessGroups = Array(
            groups.prefix(Self.maximumGroups).compactMap(\.string).filter { $0.utf8.starts(with: prefix.utf8) }
        )
    }

    /// The contents of a regular file: another one might never come to its end.
    private static func contents(_ path: String) -> Data? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try? file.read(upToCount: largestByteCount)
    }

    /// Bytes in base 64 for URLs, without padding (RFC 4648, section 5).
    private static func decoded(_ text: Data) -> Data? {
        var text = Data(
            text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
        )
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: text)
    }
}
