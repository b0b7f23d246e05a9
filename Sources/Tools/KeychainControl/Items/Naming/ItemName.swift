// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// The name of a password on a command line: `SERVICE/ACCOUNT`, `SERVICE`, or a ``SecretReference``.
///
/// Lists show an item with an account as `SERVICE/ACCOUNT`, and one without as `SERVICE`. A slash may be part of
/// either.
struct ItemName: ParsableArguments {
    @Argument(
        help: "SERVICE/ACCOUNT, SERVICE alone, or a reference keychain://SERVICE/ACCOUNT.",
        completion: ItemCompletion.name
    )
    var name: String

    @OptionGroup var filter: ItemFilter

    /// What the name may mean: those of the first group for which there are items are meant.
    ///
    /// - Throws: ``Refusal`` if it is a reference with a mistake, or contradicts the options.
    func choices() throws(Refusal) -> [[ItemChoice]] { try Self.choices(name, filter) }

    /// What a name may mean.
    static func choices(_ name: String, _ filter: ItemFilter) throws(Refusal) -> [[ItemChoice]] {
        guard !name.hasPrefix(SecretReference.prefix) else {
            let reference = try SecretReference(name)
            guard reference.field == .password, filter.isEmpty else {
                throw Refusal(
                    "a reference that names an item has no field, and stands for --account and the like",
                    .usage
                )
            }
            return [[reference.choice]]
        }
        guard !name.isEmpty else { throw Refusal("an item without a service has no name here", .usage) }
        let base = ItemChoice(
            service: name,
            account: filter.account,
            itemClass: filter.itemClass?.itemClass,
            group: filter.group
        )
        guard filter.account == nil else { return [[base]] }
        var withoutAccount = base
        withoutAccount.account = ""
        return [divisions(name).map { base.with(service: $0, account: $1) } + [withoutAccount], [base]]
    }

    /// A name at each of its slashes, as service and account.
    static func divisions(_ name: String) -> [(service: String, account: String)] {
        // By bytes: with a combining mark behind it, a slash is a part of another character.
        let bytes = Array(name.utf8)
        return bytes.indices.dropFirst().filter { bytes[$0] == UInt8(ascii: "/") }.map { slash in
            (String(decoding: bytes[..<slash], as: UTF8.self), String(decoding: bytes[(slash + 1)...], as: UTF8.self))
        }
    }
}

/// The options that choose among passwords.
struct ItemFilter: ParsableArguments {
    @Option(name: .shortAndLong, help: "The account; the name is the service then, with all of its slashes.")
    var account: String?

    @Option(name: .customLong("class"), help: "Only generic passwords, or those of servers.")
    var itemClass: PasswordClass?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Only items of this access group; else those of all.", valueName: "group")
    )
    var group: String?

    /// Whether no option was given.
    var isEmpty: Bool { account == nil && itemClass == nil && group == nil }
}

extension ItemChoice {
    /// The same class and group.
    fileprivate func with(service: String, account: String) -> ItemChoice {
        var choice = self
        (choice.service, choice.account) = (service, account)
        return choice
    }
}
