// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles

/// `delete-keychain`: takes keychains out of the search list, and removes their files.
struct DeleteKeychain: Command {
    let options: OptionSyntax = "h"

    private static let function = "SecKeychainDelete"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        guard invocation.arguments.options.isEmpty else { throw CommandFailure.usage }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard !operands.isEmpty else { throw CommandFailure(.invalidKeychain, Self.function) }
        let keychains = session.keychains
        try reporting(Self.function) { () throws(KeychainError) in
            var paths: [String] = []
            var failure: KeychainError?
            for operand in operands {
                let place = try keychains.place(orDefault: operand)
                switch place {
                case .file(let path): paths.append(path)
                // It has no file that could be removed, and stays where it is listed.
                case .dataProtection: failure = .noSuchKeychain
                }
            }
            // The lists first: they must not name what is not there any more.
            for path in paths { try keychains.preferences.noteRemoval(of: path) }
            // What can be removed is removed: nobody would look for a file that is in no list.
            for path in paths {
                do throws(KeychainError) { try keychains.files.delete(at: path) } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
        return 0
    }
}
