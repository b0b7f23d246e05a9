// SPDX-License-Identifier: Apache-2.0

import LocalAuthentication
import Testing

/// Errors bridge in the ways that code for Apple's platforms relies on.
struct LAErrorTests {
    private let object = NSError(domain: LAErrorDomain, code: -2, userInfo: ["key": "value"])

    @Test("an object of the domain casts to the error and matches its code")
    func casts() {
        #expect((object as? LAError)?.code == .userCancel)
        #expect(((object as any Error) as? LAError)?.code == .userCancel)
        #expect((object as? LAError)?.userInfo["key"] as? String == "value")
        #expect((object as? LAError)?.errorUserInfo["key"] as? String == "value")
        #expect(LAError(_nsError: object) == LAError(_nsError: object))
    }

    @Test("an object of another domain does not cast")
    func otherDomain() {
        let other = NSError(domain: NSOSStatusErrorDomain, code: -2)
        #expect(other as? LAError == nil)
        #expect((other as any Error) as? LAError == nil)
    }

    @Test("a thrown object is caught by its code, and by the type", arguments: [true, false])
    func catches(_ isObject: Bool) {
        let thrown: any Error = isObject ? object : LAError(.userCancel)
        do { throw thrown } catch LAError.userCancel {} catch { Issue.record("not caught by its code: \(error)") }
        do { throw thrown } catch let error as LAError { #expect(error.code == .userCancel) } catch {
            Issue.record("not caught by the type: \(error)")
        }
        do { throw thrown } catch LAError.systemCancel { Issue.record("caught by another code") } catch {}
    }

    @Test("codes have Apple's numbers, and the older names mean the same")
    func codes() {
        #expect(LAError.authenticationFailed.rawValue == -1)
        #expect(LAError.passcodeNotSet.rawValue == -5)
        #expect(LAError.touchIDNotAvailable == LAError.biometryNotAvailable)
        #expect(LAError.Code.touchIDNotEnrolled == .biometryNotEnrolled)
        #expect(LAError.Code.touchIDLockout.rawValue == -8)
        #expect(LAError.invalidContext.rawValue == -10)
        #expect(LAError.notInteractive.rawValue == -1004)
        #expect(LAError(.userCancel).errorCode == -2)
        #expect(LAError.errorDomain == "com.apple.LocalAuthentication")
    }

    @Test("a function that takes an error pointer gives the error through it")
    func pointer() {
        func failing(_ error: NSErrorPointer) { error?.pointee = LAError(.appCancel) as NSError }
        var error: NSError?
        failing(&error)
        #expect(error?.code == -9)
        #expect(error?.domain == LAErrorDomain)
    }

    @Test("the C names are the numbers of the codes and policies")
    func numbers() {
        let errors = [
            kLAErrorAuthenticationFailed, kLAErrorUserCancel, kLAErrorUserFallback, kLAErrorSystemCancel,
            kLAErrorPasscodeNotSet, kLAErrorTouchIDNotAvailable, kLAErrorTouchIDNotEnrolled, kLAErrorTouchIDLockout,
            kLAErrorAppCancel, kLAErrorInvalidContext, kLAErrorWatchNotAvailable, kLAErrorBiometryNotPaired,
            kLAErrorBiometryDisconnected, kLAErrorInvalidDimensions,
        ]
        #expect(errors == Array((-14...(-1)).reversed()))
        #expect(kLAErrorNotInteractive == -1004)
        #expect(kLAErrorBiometryLockout == kLAErrorTouchIDLockout)
        #expect(kLAErrorCompanionNotAvailable == kLAErrorWatchNotAvailable)
        #expect(kLAPolicyDeviceOwnerAuthenticationWithBiometrics == 1)
        #expect(kLAPolicyDeviceOwnerAuthenticationWithWristDetection == 5)
        #expect(kLACredentialSmartCardPIN == -3)
        #expect(kLABiometryTypeOpticID == 4)
        #expect(kLAErrorDomain == LAErrorDomain)
        switch object.code {
        case Int(kLAErrorUserCancel): break
        default: Issue.record("the code is not that of the constant")
        }
    }
}
