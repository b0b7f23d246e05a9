// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// `find-certificate`.
struct FindCertificate: Command {
    let options: OptionSyntax = "hac:e:mpZ"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = Request()
        for option in invocation.arguments.options { try request.parse(option) }
        try invocation.checkOptions(options)
        let (stores, found) = try reporting(PasswordSearch.searching) { () throws(KeychainError) in
            let stores = try session.keychains.searched(by: invocation.arguments.operands)
            let found = try StoredCertificate.all(in: stores).filter(request.matches)
            if found.isEmpty { try stores.checkWithholdsNothing(of: [.certificate]) }
            return (stores, found)
        }
        if request.showsAll {
            let operands = invocation.arguments.operands
            try session.explainGaps(in: stores, of: [.certificate], PasswordSearch.searching, operands)
        }
        if found.isEmpty, !request.showsAll { throw CommandFailure(.itemNotFound, in: PasswordSearch.searching) }
        for certificate in request.showsAll ? found : Array(found.prefix(1)) {
            try session.output.write(request.text(certificate))
        }
        return 0
    }

    private struct Request {
        var showsAll = false
        var name: String?
        var emailAddress: String?
        var showsEmailAddresses = false
        var showsPEM = false
        var showsHashes = false

        mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) {
            switch option.letter {
            case "a": showsAll = true
            case "c": name = String(decoding: option.value.bytes.unprotectedCopy, as: UTF8.self)
            case "e": emailAddress = String(decoding: option.value.bytes.unprotectedCopy, as: UTF8.self)
            case "m": showsEmailAddresses = true
            case "p": showsPEM = true
            case "Z": showsHashes = true
            default: throw CommandFailure.usage
            }
        }

        func matches(_ found: StoredCertificate) -> Bool {
            if let name, !found.isNamed(like: name) { return false }
            if let emailAddress, !found.certificate.names(emailAddress: emailAddress) { return false }
            return true
        }

        func text(_ found: StoredCertificate) -> ByteText {
            var text: ByteText = ""
            if showsHashes { text += "SHA-256 hash: \(found.sha256)\nSHA-1 hash: \(found.sha1)\n" }
            if showsEmailAddresses {
                text += "email addresses: \(found.certificate.emailAddresses.joined(separator: ", "))\n"
            }
            return text + (showsPEM ? ByteText(found.pem) : AttributeBlock.text(found.item))
        }
    }
}
