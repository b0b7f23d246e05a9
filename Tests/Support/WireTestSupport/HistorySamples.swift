// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Commands for former values and their replies, with every case of every value.
enum HistorySamples {
    private static let subject = HistoryRequest.Subject(.genericPassword, WireSamples.identifier)

    static let requests: [HistoryRequest] =
        ([
            .values(of: subject), .values(of: HistoryRequest.Subject(.internetPassword, .zero)),
            .secret(of: subject, WireSamples.identifier), .restore(subject, .zero), .keep(nil, of: subject),
            .keep(100, of: subject), .clear(subject), .numberForAll, .keepForAll(0), .clearAll,
        ] as [HistoryRequest.Operation]).flatMap { operation in
            [
                HistoryRequest(operation, client: WireSamples.clients[0]),
                HistoryRequest(operation, client: WireSamples.clients[1], context: WireSamples.contexts[1]),
            ]
        }

    static let replies: [KeychainReply] = [
        .history(ItemHistory(keep: 0, isOwn: false)),
        .history(
            ItemHistory(
                keep: 100,
                isOwn: true,
                values: [
                    FormerValue(WireSamples.identifier, replaced: .referenceDate, group: "é", byteCount: 3),
                    FormerValue(.zero, replaced: Timestamp(secondsSinceReferenceDate: 1.5), group: "", byteCount: 0),
                ]
            )
        ),
    ]
}
