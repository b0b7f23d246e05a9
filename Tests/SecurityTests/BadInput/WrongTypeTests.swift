// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security
import Testing

/// Values of a wrong type: every column of every class, every type, every function.
struct WrongTypeTests {
    @Test("a value of a wrong type is refused and changes nothing", arguments: ItemClass.stored)
    func wrongTypeIsRefused(_ itemClass: ItemClass) throws {
        let keychain = try WitnessedKeychain()
        for column in ItemSchema.of(itemClass).columns {
            for sample in SampleValue.allCases where !Self.isAccepted(sample, column) {
                for place in AttributePlace.allCases where !Self.isIgnored(column, in: place) {
                    let status = keychain.run { place.call(for: itemClass, column: column, value: sample.value) }
                    #expect(
                        place.statusOfWrongType(column, sample).contains(status),
                        "\(column.name): \(sample) in \(place) gives \(status)"
                    )
                    try keychain.expectUntouched([itemClass], "\(column.name): \(sample) in \(place)")
                }
            }
        }
        try keychain.expectUntouched()
    }

    @Test("a value of a right type is taken in a query", arguments: ItemClass.stored)
    func rightTypeIsTaken(_ itemClass: ItemClass) throws {
        let keychain = try WitnessedKeychain()
        for column in ItemSchema.of(itemClass).columns where column.access != .forbidden {
            for sample in SampleValue.allCases where Self.isAccepted(sample, column) {
                let status = keychain.run {
                    AttributePlace.copy.call(for: itemClass, column: column, value: sample.value)
                }
                #expect(
                    Self.statuses(ofQuerying: column, sample).contains(status),
                    "\(column.name): \(sample) gives \(status)"
                )
            }
        }
        try keychain.expectUntouched()
    }

    @Test("what no client may name is refused with a value of any type", arguments: ItemClass.stored)
    func guardedIsRefused(_ itemClass: ItemClass) throws {
        let keychain = try WitnessedKeychain()
        for column in ItemSchema.of(itemClass).columns {
            for place in AttributePlace.allCases {
                guard let expected = Self.refusal(of: column, in: place) else { continue }
                for sample in SampleValue.allCases {
                    let status = keychain.run { place.call(for: itemClass, column: column, value: sample.value) }
                    #expect(
                        status == place.statusOfSending(column, sample) ?? expected,
                        "\(column.name): \(sample) in \(place)"
                    )
                }
            }
        }
        try keychain.expectUntouched()
    }

    /// What a copy that names a column with a value that the column takes may give.
    private static func statuses(ofQuerying column: Column, _ sample: SampleValue) -> [OSStatus] {
        switch column.name {
        case .accessGroup, .sharingGroup: [errSecMissingEntitlement]
        // Looked at before any conversion.
        case .tokenID where sample != .text: [errSecParam]
        default: column.access == .encrypted ? [errSecNotAvailable] : [errSecSuccess, errSecItemNotFound]
        }
    }

    private static func isAccepted(_ sample: SampleValue, _ column: Column) -> Bool {
        // The client looks at the issuer before any conversion, and takes data only (Semantics, "Values and
        // combinations").
        if column.name == .issuer { return [.bytes, .bytesOutsideUTF8].contains(sample) }
        return SampleValue.accepted(by: column.kind).contains(sample)
    }

    /// An update ignores the multi-user identifier altogether (Semantics, "New attributes of an update").
    private static func isIgnored(_ column: Column, in place: AttributePlace) -> Bool {
        column.name == .user && place == .updateAttributes
    }

    /// The status of whatever names a column where nobody may; `nil` where somebody may.
    private static func refusal(of column: Column, in place: AttributePlace) -> OSStatus? {
        switch (column.access, place) {
        case (.forbidden, _): errSecParam
        case (.guardedValue, .add), (.guardedValue, .updateAttributes): errSecMissingEntitlement
        case (.guardedQuery, .add), (.guardedQuery, .updateQuery): errSecMissingEntitlement
        case (_, .updateAttributes) where column.name == .sharingGroup: errSecParam
        default: nil
        }
    }
}
