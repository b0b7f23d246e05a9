// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CKeychainSupport
import CommandHelp
import Glibc
import KeychainHost

/// Keeps a private folder until a process has ended: run by ``KeptFolder``, in the background.
struct KeepFolderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep-folder",
        abstract: "Makes a private folder, and removes it when a process has ended.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl keep-folder /run/user/1000 --process 3": "Goes to the background, and writes the path."
        ]),
        shouldDisplay: false
    )

    @Argument(help: "Where the folder is made.")
    var parent: String

    @Option(help: ArgumentHelp("A descriptor of the process (pidfd_open(2)).", valueName: "n"))
    var process: Int32

    func run() throws {
        // What would end the command as well must not end this before it.
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        let failure = keychain_go_to_background(process)
        guard failure == 0 else { throw Refusal(String(cString: strerror(failure))) }
        chdir("/")
        let folder: SecretFolder
        do throws(FileError) { folder = try SecretFolder(in: parent) } catch {
            keychain_background_report(EXIT_FAILURE, "\(error)")
            throw ExitCode.failure
        }
        keychain_background_report(EXIT_SUCCESS, folder.path)
        withExtendedLifetime(folder) {
            var state = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
            while poll(&state, 1, -1) < 0, errno == EINTR {}
        }
    }
}
