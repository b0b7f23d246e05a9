// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore
import KeychainKeys

/// `create-keypair`: generates a key pair and adds both keys to a keychain.
///
/// - Important: Differs from macOS: RSA keys have 2048 bits unless another size is given, and smaller ones are refused;
///   elliptic-curve keys are supported (`-a ec`), other algorithms are not; dates (`-f`, `-t`, `-d`) are not stored.
struct CreateKeyPair: Command {
    let options: OptionSyntax = "ha:s:f:t:d:k:AT:"

    private static let function = "SecKeyCreatePair"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = Request()
        for option in invocation.arguments.options { try request.parse(option) }
        try invocation.checkOptions(options)
        guard invocation.arguments.operands.count < 2 else { throw CommandFailure.usage }
        let size = try request.size()
        let store = try reporting(Self.function) { () throws(KeychainError) in
            let store = try session.keychains.target(request.keychain)
            try store.checkCanAdd()
            return store
        }
        let key: PrivateKey
        do throws(KeyError) {
            key = try PrivateKey(generating: request.type, sizeInBits: size)
        } catch {
            throw CommandFailure("security: create-keypair: there are no keys of \(size) bits of this algorithm")
        }
        let label = invocation.arguments.operands.first?.text
        let halves: [KeyHalf] = [.public(key.publicKey), .private(key)]
        for half in halves {
            let item = ExternalItem(.key(half), label: label ?? "<key>")
            try reporting(Self.function) { () throws(KeychainError) in
                try store.add(NewItem(item: item, isExtractable: true, access: request.access))
            }
        }
        return 0
    }

    private struct Request {
        var type = KeyType.rsa
        var bits: Word?
        var keychain: Word?
        var access = RequestedAccess()

        private static let minimumBits = 2048

        mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) {
            if try access.parse(option) { return }
            switch option.letter {
            case "a":
                switch option.value.text {
                case "rsa": type = .rsa
                case "ec": type = .ellipticCurve
                case "dh", "dsa", "fee":
                    throw CommandFailure("security: create-keypair: \(option.value): this algorithm is not supported")
                default: throw CommandFailure.usage
                }
            case "s": bits = option.value
            case "k": keychain = option.value
            case "f", "t", "d": break
            default: throw CommandFailure.usage
            }
        }

        /// The size in bits.
        ///
        /// - Throws: ``CommandFailure`` with 1 for RSA keys that are too weak.
        func size() throws(CommandFailure) -> Int {
            guard let bits else { return type == .rsa ? Self.minimumBits : 256 }
            guard let size = bits.text.flatMap(Int.init) else { throw CommandFailure.usage }
            guard type == .ellipticCurve || size >= Self.minimumBits else {
                throw CommandFailure(
                    "security: create-keypair: RSA keys of less than \(Self.minimumBits) bits are too weak, and refused"
                )
            }
            return size
        }
    }
}
