// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// The systemd units by which other units get their credentials from the keychain (systemd.exec(5),
/// `LoadCredential=`): those of a user's manager, and those of the system's for the keychain of root.
struct CredentialUnits {
    /// The absolute path of `keychainctl`.
    let program: String

    /// Units for the program that is beside `keychaind`.
    init(besideDaemon daemon: String) {
        program = "\(daemon.parentFolder == "/" ? "" : daemon.parentFolder)/keychainctl"
    }

    static let socketUnit = "swift-keychain-credentials.socket"
    static let serviceUnit = "swift-keychain-credentials.service"

    /// The files of a user's manager by their names.
    var files: [(name: String, text: String)] { files(socket: "%t/swift-keychain/credentials.sock") }

    /// Those of the system's manager.
    var systemFiles: [(name: String, text: String)] { files(socket: "/run/swift-keychain-credentials.sock") }

    private func files(socket: String) -> [(name: String, text: String)] {
        [(Self.socketUnit, socketText(socket)), (Self.serviceUnit, serviceText)]
    }

    private func socketText(_ socket: String) -> String {
        """
        # SPDX-License-Identifier: Apache-2.0
        [Unit]
        Description=Socket of credentials from the keychain

        [Socket]
        ListenStream=\(socket)
        DirectoryMode=0700
        SocketMode=0600
        RemoveOnStop=yes

        [Install]
        WantedBy=sockets.target

        """
    }

    private var serviceText: String {
        """
        # SPDX-License-Identifier: Apache-2.0
        [Unit]
        Description=Credentials from the keychain
        Requires=\(Self.socketUnit)
        After=\(Self.socketUnit) \(SystemdUnits.socketUnit)
        \(SystemdUnits.startLimit)

        [Service]
        ExecStart=\(SystemdUnits.escaped(program)) credential serve --exit-when-idle 60
        Restart=on-failure
        \(SystemdUnits.restartPause)
        TimeoutStopSec=20
        LimitCORE=0
        UMask=0077
        WorkingDirectory=/
        UnsetEnvironment=LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH

        """
    }
}
