// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `find-key`: prints every matching key.
struct FindKey: Command {
    let options: OptionSyntax = "ha:c:dD:ej:l:rst:uvw"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var search = KeySearch()
        for option in invocation.arguments.options {
            guard try search.parse(option) else { throw CommandFailure.usage }
        }
        try invocation.checkOptions(options)
        let stores: [any ItemStore]
        do throws(KeychainError) {
            stores = try session.keychains.searched(by: invocation.arguments.operands)
        } catch {
            throw CommandFailure(error, in: KeySearch.function).withStatusOne
        }
        let keys = try search.keys(in: stores)
        try session.explainGaps(in: stores, of: [.key], KeySearch.function, invocation.arguments.operands)
        for key in keys { try session.output.write(AttributeBlock.text(key)) }
        return 0
    }
}
