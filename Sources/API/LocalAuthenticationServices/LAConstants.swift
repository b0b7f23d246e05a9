// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation

// The names of this module's codes and policies in C code. Swift sees them as numbers, which are compared with the code
// of an `NSError`: `case Int(kLAErrorUserCancel):`.

/// The domain of the errors of this module; the same as ``LAErrorDomain``.
public let kLAErrorDomain = LAErrorDomain

// MARK: - Errors

/// The number of ``LAError/Code/authenticationFailed``.
public let kLAErrorAuthenticationFailed = LAError.Code.authenticationFailed.number
/// The number of ``LAError/Code/userCancel``.
public let kLAErrorUserCancel = LAError.Code.userCancel.number
/// The number of ``LAError/Code/userFallback``.
public let kLAErrorUserFallback = LAError.Code.userFallback.number
/// The number of ``LAError/Code/systemCancel``.
public let kLAErrorSystemCancel = LAError.Code.systemCancel.number
/// The number of ``LAError/Code/passcodeNotSet``.
public let kLAErrorPasscodeNotSet = LAError.Code.passcodeNotSet.number
/// The number of ``LAError/Code/touchIDNotAvailable``.
public let kLAErrorTouchIDNotAvailable = LAError.Code.touchIDNotAvailable.number
/// The number of ``LAError/Code/touchIDNotEnrolled``.
public let kLAErrorTouchIDNotEnrolled = LAError.Code.touchIDNotEnrolled.number
/// The number of ``LAError/Code/touchIDLockout``.
public let kLAErrorTouchIDLockout = LAError.Code.touchIDLockout.number
/// The number of ``LAError/Code/appCancel``.
public let kLAErrorAppCancel = LAError.Code.appCancel.number
/// The number of ``LAError/Code/invalidContext``.
public let kLAErrorInvalidContext = LAError.Code.invalidContext.number
/// The number of ``LAError/Code/watchNotAvailable``.
public let kLAErrorWatchNotAvailable = LAError.Code.watchNotAvailable.number
/// The number of ``LAError/Code/companionNotAvailable``.
public let kLAErrorCompanionNotAvailable = LAError.Code.companionNotAvailable.number
/// The number of ``LAError/Code/biometryNotAvailable``.
public let kLAErrorBiometryNotAvailable = LAError.Code.biometryNotAvailable.number
/// The number of ``LAError/Code/biometryNotEnrolled``.
public let kLAErrorBiometryNotEnrolled = LAError.Code.biometryNotEnrolled.number
/// The number of ``LAError/Code/biometryLockout``.
public let kLAErrorBiometryLockout = LAError.Code.biometryLockout.number
/// The number of ``LAError/Code/biometryNotPaired``.
public let kLAErrorBiometryNotPaired = LAError.Code.biometryNotPaired.number
/// The number of ``LAError/Code/biometryDisconnected``.
public let kLAErrorBiometryDisconnected = LAError.Code.biometryDisconnected.number
/// The number of ``LAError/Code/invalidDimensions``.
public let kLAErrorInvalidDimensions = LAError.Code.invalidDimensions.number
/// The number of ``LAError/Code/notInteractive``.
public let kLAErrorNotInteractive = LAError.Code.notInteractive.number

// MARK: - Policies

/// The number of ``LAPolicy/deviceOwnerAuthenticationWithBiometrics``.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometrics = LAPolicy.deviceOwnerAuthenticationWithBiometrics.number
/// The number of ``LAPolicy/deviceOwnerAuthentication``.
public let kLAPolicyDeviceOwnerAuthentication = LAPolicy.deviceOwnerAuthentication.number
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithWatch``.
public let kLAPolicyDeviceOwnerAuthenticationWithWatch = LAPolicy.deviceOwnerAuthenticationWithWatch.number
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithCompanion``.
public let kLAPolicyDeviceOwnerAuthenticationWithCompanion = LAPolicy.deviceOwnerAuthenticationWithCompanion.number
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithBiometricsOrWatch``.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch =
    LAPolicy.deviceOwnerAuthenticationWithBiometricsOrWatch.number
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithBiometricsOrCompanion``.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion =
    LAPolicy.deviceOwnerAuthenticationWithBiometricsOrCompanion.number
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithWristDetection``.
public let kLAPolicyDeviceOwnerAuthenticationWithWristDetection =
    LAPolicy.deviceOwnerAuthenticationWithWristDetection.number

// MARK: - Other values

/// The number of ``LABiometryType/none``.
public let kLABiometryTypeNone = LABiometryType.none.number
/// The number of ``LABiometryType/touchID``.
public let kLABiometryTypeTouchID = LABiometryType.touchID.number
/// The number of ``LABiometryType/faceID``.
public let kLABiometryTypeFaceID = LABiometryType.faceID.number
/// The number of ``LABiometryType/opticID``.
public let kLABiometryTypeOpticID = LABiometryType.opticID.number
/// The number for no companion, which no ``LACompanionType`` has.
public let kLACompanionTypeNone: Int32 = 0
/// The number of ``LACompanionType/watch``.
public let kLACompanionTypeWatch = LACompanionType.watch.number
/// The number of ``LACompanionType/mac``.
public let kLACompanionTypeMac = LACompanionType.mac.number
/// The number of ``LACompanionType/vision``.
public let kLACompanionTypeVision = LACompanionType.vision.number
/// The number of ``LACredentialType/applicationPassword``.
public let kLACredentialTypeApplicationPassword = LACredentialType.applicationPassword.number
/// The number of ``LACredentialType/smartCardPIN``.
public let kLACredentialSmartCardPIN = LACredentialType.smartCardPIN.number
/// The number of ``LAAccessControlOperation/createItem``.
public let kLAAccessControlOperationCreateItem = LAAccessControlOperation.createItem.number
/// The number of ``LAAccessControlOperation/useItem``.
public let kLAAccessControlOperationUseItem = LAAccessControlOperation.useItem.number
/// The number of ``LAAccessControlOperation/createKey``.
public let kLAAccessControlOperationCreateKey = LAAccessControlOperation.createKey.number
/// The number of ``LAAccessControlOperation/useKeySign``.
public let kLAAccessControlOperationUseKeySign = LAAccessControlOperation.useKeySign.number
/// The number of ``LAAccessControlOperation/useKeyDecrypt``.
public let kLAAccessControlOperationUseKeyDecrypt = LAAccessControlOperation.useKeyDecrypt.number
/// The number of ``LAAccessControlOperation/useKeyKeyExchange``.
public let kLAAccessControlOperationUseKeyKeyExchange = LAAccessControlOperation.useKeyKeyExchange.number

extension RawRepresentable where RawValue == Int {
    fileprivate var number: Int32 { Int32(rawValue) }
}
