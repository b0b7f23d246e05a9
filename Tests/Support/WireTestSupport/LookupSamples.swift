// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Commands by lookup attributes and their replies, with every case of every value.
enum LookupSamples {
    static let attributes: [LookupAttributes] = {
        let pairs: [LookupAttributes.Pair] = [.init("user", "é"), .init("", ""), .init("service", "e\u{301}")]
        guard let attributes = try? LookupAttributes(pairs) else { preconditionFailure("their names differ") }
        return [LookupAttributes(), attributes]
    }()

    static let requests: [LookupRequest] =
        (attributes.flatMap { attributes in
            [
                .search(attributes), .change(WireSamples.identifier, .attributes(attributes)),
                .store(
                    LookupContents(
                        attributes: attributes,
                        label: "é",
                        secret: WireSamples.secret("s"),
                        contentType: "text/plain",
                        created: attributes.isEmpty ? nil : .referenceDate,
                        modified: attributes.isEmpty ? nil : Timestamp(secondsSinceReferenceDate: 1.5)
                    ),
                    replacing: attributes.isEmpty
                ),
            ]
        } + [
            .describe([]), .describe([WireSamples.identifier, .zero]), .secrets([WireSamples.identifier]),
            .change(WireSamples.identifier, .label("")),
            .change(WireSamples.identifier, .secret(SecretBytes(), contentType: "")), .delete(WireSamples.identifier),
        ]).flatMap { operation in
            [
                LookupRequest(operation, client: WireSamples.clients[0]),
                LookupRequest(operation, client: WireSamples.clients[1], context: WireSamples.contexts[1]),
            ]
        }

    static let replies: [KeychainReply] =
        [
            .lookupMatches([]),
            .lookupMatches([LookupMatch(WireSamples.identifier, isLocked: true), LookupMatch(.zero, isLocked: false)]),
            .lookupItems([LookupItem(.zero, isLocked: true)]),
            .lookupItems([
                LookupItem(
                    WireSamples.identifier,
                    isLocked: false,
                    attributes: attributes[1],
                    label: "é",
                    created: .referenceDate,
                    modified: Timestamp(secondsSinceReferenceDate: 1.5)
                )
            ]), .lookupSecrets([]),
            .lookupSecrets([LookupSecret(WireSamples.identifier, WireSamples.secret("s"), contentType: "a/b")]),
        ] + [true, false].map { .lookupStored(LookupStored(WireSamples.identifier, isNew: $0)) }
}
