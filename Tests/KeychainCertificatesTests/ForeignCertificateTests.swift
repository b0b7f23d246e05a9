// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainCore
import KeychainTestSupport
import Testing

/// Certificates that another implementation makes, and says what is in them.
struct ForeignCertificateTests {
    /// What Python's `cryptography` says of a certificate that it has made; its common name as it is read here.
    private struct Expectation: Decodable {
        var der: Data
        var serialNumber: String
        var commonName: String
        var emailAddresses: [String]
        var dnsNames: [String]
        var notBefore: Double
        var notAfter: Double
        var keyIdentifier: Data
        var publicKeyInfo: Data
        var publicKeyHash: Data
    }

    @Test("every field is what the maker says")
    func fields() throws {
        let workshop = try Workshop()
        try workshop.python(Self.program)
        let expectations = try JSONDecoder().decode([Expectation].self, from: Data(workshop.bytes("certificates")))
        #expect(expectations.count == 24)
        for expected in expectations {
            let certificate = try Certificate(der: Array(expected.der))
            #expect(certificate.version == 3)
            #expect(certificate.serialNumber.map { String(format: "%02x", $0) }.joined() == expected.serialNumber)
            #expect(certificate.commonName == expected.commonName)
            #expect(certificate.emailAddresses == expected.emailAddresses)
            #expect(certificate.dnsNames == expected.dnsNames)
            #expect(certificate.validity.notBefore.secondsSinceReferenceDate == expected.notBefore)
            #expect(certificate.validity.notAfter.secondsSinceReferenceDate == expected.notAfter)
            #expect(certificate.subjectKeyIdentifier == Array(expected.keyIdentifier))
            #expect(certificate.subjectPublicKeyInfo == Array(expected.publicKeyInfo))
            #expect(certificate.publicKeyHash == Array(expected.publicKeyHash))
        }
    }

    private static let program = """
        import base64, datetime, hashlib, json
        from cryptography import x509
        from cryptography.x509.name import _ASN1Type
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, rsa

        base = lambda data: base64.b64encode(data).decode()
        reference = datetime.datetime(2001, 1, 1)
        types = [_ASN1Type.UTF8String, _ASN1Type.PrintableString, _ASN1Type.T61String, _ASN1Type.IA5String,
                 _ASN1Type.VisibleString, _ASN1Type.BMPString, _ASN1Type.UniversalString, _ASN1Type.NumericString]
        oid = x509.oid.NameOID
        keys = [ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP521R1()),
                rsa.generate_private_key(65537, 2048)]
        result = []
        for index in range(24):
            kind = types[index % len(types)]
            text = {_ASN1Type.UTF8String: 'M\\u00e4use \\U0001F42D', _ASN1Type.BMPString: 'M\\u00e4use',
                    _ASN1Type.UniversalString: '\\U0001F42D', _ASN1Type.NumericString: '12 3'}.get(kind, 'Mouse')
            # Of these two the bytes are told.
            told = {_ASN1Type.UniversalString: text.encode('utf-32-be'), _ASN1Type.NumericString: text.encode()}.get(kind)
            key = keys[index % 3]
            subject = x509.Name([
                x509.RelativeDistinguishedName([x509.NameAttribute(oid.COUNTRY_NAME, 'GB'),
                                                x509.NameAttribute(oid.ORGANIZATION_NAME, 'Sons')]),
                x509.RelativeDistinguishedName([x509.NameAttribute(oid.COMMON_NAME, text, kind)]),
                x509.RelativeDistinguishedName([x509.NameAttribute(oid.EMAIL_ADDRESS, 's%d@example.com' % index)]),
            ])
            start = datetime.datetime(1950 + index * 6, 2 + index % 11, 1 + index, index, index, index)
            end = start + datetime.timedelta(days=10000)
            identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
            names = x509.SubjectAlternativeName([
                x509.DNSName('h%d.example.com' % index), x509.RFC822Name('a%d@example.com' % index),
                x509.UniformResourceIdentifier('https://example.com/'), x509.DirectoryName(subject),
                x509.RegisteredID(x509.ObjectIdentifier('1.2.3.4'))])
            serial = (1 << (index * 6)) + 0x7f
            certificate = (x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
                .public_key(key.public_key()).serial_number(serial).not_valid_before(start).not_valid_after(end)
                .add_extension(identifier, False).add_extension(names, index % 2 == 0)
                .add_extension(x509.BasicConstraints(True, 3), True).sign(key, hashes.SHA256()))
            info = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
            octets = serial.to_bytes(serial.bit_length() // 8 + 1, 'big')
            result.append({
                'der': base(certificate.public_bytes(serialization.Encoding.DER)), 'serialNumber': octets.hex(),
                'commonName': told.hex(' ').upper() if told else text, 'emailAddresses': ['a%d@example.com' % index, 's%d@example.com' % index],
                'dnsNames': ['h%d.example.com' % index], 'notBefore': (start - reference).total_seconds(),
                'notAfter': (end - reference).total_seconds(), 'keyIdentifier': base(identifier.digest),
                'publicKeyInfo': base(info), 'publicKeyHash': base(identifier.digest)})
        json.dump(result, open('certificates', 'w'))
        """
}
