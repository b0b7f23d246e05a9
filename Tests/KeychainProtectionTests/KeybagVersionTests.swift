// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// Keybags of earlier versions, as released programs wrote them.
struct KeybagVersionTests {
    private static let rootKey = "d609d12fadc9ca39262e4e1909a5f73e78dbef7c000634c7bc448000a25447d0"

    // That of the store in Released/format-1.
    private static let version1 = """
        534b4b420100fb3f184d55b45266bcf929b35e825a10010000000101280012e97501aab33019851c5b41446d7a1863f84304
        a4251b172a3d0cfb85d1677168f775d24883e45f0d030001010000001391e760d4ce8aa0ff30dd0393f91cc0c3c72a90b6c5
        aea8c2e6a30053d78d9d725532cb6683bff90102616b01010000004f84b855586e600b86a7d94befdef317027b124f819509
        7f9c3227a21a14d61ba33adad6ff8bca800202616b0101000000173b49e729a28e5a70ff6de082c1879cada8ad7a29b41f32
        ff5145dd252932fecdfa51a4781b21e60102636b010100000000d7247d18a9cfb66912d10f45b6824f57407ae8d86488d716
        e7e2a536ea3e06b4d66a34696649180202636b01010000005c460420971a4d18588e69ae41ee913de8b223c59dbdef570cd4
        563ad71363baf7fccb331eb548370102646b010100000020ca27452871149f6500a1f70d45a46c8b90b5cd183ce0766f7c3e
        861afca8f3896dfbe3daffd7a00202646b01010000005d9763957c6d0e7e9aa2b6ba95f0d8c085793cf4c3600edc77e93ce5
        3b517b93c982e9521d58b2420103616b7501010000007a62d377e29fd47aab5439438bbb0305b7a5369036204d350739b3d9
        2062dffcb2af74657f32c3ac0203616b75010100000016c1a4a259ee9be0a3827a5ed16664b093a68bc4e3ca7d33850babf7
        318d404a2992a90955ace4b60103636b750101000000bb36b6b4f5fbcdfbc6edba4764d9085a7fe438d45791ea957c7e82ec
        d785cae091afdef2b38369180203636b750101000000a85b1933c7de40fc54002d07b18456d48e8eecd169ebea5f82b4ff09
        59aa82fb1c16bcb4bec381240103646b7501010000005d69d96d5faef673613e48e686722d8137523cb12debddb8e20d3fba
        05a5f68990af12740fae21b30203646b750101000000341cc6ff51a9cc624893533b93eaf8089c9857955c73c7691a4110dd
        7bfa1436d45d9f1d2faf47110e37dd6f3370a62918f179022354fd1aad82c032c95a79b922f16d53830d76d8
        """

    private let rootKey: SoftwareRootKey
    private let bytes: [UInt8]

    init() throws {
        rootKey = try Array(hexadecimal: Self.rootKey).withUnsafeBytes { try SoftwareRootKey($0) }
        bytes = Array(hexadecimal: Self.version1.filter(\.isHexDigit))
    }

    @Test("a keybag of version 1 opens, and what is made of it is of the current version")
    func opensVersion1() throws {
        let keybag = try OpenKeybag(bytes, rootKey: rootKey)
        #expect(keybag.keybag.version == 1 && keybag.passcodeSlot == nil && keybag.passcodeGeneration == 1)
        let row = try Device(keybag).seal(.sample())
        let new = try NewPasscodeSlot("1234", .testing, rootKey: rootKey)
        let successor = try OpenKeybag(keybag.settingPasscode(new), rootKey: rootKey)
        #expect(successor.keybag.version == Keybag.currentVersion)
        #expect(successor.keybag.storeIdentifier == keybag.keybag.storeIdentifier)
        let device = Device(successor, try successor.unlock(with: new.key))
        #expect(try device.secret(of: row) == "s3cret")
    }

    @Test("a keybag of version 1 with any one wrong byte is a typed error")
    func refusesAltered() {
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 0x20
            #expect(throws: ProtectionError.self, "byte \(index)") { try OpenKeybag(altered, rootKey: rootKey) }
        }
    }

    @Test("other versions are told from damage", arguments: [(0, false), (3, true), (0xFF, true)] as [(UInt8, Bool)])
    func otherVersions(_ version: UInt8, _ isNewer: Bool) {
        var altered = bytes
        altered[4] = version
        let expected =
            isNewer ? ProtectionError.newerKeybag(version: Int(version)) : .damagedKeybag("it has no version")
        #expect(throws: expected) { try OpenKeybag(altered, rootKey: rootKey) }
    }
}
