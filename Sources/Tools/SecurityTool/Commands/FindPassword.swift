// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// `find-generic-password` and `find-internet-password`.
struct FindPassword: Command {
    let kind: PasswordKind

    var options: OptionSyntax { kind.findOptions }

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var fields = PasswordFields(kind, function: PasswordSearch.preparing)
        var showsPassword = false
        var showsOnlyPassword = false
        for option in invocation.arguments.options {
            if try fields.parse(option) { continue }
            switch option.letter {
            case "g": showsPassword = true
            case "w": showsOnlyPassword = true
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        let search = try PasswordSearch(for: fields, operands: invocation.arguments.operands, in: session.keychains)
        guard showsPassword || showsOnlyPassword else {
            let item = try search.first()
            try session.output.write(AttributeBlock.text(item))
            return 0
        }
        let (item, secret) = try search.firstWithSecret()
        if showsOnlyPassword {
            try session.output.write(ValueFormat.bare(secret).line())
        } else {
            try session.output.write(AttributeBlock.text(item))
            try session.errors.write(ValueFormat.quoted(secret).line(after: "password: "))
        }
        return 0
    }
}

extension SecretBytes {
    /// The bytes as a line, for one system call.
    fileprivate func line(after beginning: StaticString = "") -> SecretBytes {
        var line = SecretBuffer(capacity: beginning.utf8CodeUnitCount + count + 1)
        line.append(beginning)
        withUnsafeBytes { line.append($0) }
        line.append("\n")
        return line.bytes
    }
}
