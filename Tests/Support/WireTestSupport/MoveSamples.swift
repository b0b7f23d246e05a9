// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Values of moves between stores, with every case.
enum MoveSamples {
    static let rows: [MovedRow] = [
        MovedRow(
            number: 1,
            row: StoredRow(
                itemClass: .genericPassword,
                identifier: WireSamples.identifier,
                protection: "ak",
                isTombstone: true,
                keyGeneration: .max,
                version: WireSamples.identifier,
                primaryKeyTag: WireSamples.identifier,
                tags: [AttributeTag(name: "acct", tag: WireSamples.identifier)],
                metadata: [1, 2],
                secret: []
            ),
            damage: nil
        ),
        MovedRow(
            number: .max,
            row: StoredRow(
                itemClass: .key,
                identifier: .zero,
                protection: "",
                isTombstone: false,
                keyGeneration: 0,
                version: .zero,
                primaryKeyTag: .zero,
                tags: [],
                former: [3, 4]
            ),
            damage: 3
        ),
    ]

    static let devices: [MovedDevice] = {
        var record = DeviceRecord()
        record.lastAttempt = HostTime(
            bootIdentifier: "boot",
            secondsSinceBoot: 1.5,
            date: Timestamp(secondsSinceReferenceDate: 2)
        )
        record.autoLockAfterSeconds = 60
        record.owesLogErasure = true
        return [DeviceRecord(), record].map {
            MovedDevice(
                rootKey: WireSamples.secret("root"),
                keybag: [1],
                record: $0,
                rows: MovedRows(counts: [1, 0, 2, 3], byteCount: 7, digest: [9], damagedCount: 8)
            )
        }
    }()

    static let commands: [StoreMove] =
        [.status, .begin(WireSamples.identifier)] + steps.map { .step($0, of: WireSamples.identifier) }

    private static let steps: [StoreMove.Step] =
        [
            .append([]), .append(rows), .activate, .send, .rows(after: nil),
            .rows(after: MovedRow.Place(.certificate, 7)), .resume,
            .compare(copy), .remove(copy),
        ] + devices.map { .receive($0) }

    private static let copy = MovedCopy(receipt: WireSamples.secret("receipt"), digest: [1, 2])

    static let statuses: [MoveStatus] = {
        var status = MoveStatus()
        status.owner = .system
        status.storeIdentifier = WireSamples.identifier
        status.itemCounts = [1, 2, 0, 3]
        (status.hasItems, status.hasRows, status.hasPasscode) = (false, true, true)
        return [MoveStatus(), status]
    }()
}
