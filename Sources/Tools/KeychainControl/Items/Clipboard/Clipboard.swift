// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainCore
import KeychainHost

/// A clipboard: that of the graphical session, by the programs that Debian has for it, or that of a terminal.
enum Clipboard: Hashable, Sendable {
    /// wl-clipboard.
    case wayland
    case xclip
    case xsel
    /// The newest buffer of tmux, which passes it on to the clipboard of its terminal.
    case tmux
    /// The terminal of this path, by an escape sequence (xterm, "Operating System Commands", 52), also over SSH.
    case terminal(String)

    /// The longest secret that terminals take.
    private static let terminalByteCount = 70_000

    /// The clipboard that a person sees.
    ///
    /// - Parameters:
    ///   - environment: returns the value of a variable.
    ///   - isInstalled: whether there is a program of a name.
    ///   - terminal: the path of the terminal; `nil` if there is none.
    /// - Throws: ``Refusal`` if there is none, or no program for it.
    init(
        environment: (String) -> String?,
        isInstalled: (String) -> Bool,
        terminal: String?
    ) throws(Refusal) {
        if environment("WAYLAND_DISPLAY")?.isEmpty == false {
            guard isInstalled("wl-copy") else { throw Refusal("wl-copy is not installed (wl-clipboard in Debian)") }
            self = .wayland
        } else if environment("DISPLAY")?.isEmpty == false {
            guard let program = ["xclip", "xsel"].first(where: isInstalled) else {
                throw Refusal("neither xclip nor xsel is installed")
            }
            self = program == "xclip" ? .xclip : .xsel
        } else if environment("TMUX")?.isEmpty == false, isInstalled("tmux") {
            // It takes what a program writes to it only on request (its option set-clipboard).
            self = .tmux
        } else if let terminal {
            self = .terminal(terminal)
        } else {
            throw Refusal("there is no clipboard: neither a graphical session nor a terminal")
        }
    }

    /// Puts a secret there.
    func put(_ secret: SecretBytes) throws(Refusal) {
        switch self {
        case .wayland: try run(["wl-copy", "--type", "text/plain;charset=utf-8"], secret)
        case .xclip: try run(["xclip", "-in", "-selection", "clipboard"], secret)
        case .xsel: try run(["xsel", "--input", "--clipboard"], secret)
        case .tmux: try run(["tmux", "load-buffer", "-w", "-"], secret)
        case .terminal(let path):
            guard secret.count <= Self.terminalByteCount else {
                throw Refusal("the secret is longer than the clipboards of terminals are")
            }
            try write("\u{1B}]52;c;\(Data(secret.unprotectedCopy).base64EncodedString())\u{07}", to: path)
        }
    }

    /// Removes a secret that was put there, unless it has something else by now.
    ///
    /// That of a terminal cannot be read, and is cleared in any case.
    func clear(_ secret: ClipboardDigest) throws(Refusal) {
        switch self {
        case .wayland:
            guard secret.isOf(Self.output(["wl-paste", "--no-newline"])) else { return }
            try run(["wl-copy", "--clear"], SecretBytes())
        case .xclip:
            guard secret.isOf(Self.output(["xclip", "-out", "-selection", "clipboard"])) else { return }
            try run(["xclip", "-in", "-selection", "clipboard"], SecretBytes())
        case .xsel:
            guard secret.isOf(Self.output(["xsel", "--output", "--clipboard"])) else { return }
            try run(["xsel", "--clear", "--clipboard"], SecretBytes())
        case .tmux: try TmuxBuffers.clear(secret, run: { (words) throws(Refusal) in try run(words, SecretBytes()) })
        case .terminal(let path): try write("\u{1B}]52;c;!\u{07}", to: path)
        }
    }

    /// What a program writes; `nil` if it fails, as for a picture that is asked for as text.
    static func output(_ words: [String]) -> [UInt8]? {
        guard let program = try? CapturedProgram(words, input: .null, errors: .null, atMost: 5_000), program.status == 0
        else { return nil }
        return program.output
    }

    private func run(_ words: [String], _ input: SecretBytes) throws(Refusal) {
        let descriptor = try MemoryFile.descriptor(of: input)
        defer { close(descriptor) }
        let output = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard output >= 0 else {
            throw Refusal("the clipboard cannot be reached: \(String(cString: strerror(errno)))")
        }
        // The program goes on in the background, and would keep a pipe open that is our output or takes our errors.
        let status = try ChildProgram.run(words, nil, input: descriptor, outputs: [output, output])
        guard status == 0 else { throw Refusal("\(words[0]) failed with status \(status)") }
    }

    private func write(_ sequence: String, to path: String) throws(Refusal) {
        let terminal = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else {
            throw Refusal("the terminal cannot be reached: \(String(cString: strerror(errno)))")
        }
        defer { close(terminal) }
        guard Array(sequence.utf8).withUnsafeBytes({ DescriptorOutput.write($0, to: terminal) }) else {
            throw Refusal("the terminal cannot be written to: \(String(cString: strerror(errno)))")
        }
    }
}
