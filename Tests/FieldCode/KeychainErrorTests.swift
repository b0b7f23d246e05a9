// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("An enum of errors over OSStatus", .fieldApp)
struct KeychainErrorTests {
    @Test("a missing, a duplicate and a foreign item are three different errors")
    func errorsOfAPasswordItem() throws {
        try withScratchService("error.item") { service in
            let item = KeychainPasswordItem(service: service, account: "anna", accessGroup: nil)
            #expect(throws: KeychainError.itemNotFound) { try item.readPassword() }
            try item.addPassword("secret")
            #expect(throws: KeychainError.duplicateItem) { try item.addPassword("secret") }
            #expect(try item.readPassword() == "secret")

            var foreign = item
            foreign.accessGroup = "NOTMYTEAM.com.example.\(service)"
            #expect(throws: KeychainError.missingEntitlement) { try foreign.addPassword("secret") }
            #expect(throws: KeychainError.missingEntitlement) { try foreign.readPassword() }
            #expect(throws: KeychainError.missingEntitlement) { try foreign.deleteItem() }
        }
    }

    @Test("renaming moves the item, deleting twice is no error")
    func renaming() throws {
        try withScratchService("error.rename") { service in
            var item = KeychainPasswordItem(service: service, account: "before", accessGroup: nil)
            try item.addPassword("secret")
            try item.renameAccount("after")
            #expect(item.account == "after")
            #expect(try item.readPassword() == "secret")
            #expect(try KeychainPasswordItem.passwordItems(forService: service).map(\.account) == ["after"])

            let old = KeychainPasswordItem(service: service, account: "before", accessGroup: nil)
            #expect(throws: KeychainError.itemNotFound) { try old.readPassword() }
            try item.deleteItem()
            try item.deleteItem()
            #expect(try KeychainPasswordItem.passwordItems(forService: service).isEmpty)
        }
    }

    @Test("every error describes itself with the system's text")
    func descriptions() throws {
        let error: any Error = KeychainError.itemNotFound
        let text = try #require(SecCopyErrorMessageString(errSecItemNotFound, nil) as String?)
        #expect(error.localizedDescription == text)
        #expect(errSecItemNotFound.secMessage == text)
        #expect(KeychainStatus.itemNotFound.message == text)
        #expect(KeychainError(status: errSecParam).errorDescription == errSecParam.secMessage)
        #expect(errSecParam.secMessage != errSecItemNotFound.secMessage)
        #expect(!errSecSuccess.secMessage.isEmpty)
    }

    @Test("the raw values of the cases are the system's constants")
    func rawValues() {
        #expect(KeychainStatus(status: errSecSuccess) == .success)
        #expect(KeychainStatus(status: errSecUnimplemented) == .unimplemented)
        #expect(KeychainStatus(status: errSecParam) == .param)
        #expect(KeychainStatus(status: errSecAllocate) == .allocate)
        #expect(KeychainStatus(status: errSecUserCanceled) == .userCanceled)
        #expect(KeychainStatus(status: errSecMissingEntitlement) == .missingEntitlement)
        #expect(KeychainStatus(status: errSecNotAvailable) == .notAvailable)
        #expect(KeychainStatus(status: errSecAuthFailed) == .authFailed)
        #expect(KeychainStatus(status: errSecDuplicateItem) == .duplicateItem)
        #expect(KeychainStatus(status: errSecItemNotFound) == .itemNotFound)
        #expect(KeychainStatus(status: errSecNoSuchAttr) == .noSuchAttribute)
        #expect(KeychainStatus(status: errSecNoSuchClass) == .noSuchClass)
        #expect(KeychainStatus(status: errSecInteractionNotAllowed) == .interactionNotAllowed)
        #expect(KeychainStatus(status: errSecDecode) == .decode)
        #expect(KeychainStatus(status: 12345) == .unexpectedError)
        #expect(KeychainStatus.param.errorCode == Int(errSecParam))
    }

    @Test("a throwing check lets success and the ignored statuses pass")
    func throwingCheck() throws {
        try errSecSuccess.throwIfFailed()
        try noErr.throwIfFailed()
        try errSecItemNotFound.throwIfFailed(ignoring: [errSecItemNotFound])
        #expect(throws: KeychainError.unhandledError(status: errSecParam)) { try errSecParam.throwIfFailed() }
        #expect(errSecSuccess.isSecSuccess)
        #expect(!errSecParam.isSecSuccess)
    }
}
