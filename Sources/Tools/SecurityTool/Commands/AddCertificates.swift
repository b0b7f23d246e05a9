// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore

/// `add-certificates`: adds the certificates in files, and continues with the next file after a failure.
struct AddCertificates: Command {
    let options: OptionSyntax = "hk:"

    private static let function = "SecCertificateAddToKeychain"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var keychain: Word?
        for option in invocation.arguments.options {
            guard option.letter == "k" else { throw CommandFailure.usage }
            keychain = option.value
        }
        try invocation.checkOptions(options)
        let paths = invocation.arguments.operands
        guard !paths.isEmpty else { throw CommandFailure.usage }
        var store: (any ItemStore)?
        var status: Int32 = 0
        for path in paths {
            guard let items = Self.certificates(path) else {
                try session.output.write("***Error reading file \(path)\n")
                status = 1
                continue
            }
            let target =
                try store
                ?? failing(Self.function) { () throws(KeychainError) in try session.keychains.target(keychain) }
            store = target
            for item in items where !(try add(item, to: target, from: path, keychain: keychain, errors: session.errors))
            { status = 1 }
        }
        return status
    }

    /// The certificates of a file; `nil` if it cannot be read, or has none.
    private static func certificates(_ path: Word) -> [ExternalItem]? {
        guard let bytes = try? InputFile.bytes(path), let file = try? ImportedFile(bytes, passphrase: nil) else {
            return nil
        }
        let certificates = file.items.filter { $0.reference.itemClass == .certificate }
        return certificates.isEmpty ? nil : certificates
    }

    /// - Returns: Whether it was added; if not, that has been reported.
    private func add(
        _ item: ExternalItem,
        to store: any ItemStore,
        from path: Word,
        keychain: Word?,
        errors: Output
    ) throws -> Bool {
        let new = NewItem(item: item, isExtractable: true, access: RequestedAccess())
        do throws(KeychainError) {
            try store.add(new)
            return true
        } catch {
            let place: ByteText = keychain.map { "\($0)" } ?? "default keychain"
            let message: ByteText =
                error.status == .duplicateItem
                ? "security: \(path): already in \(place)" : "security: \(path): \(error.status.text)"
            try? errors.write("\(message)\n")
            return false
        }
    }
}
