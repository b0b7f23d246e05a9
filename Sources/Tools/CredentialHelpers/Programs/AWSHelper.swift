// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `keychain-aws PROFILE`: keys for a `credential_process` of the AWS tools.
///
/// The item is a generic password of the service `aws-vault`, with the profile as its account.
struct AWSHelper {
    private let surroundings: HelperSurroundings

    init(_ surroundings: HelperSurroundings) { self.surroundings = surroundings }

    static let service = "aws-vault"

    func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 1, let profile = arguments.first, !profile.isEmpty else {
            surroundings.remark(.aws, "usage: \(HelperName.aws.rawValue) PROFILE")
            return 2
        }
        do {
            guard
                let entry = try surroundings.store.entries(
                    .genericPassword,
                    [.service: Self.service, .account: profile]
                ).first
            else {
                throw HelperFailure(
                    "there is no item of the service '\(Self.service)' with this profile as its account"
                )
            }
            let keys = try AWSKeys(try surroundings.store.secret(of: entry))
            if let expiration = keys.expiration, expiration <= surroundings.now() {
                throw HelperFailure("the keys of this profile have expired")
            }
            surroundings.streams.writeLine(keys.answer)
            return 0
        } catch {
            surroundings.remark(.aws, reasonOf: error)
            return 1
        }
    }
}

/// Keys of AWS in an item: an object of JSON, as `aws iam create-access-key`, `aws sts` and aws-vault write it.
package struct AWSKeys: Hashable, Sendable {
    private let members: [(String, String)]

    /// When they expire, in seconds since 1970.
    package let expiration: Int?

    /// Reads the secret of an item.
    ///
    /// - Throws: ``HelperFailure`` for anything but an object with an identifier and a key.
    package init(_ secret: SecretBytes) throws(HelperFailure) {
        guard let whole = try? JSONInput.object(secret) else {
            throw HelperFailure("the item is not an object of JSON")
        }
        // The answers of the AWS tools have the keys inside of another object.
        let object = ["Credentials", "AccessKey"].map { whole[$0] }.first { $0.members != nil } ?? whole
        let text = { (names: [String]) in names.compactMap { object[$0].string }.first { !$0.isEmpty } }
        guard let identifier = text(["AccessKeyId", "AccessKeyID"]), let key = text(["SecretAccessKey"]) else {
            throw HelperFailure("the item has no AccessKeyId and SecretAccessKey")
        }
        let expiration = text(["Expiration", "Expires"])
        self.expiration = try expiration.map { (text) throws(HelperFailure) in
            guard let seconds = InternetTime.seconds(text) else {
                throw HelperFailure("the item's Expiration is no time")
            }
            return seconds
        }
        let others = [
            ("SessionToken", text(["SessionToken"])), ("Expiration", expiration), ("AccountId", text(["AccountId"])),
        ]
        members =
            [("AccessKeyId", identifier), ("SecretAccessKey", key)]
            + others.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The object that the AWS tools read, on one line.
    package var answer: String {
        JSONValue.object([("Version", .integer(1))] + members.map { ($0.0, .string($0.1)) })
    }

    package static func == (left: AWSKeys, right: AWSKeys) -> Bool { left.answer == right.answer }

    package func hash(into hasher: inout Hasher) { hasher.combine(answer) }
}
