// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Explanations with every case of every value.
package enum ExplanationSamples {
    /// Requests with every option.
    package static let requests: [ExplanationRequest] = [
        ExplanationRequest(KeychainRequest(.delete(["acct": .string("a")]), client: WireSamples.clients[1])),
        ExplanationRequest(
            KeychainRequest(.add([:]), client: WireSamples.clients[0]),
            ExplanationOptions(
                scope: .owner,
                itemLimit: -1,
                comparesEveryItem: true,
                lockState: .locked,
                now: Timestamp(secondsSinceReferenceDate: 7),
                explainsSuccess: false
            )
        ),
    ]

    /// Explanations.
    package static let explanations: [Explanation] = [
        explanation(device(.locked)),
        Explanation(
            function: .update,
            scope: .client,
            device: device(.beforeFirstUnlock),
            groups: ExplainedGroups(list: ["a", "b"], default: "a", searched: ["b"]),
            faults: RequestCheck.allCases.map {
                ExplainedFault(
                    check: $0,
                    part: .attributes,
                    isOfAddition: $0 == .entries,
                    error: .parameter("a reason")
                )
            },
            error: KeychainError(.duplicateItem, "a reason", subject: "acct"),
            authentication: ExplainedAuthentication(
                accessControls: WireSamples.accessControls,
                asksForApplicationPassword: true,
                asksForNewApplicationPassword: true,
                obstacle: .passcodeNotSet
            ),
            search: search,
            additions: [ExplainedAddition(itemClass: .key, attributes: attributes, hasData: true, holder: items[0])],
            update: ExplainedUpdate(attributes: attributes, setsData: true, ignored: ["mdat"]),
            effect: ExplainedEffect(
                count: 5,
                byClass: [.key: 2, .certificate: 3],
                items: items,
                conflicts: [.init(item: items[0], holder: items[1])]
            )
        ),
    ]

    private static func explanation(_ device: ExplainedDevice) -> Explanation {
        Explanation(
            function: .copyMatching,
            scope: .owner,
            device: device,
            groups: ExplainedGroups(list: [], default: nil, searched: nil)
        )
    }

    private static func device(_ state: LockState) -> ExplainedDevice {
        ExplainedDevice(
            lockState: state,
            hasPasscode: true,
            availableLevels: [.always, .afterFirstUnlock],
            biometry: WireSamples.biometries[1],
            enforcesAccessControl: false,
            now: .referenceDate
        )
    }

    private static let attributes: Attributes = [
        "acct": .string("e\u{301}"), "svce": .data([1, 2]), "port": .number(.integer(443)),
        "cdat": .date(.referenceDate),
        "accc": .accessControl(WireSamples.accessControls[0]),
    ]

    private static let items: [ExplainedItem] = {
        let conditions: [ExplainedItem.Condition] = [
            .open, .locked, .destroyed, .damaged("metadata"), .quarantined("oversized"),
        ]
        let access: [ExplainedItem.Access] = [
            .granted, .demanded(obstacle: nil), .denied, .unknown, .demanded(obstacle: .notInteractive),
        ]
        let items = zip(conditions, access).map { condition, access in
            ExplainedItem(
                itemClass: .genericPassword,
                persistentReference: [1, 2, 3],
                level: "ak",
                attributes: condition == .open ? attributes : nil,
                hasData: condition == .open ? true : nil,
                condition: condition,
                access: access,
                group: condition == .open ? "a" : nil,
                isSynchronizable: condition == .open ? false : nil,
                isInClientGroups: condition == .open,
                failed: [0, 3],
                passedOver: [1],
                unknown: [2]
            )
        }
        var pair = items[0]
        pair.itemClass = .identity
        pair.halves = items
        return items + [pair]
    }()

    private static let search = ExplainedSearch(
        itemClass: .identity,
        terms: ExplainedTerm.Kind.allCases.map { kind in
            ExplainedTerm(
                key: "acct",
                kind: kind,
                value: kind == .attribute ? .string("a") : nil,
                groups: kind == .clientGroups ? ["a", "b"] : nil,
                isGiven: kind != .clientGroups,
                ruledOut: 3,
                ruledOutAlone: 1
            )
        },
        limit: .atMost(3),
        hasExplicitLimit: true,
        returns: ["r_Data"],
        authenticationUI: .skip,
        population: [.genericPassword: 10],
        matchCount: 1,
        patterns: [.init(itemClass: .genericPassword, failed: [1, 2], count: 9)],
        candidates: items,
        isBounded: true,
        comparesEveryItem: true,
        loneHalves: items
    )
}
