// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `delete-generic-password` and `delete-internet-password`.
struct DeletePassword: Command {
    let kind: PasswordKind

    var options: OptionSyntax { kind.deleteOptions }

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var fields = PasswordFields(kind, function: PasswordSearch.preparing)
        for option in invocation.arguments.options {
            guard try fields.parse(option) else { throw CommandFailure.usage }
        }
        try invocation.checkOptions(options)
        guard !fields.values.isEmpty else { throw CommandFailure.usage }
        let search = try PasswordSearch(for: fields, operands: invocation.arguments.operands, in: session.keychains)
        let item = try search.first()
        try session.output.write(AttributeBlock.text(item))
        let deletion = Result { () throws(CommandFailure) in
            try reporting("SecKeychainItemDelete") { () throws(KeychainError) in try item.store.delete(item) }
        }
        // macOS prints this in any case; the status is decisive.
        try session.errors.write("password has been deleted.\n")
        try deletion.get()
        return 0
    }
}
