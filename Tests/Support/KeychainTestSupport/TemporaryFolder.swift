// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of mode 0700 for one test, removed with all that is in it when the object goes away.
public final class TemporaryFolder: Sendable {
    /// The absolute path.
    public let path: String

    /// Makes an empty folder.
    public init(prefix: String = "swift-keychain") throws {
        let base = FileManager.default.temporaryDirectory
        let url = base.appendingPathComponent("\(prefix)-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder.
    public func path(of name: String) -> String { "\(path)/\(name)" }
}
