// SPDX-License-Identifier: Apache-2.0

/// A program that gives a PKCS #12 file the integrity check of RFC 9579, for the password "secret".
enum PasswordBasedCode {
    static func program(_ hash: String, _ number: Int, input: String, output: String) -> String {
        """
        import hashlib, hmac
        def value(tag, *contents):
            content = b''.join(contents)
            count = len(content)
            length = bytes([count]) if count < 128 else bytes([130]) + count.to_bytes(2, 'big')
            return bytes([tag]) + length + content
        def split(data):
            count, start = data[1], 2
            if count >= 128:
                start = 2 + (count & 127)
                count = int.from_bytes(data[2:start], 'big')
            return data[start:start + count], data[:start + count], data[start + count:]
        body, _, _ = split(open('\(input)', 'rb').read())
        _, version, rest = split(body)
        safe, whole, _ = split(rest)
        _, _, tagged = split(safe)
        content, _, _ = split(split(tagged)[0])
        function = value(6, bytes([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 2, \(number)]))
        function = value(0x30, function, b'\\x05\\x00')
        salt = b'a salt of bytes'
        key = hashlib.pbkdf2_hmac('\(hash)', b'secret', salt, 100, 20)
        code = hmac.new(key, content, '\(hash)').digest()
        pkcs5 = lambda last: value(6, bytes([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, last]))
        derivation = value(0x30, pkcs5(12), value(0x30, value(4, salt), value(2, bytes([100])), value(2, bytes([20])), function))
        algorithm = value(0x30, pkcs5(14), value(0x30, derivation, function))
        check = value(0x30, value(0x30, algorithm, value(4, code)), value(4, b'not used'), value(2, bytes([1])))
        open('\(output)', 'wb').write(value(0x30, version, whole, check))
        """
    }
}
