// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Values of keychain files, with every case.
enum FileSamples {
    static let accesses: [ItemAccess] = [
        ItemAccess(descriptor: "", trustedApplications: nil), ItemAccess(descriptor: "none", trustedApplications: []),
        ItemAccess(
            descriptor: "é",
            trustedApplications: [TrustedApplication(path: "/bin/a"), TrustedApplication(path: "")],
            partitions: ["apple-tool:", "apple:"]
        ),
        ItemAccess(entries: []),
        ItemAccess(
            entries: AccessAuthorization.allCases.map {
                AccessEntry([$0, .any], for: $0 == .sign ? [] : nil, $0.rawValue, prompt: 0xFFFF)
            }
        ),
    ]

    static let settings = [
        KeychainFileSettings(), KeychainFileSettings(locksOnSleep: true, lockInterval: 3600),
        KeychainFileSettings(locksOnSleep: false, lockInterval: nil),
    ]

    static let items: [KeychainFileItem] =
        ItemClass.stored.map { KeychainFileItem(identifier: WireSamples.identifier, itemClass: $0, attributes: [:]) }
        + [
            KeychainFileItem(
                identifier: .zero,
                itemClass: .genericPassword,
                attributes: [
                    "acct": .string("anna"), "cdat": .date(.referenceDate), "gena": .data(WireSamples.secret("g")),
                ]
            )
        ]

    static let details: [KeychainFileDetails] = [
        KeychainFileDetails(isLocked: true, label: nil, created: nil, modified: .referenceDate),
        KeychainFileDetails(
            isLocked: false,
            label: "é",
            created: .referenceDate,
            modified: Timestamp(secondsSinceReferenceDate: 1)
        ),
    ]

    static let commands: [KeychainFileCommand] =
        ([
            .create(password: WireSamples.secret("p")), .delete, .lock, .unlock(password: SecretBytes()), .status,
            .changePassword(from: WireSamples.secret("1"), to: WireSamples.secret("2")), .items,
            .find(
                FileItemConditions(
                    .internetPassword,
                    [.account: .string("a"), "port": .number(.integer(0)), "labl": nil]
                )
            ),
            .secret(of: WireSamples.identifier),
            .access(of: WireSamples.identifier), .update(WireSamples.identifier, KeychainFileItem.Changes()),
            .update(
                WireSamples.identifier,
                KeychainFileItem.Changes(
                    attributes: ["acct": .string("bert"), "icmt": .null],
                    secret: WireSamples.secret("new"),
                    access: accesses[0]
                )
            ), .setPartitions(["teamid:X"], of: WireSamples.identifier, password: WireSamples.secret("p")),
            .setPartitions([], of: .zero, password: SecretBytes()), .remove(WireSamples.identifier), .details,
            .setLabel("é"),
        ] + LookupSamples.requests.map { .lookup($0.operation) } + settings.map { .setSettings($0) }
        + zip(items, accesses).map { .add($0, secret: WireSamples.secret("s"), $1) })
        .map { .keychain(path: "/home/anna/Library/Keychains/a.keychain-db", $0) } + [.lockAll]
}
