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
        guard !SecretReference.isReference(name) else {
            let reference = try SecretReference(name)
            guard reference.field == .password, filter.isEmpty else {
                throw Refusal(
                    "a reference that names an item has no field, and stands for --account and the like",
                    .usage
                )
            }
            return [[reference.choice]]
        }
        let base = ItemChoice(
            service: name,
            account: filter.account,
            itemClass: filter.itemClass?.itemClass,
            group: filter.group,
            address: filter.address.parts
        )
        guard filter.account == nil else { return [[base]] }
        guard !name.isEmpty else {
            throw Refusal("a password without a service is named by /ACCOUNT, or by --account", .usage)
        }
        return [try exactChoices(name, base), [base]]
    }

    /// The items that lists show by a name.
    ///
    /// - Throws: ``Refusal`` for more than ``mostSlashes``.
    static func exactChoices(_ name: String, _ base: ItemChoice) throws(Refusal) -> [ItemChoice] {
        let divisions = divisions(name)
        guard divisions.count <= mostSlashes else {
            throw Refusal(
                "the name has \(divisions.count) slashes, any of which may end the service: give the account by --account, or a "
                    + "reference with %2F within a name",
                .usage
            )
        }
        return (divisions + [(name, "")]).map { base.with(service: $0.service, account: $0.account) }
    }

    /// There is a search for each slash.
    private static let mostSlashes = 100

    /// A name at each of its slashes, as service and account.
    static func divisions(_ name: String) -> [(service: String, account: String)] {
        // By bytes: with a combining mark behind it, a slash is a part of another character.
        let bytes = Array(name.utf8)
        return bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") }.map { slash in
            (String(decoding: bytes[..<slash], as: UTF8.self), String(decoding: bytes[(slash + 1)...], as: UTF8.self))
        }
    }
}
