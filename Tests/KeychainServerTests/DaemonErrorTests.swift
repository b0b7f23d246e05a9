// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import KeychainWire
import Testing

@testable import KeychainClient

/// What the errors of a client say can be done, which depends on whose daemon it is.
struct DaemonErrorTests {
    private static let user = SocketLocation(path: "/run/user/7/swift-keychain/keychaind.sock")
    private static let other = SocketLocation(path: "/srv/keychain/s", isSystemService: true)

    @Test(
        "only the user's own daemon is restarted by keychainctl; root has to do that with the system service",
        arguments: [
            (user, "`keychainctl service restart`"), (.system, "`systemctl"), (other, "root"),
        ]
    )
    func advice(_ location: SocketLocation, _ advice: String) {
        for error in [
            KeychainError.silence(location), .otherVersion(location, own: 1...2, lowest: nil, highest: 0),
            KeychainError(noDaemon: .system(call: "connect", path: location.path, errno: ECONNREFUSED), at: location),
        ] {
            #expect(error.reason.contains(advice), "\(error.reason)")
            #expect(error.reason.contains("keychainctl") == !location.isSystemService, "\(error.reason)")
        }
    }

    @Test("what is in the place of a socket is named")
    func inThePlace() throws {
        let folder = try TemporaryFolder()
        let location = SocketLocation(path: folder.path(of: "s"))
        let refused = FileError.system(call: "connect", path: location.path, errno: EACCES)
        #expect(KeychainError(noDaemon: refused, at: location).reason.contains("Permission denied"))
        #expect(FileManager.default.createFile(atPath: location.path, contents: Data()))
        #expect(KeychainError(noDaemon: refused, at: location).reason.contains("is not a socket; move it away"))
    }
}
