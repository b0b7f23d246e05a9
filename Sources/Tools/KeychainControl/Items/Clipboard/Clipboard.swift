// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
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
        case .terminal(let path):
            guard secret.count <= Self.terminalByteCount else {
                throw Refusal("the secret is longer than the clipboards of terminals are")
            }
            try write("\u{1B}]52;c;\(Data(secret.unprotectedCopy).base64EncodedString())\u{07}", to: path)
        }
    }

    /// The contents; `nil` where they cannot be read, as those of a terminal.
    func contents() -> [UInt8]? {
        let words: [String]
        switch self {
        case .wayland: words = ["wl-paste", "--no-newline"]
        case .xclip: words = ["xclip", "-out", "-selection", "clipboard"]
        case .xsel: words = ["xsel", "--output", "--clipboard"]
        case .terminal: return nil
        }
        guard let program = try? CapturedProgram(words, input: .null, errors: .null, atMost: 5_000), program.status == 0
        else { return nil }
        return program.output
    }

    /// Removes the contents.
    func clear() throws(Refusal) {
        switch self {
        case .wayland: try run(["wl-copy", "--clear"], SecretBytes())
        case .xclip: try run(["xclip", "-in", "-selection", "clipboard"], SecretBytes())
        case .xsel: try run(["xsel", "--clear", "--clipboard"], SecretBytes())
        case .terminal(let path): try write("\u{1B}]52;c;!\u{07}", to: path)
        }
    }

    private func run(_ words: [String], _ input: SecretBytes) throws(Refusal) {
        let descriptor = input.withUnsafeBytes { keychain_sealed_memory($0.baseAddress, $0.count) }
        let output = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, output >= 0 else {
            throw Refusal("the clipboard cannot be reached: \(String(cString: strerror(errno)))")
        }
        // The program goes on in the background, and would keep a pipe of ours open.
        let status = try ChildProgram.run(words, nil, input: descriptor, outputs: [output])
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
