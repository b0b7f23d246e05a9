// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

/// `create-keychain`.
///
/// - Important: Differs from macOS: a password from the prompt is used for every keychain, not only the first; `-P`
///   prompts in the same way, because there is no window.
struct CreateKeychain: Command {
    let options = OptionSyntax("hp:P", secrets: "p")

    private static let function = "SecKeychainCreate"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var given: SecretBytes?
        for option in invocation.arguments.options {
            switch option.letter {
            case "p": given = option.value.bytes
            case "P": continue
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        var names = invocation.arguments.operands
        if names.isEmpty {
            guard let name = try session.askForName("keychain to create: ") else { return -1 }
            guard !name.isEmpty else { return 0 }
            names = [name]
        }
        let password =
            try given
            ?? session.prompts.askForNew(
                "password for new keychain: ",
                again: "retype password for new keychain: "
            )
        for name in names { try create(name, password: password, in: session.keychains) }
        return 0
    }

    private func create(_ name: Word, password: SecretBytes, in keychains: Keychains) throws(CommandFailure) {
        try reporting(Self.function, about: "\(name)") { () throws(KeychainError) in
            guard let text = name.text, !text.isEmpty, !text.utf8.contains(0) else {
                throw .parameter("this is no name of a file")
            }
            let path = keychains.home.newKeychainPath(text)
            try keychains.files.create(at: path, password: password)
            try keychains.preferences.recordCreation(of: path)
        }
    }
}

extension Session {
    /// Prompts for the name of a keychain, on standard input.
    ///
    /// - Returns: The line; `nil` at the end of the input.
    fileprivate func askForName(_ question: ByteText) throws -> Word? {
        try errors.write(question)
        switch try? input.next() {
        case .line(let line)?: return Word(line)
        case .tooLong?: throw CommandFailure("security: the name is longer than \(LineReader.largestLine) bytes")
        case .unfinished?, .end?, nil: return nil
        }
    }
}
