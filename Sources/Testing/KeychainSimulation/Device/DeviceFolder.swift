// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// A folder of mode 0700 that is removed, with its contents, when the object is deallocated.
final class DeviceFolder: Sendable {
    let path: String

    init() throws(VirtualDeviceError) {
        let name = "virtual-device-\(UUID().uuidString)"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: true)
        do {
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw VirtualDeviceError(KeychainError(.io, "the folder of the device cannot be made: \(error)"))
        }
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(of name: String) -> String { "\(path)/\(name)" }
}
