# SPDX-License-Identifier: Apache-2.0
"""ML-KEM-768 (FIPS 203), as far as X-Wing needs it here: the keys of a seed, and decapsulation. Not for other use: it is not in constant time."""
import hashlib

Q = 3329
K = 3
DU, DV = 10, 4


def bit_reverse7(number):
    return int("{:07b}".format(number)[::-1], 2)


ZETAS = [pow(17, bit_reverse7(i), Q) for i in range(128)]
GAMMAS = [pow(17, 2 * bit_reverse7(i) + 1, Q) for i in range(128)]


def ntt(values):
    values, i, length = list(values), 1, 128
    while length >= 2:
        for start in range(0, 256, 2 * length):
            zeta, i = ZETAS[i], i + 1
            for j in range(start, start + length):
                t = zeta * values[j + length] % Q
                values[j + length], values[j] = (values[j] - t) % Q, (values[j] + t) % Q
        length //= 2
    return values


def inverse_ntt(values):
    values, i, length = list(values), 127, 2
    while length <= 128:
        for start in range(0, 256, 2 * length):
            zeta, i = ZETAS[i], i - 1
            for j in range(start, start + length):
                t = values[j]
                values[j] = (t + values[j + length]) % Q
                values[j + length] = zeta * (values[j + length] - t) % Q
        length *= 2
    return [value * 3303 % Q for value in values]


def multiply(a, b):
    out = []
    for i in range(128):
        a0, a1, b0, b1 = a[2 * i], a[2 * i + 1], b[2 * i], b[2 * i + 1]
        out += [(a0 * b0 + a1 * b1 * GAMMAS[i]) % Q, (a0 * b1 + a1 * b0) % Q]
    return out


def add(a, b):
    return [(x + y) % Q for x, y in zip(a, b)]


def subtract(a, b):
    return [(x - y) % Q for x, y in zip(a, b)]


def dot(a, b):
    total = [0] * 256
    for x, y in zip(a, b):
        total = add(total, multiply(x, y))
    return total


def encode(values, bits):
    number = sum(value << (bits * i) for i, value in enumerate(values))
    return number.to_bytes(32 * bits, "little")


def decode(content, bits):
    number = int.from_bytes(content, "little")
    return [(number >> (bits * i)) & ((1 << bits) - 1) for i in range(256)]


def compress(values, bits):
    return [((value << (bits + 1)) + Q) // (2 * Q) % (1 << bits) for value in values]


def decompress(values, bits):
    return [(value * Q * 2 + (1 << bits)) >> (bits + 1) for value in values]


def sample_ntt(seed):
    stream, values, at = hashlib.shake_128(seed).digest(3 * 1024), [], 0
    while len(values) < 256:
        a, b, c = stream[at:at + 3]
        at += 3
        for d in (a + 256 * (b % 16), b // 16 + 16 * c):
            if d < Q and len(values) < 256:
                values.append(d)
    return values


def sample_cbd(seed, number):
    content = int.from_bytes(hashlib.shake_256(seed + bytes([number])).digest(128), "little")
    bits = [(content >> i) & 1 for i in range(1024)]
    return [(bits[4 * i] + bits[4 * i + 1] - bits[4 * i + 2] - bits[4 * i + 3]) % Q for i in range(256)]


def g(content):
    digest = hashlib.sha3_512(content).digest()
    return digest[:32], digest[32:]


def keys(d, z):
    """The encapsulation key, and what decapsulation needs."""
    rho, sigma = g(d + bytes([K]))
    matrix = [[sample_ntt(rho + bytes([j, i])) for j in range(K)] for i in range(K)]
    s = [ntt(sample_cbd(sigma, i)) for i in range(K)]
    e = [ntt(sample_cbd(sigma, K + i)) for i in range(K)]
    t = [add(dot(matrix[i], s), e[i]) for i in range(K)]
    public = b"".join(encode(x, 12) for x in t) + rho
    return public, (s, public, z)


def encrypt(public, message, randomness):
    t = [decode(public[384 * i:384 * (i + 1)], 12) for i in range(K)]
    rho = public[384 * K:]
    matrix = [[sample_ntt(rho + bytes([j, i])) for j in range(K)] for i in range(K)]
    y = [ntt(sample_cbd(randomness, i)) for i in range(K)]
    e1 = [sample_cbd(randomness, K + i) for i in range(K)]
    e2 = sample_cbd(randomness, 2 * K)
    u = [add(inverse_ntt(dot([matrix[j][i] for j in range(K)], y)), e1[i]) for i in range(K)]
    v = add(add(inverse_ntt(dot(t, y)), e2), decompress(decode(message, 1), 1))
    return b"".join(encode(compress(x, DU), DU) for x in u) + encode(compress(v, DV), DV)


def decapsulate(secret, ciphertext):
    s, public, z = secret
    size = 32 * DU
    u = [decompress(decode(ciphertext[size * i:size * (i + 1)], DU), DU) for i in range(K)]
    v = decompress(decode(ciphertext[size * K:], DV), DV)
    w = subtract(v, inverse_ntt(dot(s, [ntt(x) for x in u])))
    message = encode(compress(w, 1), 1)
    shared, randomness = g(message + hashlib.sha3_256(public).digest())
    if encrypt(public, message, randomness) == ciphertext:
        return shared
    return hashlib.shake_256(z + ciphertext).digest(32)
