// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The fields that `SecCertificateCopyValues` reads: of any bytes, of a certificate of which some bytes are replaced,
/// and of one with an extension that holds what the input says.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    check(input)
    check(edited(sample, input))
    guard let choice = input.first else { return 0 }
    let type = extensionTypes[Int(choice) % extensionTypes.count]
    check(certificate(extensions: [(type, Array(input.dropFirst()))]))
    return 0
}

/// A certificate has fields, and each has what Apple's dictionaries have.
private func check(_ der: [UInt8]) {
    guard let certificate = SecCertificateCreateWithData(nil, Data(der) as CFData) else { return }
    guard let values = SecCertificateCopyValues(certificate, nil, nil) as? [String: NSDictionary], !values.isEmpty
    else { preconditionFailure("a certificate without fields") }
    values.values.forEach(check)
}

private func check(_ property: NSDictionary) {
    guard let type = property[kSecPropertyKeyType] as? NSString, property[kSecPropertyKeyLabel] is NSString,
        let value = property[kSecPropertyKeyValue]
    else { preconditionFailure("a field lacks something") }
    guard type == kSecPropertyTypeSection else { return }
    guard let parts = value as? [NSDictionary] else { preconditionFailure("a section is no array") }
    parts.forEach(check)
}

/// The types of extensions that have fields of their own, and one that has none.
private let extensionTypes: [[UInt8]] =
    [14, 15, 17, 18, 19, 30, 31, 32, 35, 37, 54].map { [0x55, 0x1D, $0] }
    + [1, 11].map { [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, $0] } + [[0x2A, 0x03]]

private func certificate(extensions: [(type: [UInt8], value: [UInt8])]) -> [UInt8] {
    let ecdsa = derValue(0x30, derValue(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
    let commonName = derValue(0x06, [0x55, 0x04, 0x03]) + derValue(0x0C, Array("name".utf8))
    let name = derValue(0x30, derValue(0x31, derValue(0x30, commonName)))
    let times = [2020, 2040].flatMap { derValue(0x18, Array("\($0)0101000000Z".utf8)) }
    let curve = derValue(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
    let algorithm = derValue(0x30, derValue(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]) + curve)
    let point = derValue(0x03, [0, 4] + [UInt8](repeating: 7, count: 64))
    let list = extensions.flatMap { derValue(0x30, derValue(0x06, $0.type) + derValue(0x04, $0.value)) }
    let version = derValue(0xA0, derValue(0x02, [2]))
    let body =
        version + derValue(0x02, [1, 2, 3]) + ecdsa + name + derValue(0x30, times) + name
        + derValue(0x30, algorithm + point) + derValue(0xA3, derValue(0x30, list))
    return derValue(0x30, derValue(0x30, body) + ecdsa + derValue(0x03, [0] + Array(repeating: 9, count: 70)))
}

/// A certificate with an extension of each type that has fields of its own.
private let sample: [UInt8] = {
    let generalName = derValue(0x82, Array("a.example".utf8))
    let address = derValue(0x87, [10, 0, 0, 1])
    let link = derValue(0x86, Array("http://a.example/".utf8))
    let type = derValue(0x06, [0x2B, 0x06, 0x01])
    let values: [UInt8: [UInt8]] = [
        14: derValue(0x04, [1, 2, 3]), 15: derValue(0x03, [5, 0xA0]), 17: derValue(0x30, generalName + address + link),
        18: derValue(0x30, generalName), 19: derValue(0x30, derValue(0x01, [0xFF]) + derValue(0x02, [1])),
        31: derValue(0x30, derValue(0x30, derValue(0xA0, derValue(0xA0, link)))),
        32: derValue(0x30, derValue(0x30, type)),
        35: derValue(0x30, derValue(0x80, [1, 2]) + derValue(0xA1, generalName) + derValue(0x82, [3])),
        37: derValue(0x30, type), 1: derValue(0x30, derValue(0x30, type + link)),
        11: derValue(0x30, derValue(0x30, type + link)),
    ]
    let sample = certificate(
        extensions: extensionTypes.compactMap { type in values[type.last ?? 0].map { (type, $0) } }
    )
    guard SecCertificateCreateWithData(nil, Data(sample) as CFData) != nil else {
        preconditionFailure("the sample is no certificate")
    }
    return sample
}()
