// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `keychain-kubectl [NAME]`: a credential for kubectl, as an exec plug-in of client-go.
///
/// The item is a generic password of the service `kubectl`; its account is NAME, else the address of the cluster.
struct KubectlHelper {
    private let surroundings: HelperSurroundings

    init(_ surroundings: HelperSurroundings) { self.surroundings = surroundings }

    static let service = "kubectl"

    func run(_ arguments: [String]) -> Int32 {
        guard arguments.count <= 1 else {
            surroundings.remark(.kubectl, "usage: \(HelperName.kubectl.rawValue) [NAME]")
            return 2
        }
        do {
            let request = try KubectlRequest(surroundings.environment("KUBERNETES_EXEC_INFO"))
            guard let name = arguments.first ?? request.server, !name.isEmpty else {
                throw HelperFailure("neither a name is given, nor does kubectl tell the cluster (provideClusterInfo)")
            }
            guard
                let entry = try surroundings.store.entries(
                    .genericPassword,
                    [.service: Self.service, .account: name]
                ).first
            else {
                throw HelperFailure("there is no item of the service '\(Self.service)' with this name as its account")
            }
            let status = try KubectlRequest.status(try surroundings.store.secret(of: entry))
            if let time = status["expirationTimestamp"].string {
                guard let seconds = InternetTime.seconds(time) else {
                    throw HelperFailure("the item's expirationTimestamp is no time")
                }
                guard seconds > surroundings.now() else { throw HelperFailure("the credential has expired") }
            }
            surroundings.streams.writeLine(request.answer(status))
            return 0
        } catch {
            surroundings.remark(.kubectl, reasonOf: error)
            return 1
        }
    }
}

/// What kubectl tells a plug-in in `KUBERNETES_EXEC_INFO` (`ExecCredential`).
package struct KubectlRequest: Hashable, Sendable {
    /// The version of the interface, which the answer repeats.
    package let version: String

    /// The address of the cluster's server, if kubectl tells it.
    package let server: String?

    private static let group = "client.authentication.k8s.io/"
    private static let versions = [group + "v1", group + "v1beta1"]

    /// Reads the value of the variable.
    ///
    /// - Throws: ``HelperFailure`` for another version, or for what is not the object.
    package init(_ text: String?) throws(HelperFailure) {
        guard let text else {
            (version, server) = (Self.versions[0], nil)
            return
        }
        guard let object = try? JSONInput.object(SecretBytes(text: text)), object["kind"].string == "ExecCredential"
        else { throw HelperFailure("KUBERNETES_EXEC_INFO is not an ExecCredential") }
        guard let version = object["apiVersion"].string, Self.versions.contains(version) else {
            throw HelperFailure("KUBERNETES_EXEC_INFO is of a version that is neither v1 nor v1beta1")
        }
        self.version = version
        server = object["spec"]["cluster"]["server"].string
    }

    /// The members of a status, from the secret of an item: a token, or an object with some of them.
    ///
    /// - Throws: ``HelperFailure`` for a certificate without its key, and for what is neither.
    package static func status(_ secret: SecretBytes) throws(HelperFailure) -> JSONValue {
        let secret = secret.trimmed
        guard secret.withUnsafeBytes({ $0.first == UInt8(ascii: "{") }) else {
            guard let token = secret.oneLine?.text, !token.isEmpty else {
                throw HelperFailure("the item is neither one line of text nor an object of JSON")
            }
            return .object(["token": .string(token)])
        }
        guard let whole = try? JSONInput.object(secret) else {
            throw HelperFailure("the item is not an object of JSON")
        }
        let object = whole["status"].members == nil ? whole : whole["status"]
        let names = ["token", "clientCertificateData", "clientKeyData", "expirationTimestamp"]
        let texts = names.compactMap { name in object[name].string.map { (name, JSONValue.string($0)) } }
        let members = Dictionary(uniqueKeysWithValues: texts)
        guard (members["clientCertificateData"] == nil) == (members["clientKeyData"] == nil),
            members["token"] != nil || members["clientKeyData"] != nil
        else { throw HelperFailure("the item has neither a token nor a certificate with its key") }
        return .object(members)
    }

    /// The object that kubectl reads, on one line.
    package func answer(_ status: JSONValue) -> String {
        JSONValue.object([
            ("apiVersion", .string(version)), ("kind", .string("ExecCredential")), ("status", status),
        ])
    }
}
