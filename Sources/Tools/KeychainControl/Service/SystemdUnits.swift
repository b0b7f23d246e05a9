// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The systemd units of a user's keychain daemon (systemd.socket(5), systemd.service(5)).
struct SystemdUnits {
    /// The absolute path of `keychaind`.
    let program: String

    static let socketUnit = "swift-keychain.socket"
    static let serviceUnit = "swift-keychain.service"

    /// The files by their names.
    var files: [(name: String, text: String)] {
        [
            (Self.socketUnit, socketText("Socket of the keychain", "keychaind.sock")),
            (
                Self.serviceUnit,
                serviceText("Keychain", socketUnit: Self.socketUnit, options: "--user --exit-when-idle 600")
            ),
        ]
    }

    /// The files of the daemon of keychain files, which programs start themselves if systemd does not listen.
    var filesOfFileDaemon: [(name: String, text: String)] {
        [
            (Self.fileSocketUnit, socketText("Socket of keychain files", "keychaind-files.sock")),
            (
                Self.fileServiceUnit,
                serviceText("Keychain files", socketUnit: Self.fileSocketUnit, options: "--files --exit-when-idle 60")
            ),
        ]
    }

    private static let fileSocketUnit = "swift-keychain-files.socket"
    private static let fileServiceUnit = "swift-keychain-files.service"

    private func socketText(_ description: String, _ socket: String) -> String {
        """
        # SPDX-License-Identifier: Apache-2.0
        [Unit]
        Description=\(description)

        [Socket]
        ListenStream=%t/swift-keychain/\(socket)
        DirectoryMode=0700
        SocketMode=0600
        RemoveOnStop=yes

        [Install]
        WantedBy=sockets.target

        """
    }

    // Neither NoNewPrivileges= nor anything that implies it in a user's unit (systemd.exec(5): SystemCallFilter=,
    // RestrictNamespaces=, PrivateDevices= and others): checking the user's password with PAM runs a program with
    // higher privileges (unix_chkpwd(8)).
    private func serviceText(_ description: String, socketUnit: String, options: String) -> String {
        """
        # SPDX-License-Identifier: Apache-2.0
        [Unit]
        Description=\(description)
        Requires=\(socketUnit)
        After=\(socketUnit)
        \(Self.startLimit)

        [Service]
        Type=notify
        ExecStart=\(Self.escaped(program)) \(options)
        Restart=on-failure
        \(Self.restartPause)
        RestartPreventExitStatus=2 3
        TimeoutStopSec=20
        LimitCORE=0
        UMask=0077
        WorkingDirectory=/
        UnsetEnvironment=LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH

        """
    }

    /// A crash must not make the keychain unavailable until the user restarts the socket, which a start limit would
    /// require after five starts in ten seconds (systemd.unit(5), StartLimitIntervalSec=).
    static let startLimit = "StartLimitIntervalSec=0"

    /// Instead of the limit.
    static let restartPause = "RestartSec=1"

    /// A word of a command line (systemd.service(5), "Command lines"), or of an assignment, in which a dollar sign
    /// stands for itself (systemd.exec(5), "Environment=").
    static func escaped(_ word: String, isCommand: Bool = true) -> String {
        let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
        return "\"\(isCommand ? escaped.replacing("$", with: "$$") : escaped)\""
    }

    /// Writes the files into a folder, creating it if necessary.
    func write(to folder: String) throws(Refusal) { try Self.write(files, to: folder) }

    /// Writes files into a folder, creating it if necessary.
    static func write(_ files: [(name: String, text: String)], to folder: String) throws(Refusal) {
        for (name, text) in files {
            let path = "\(folder)/\(name)"
            do throws(FileError) {
                try AtomicFile.makeFolders(above: path, mode: 0o755)
                _ = try AtomicFile.replace(path, nil, with: Array(text.utf8), mode: 0o644)
            } catch {
                throw Refusal("\(path) cannot be written: \(error)")
            }
        }
    }

    /// Whether one of the files is in a folder.
    static func isIn(_ folder: String) -> Bool {
        [socketUnit, serviceUnit].contains { access("\(folder)/\($0)", F_OK) == 0 }
    }

    /// Removes the files from a folder.
    static func remove(from folder: String) {
        for name in [socketUnit, serviceUnit] { unlink("\(folder)/\(name)") }
    }
}
