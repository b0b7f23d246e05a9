// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CKeychainSupport
import CommandHelp
import Crypto
import Glibc
import KeychainCore
import KeychainHost

/// Clears the clipboard later, unless it has something else by then: run by ``ClipCommand``, in the background.
struct ClearClipboardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear-clipboard",
        abstract: "Clears the clipboard, if what it has fits the digest on standard input.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl clear-clipboard xclip --after 45 < digest": "Waits before."
        ]),
        shouldDisplay: false
    )

    @Argument(help: "wayland, xclip, xsel or the path of a terminal.")
    var clipboard: Clipboard

    @Option(help: ArgumentHelp("The time before.", valueName: "seconds"))
    var after: UInt32

    func run() throws {
        // Otherwise it would end with the terminal.
        setsid()
        let surroundings = Surroundings.current
        let digest = try SecretFile.read("-", standardInput: surroundings.standardInput)
        var left = after
        while left > 0 { left = sleep(left) }
        if let contents = clipboard.contents(), ClipboardDigest.of(contents) != digest { return }
        try clipboard.clear()
    }

    /// Starts it.
    @Sendable
    static func start(_ clipboard: Clipboard, _ digest: SecretBytes, after seconds: Int) throws(Refusal) {
        let input = digest.withUnsafeBytes { keychain_sealed_memory($0.baseAddress, $0.count) }
        let output = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { if input >= 0 { close(input) } }
        guard input >= 0, output >= 0 else { throw failure(errno) }
        let words = ["/proc/self/exe", configuration.commandName ?? "", clipboard.text, "--after", "\(seconds)"]
        try ChildProgram.start(words, input: input, outputs: [output, output])
    }

    private static func failure(_ number: Int32) -> Refusal {
        Refusal("the clipboard will not be cleared: \(String(cString: strerror(number)))")
    }
}

/// What the clipboard is known by to the program that clears it.
enum ClipboardDigest {
    static func of(_ contents: [UInt8]) -> SecretBytes { SecretBytes(Array(SHA256.hash(data: contents))) }
}

extension Clipboard: ExpressibleByArgument {
    init?(argument: String) {
        switch argument {
        case "wayland": self = .wayland
        case "xclip": self = .xclip
        case "xsel": self = .xsel
        case _ where argument.hasPrefix("/"): self = .terminal(argument)
        default: return nil
        }
    }

    /// What is read as it.
    var text: String {
        switch self {
        case .wayland: "wayland"
        case .xclip: "xclip"
        case .xsel: "xsel"
        case .terminal(let path): path
        }
    }
}
