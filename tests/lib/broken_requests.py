"""Requests that no honest client sends, without end and the same for the same seed."""

import random
import struct

GOOD = b'GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n'
PATHS = ['/metrics', '/', '/-/healthy', '/-/ready', '/none', '/api/drives']
NUMBERS = ['-1', '+5', '0x10', '1e9', '5 5', '5, 5', '', ' ', '18446744073709551615', '18446744073709551616', '9' * 400, '-0', '\t7', '4294967297']
METHODS = ['GE', 'get', 'GETT', 'G\x00T', '', ' ', 'POST', 'PRI', 'CONNECT', 'TRACE', '\xff\xfe', 'M' * 5000, 'GET\t', '\r\nGET', 'OPTIONS']
VERSIONS = ['HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/9.9', 'HTTP/1', 'HTTP/', 'http/1.1', 'HTTP/1.1 x', 'HTTP/-1.1', 'HTTP/1.11111111111111',
            'HTTP/11', 'HTTP', '', 'RTSP/1.0', 'HTTP/1.1\x00', 'HTTP/\xff.1']
ESCAPES = ['%', '%z', '%zz', '%0', '%00', '%25%', '%c3%28', '%ff', '%u0041', '%2e%2e%2f', '%0d%0aX: y', '%%', '+', '%c0%af', '%f4%90%80%80']
TORN_UTF8 = [b'\xc3', b'\xe2\x82', b'\xf0\x9f\x92', b'\xc0\xaf', b'\xed\xa0\x80', b'\xf5\x80\x80\x80', b'\x80', b'\xfe\xff']
QUALITIES = ['q=', 'q=2', 'q=-1', 'q=0.0001', 'q=1.5', 'q=nan', 'q=inf', 'q=0x1', 'q=.5', 'q=1e9', 'q', ';;;', 'q=0;q=1', 'q="0.5"', 'q=' + '9' * 300]
RANGES = ['bytes=0-0', 'bytes=-1', 'bytes=5-2', 'bytes=0-99999999999999999999', 'bytes=' + ','.join('%d-' % n for n in range(300)), 'lines=1-2',
          'bytes=--1']
CHUNKS = [b'-5\r\nhello\r\n0\r\n\r\n', b'5\r\nhello', b'ffffffffffffffff\r\nx', b'10000000000000000\r\nx', b'zz\r\nhello\r\n0\r\n\r\n', b'0\r\n',
          b'5;' + b'e' * 40000 + b'\r\nhello\r\n0\r\n\r\n', b'5\nhello\n0\n\n', b'\r\n', b'5\r\nhelloXX0\r\n\r\n', b'0\r\nTrailer: x\r\n\r\n',
          b'1\r\na\r\n' * 500 + b'0\r\n\r\n', b' 5 \r\nhello\r\n0\r\n\r\n', b'0x5\r\nhello\r\n0\r\n\r\n']
FOLDS = [b'\r\n folded: y', b'\n', b'\r', b'\r\r\n', b'\r\nNo colon', b'\r\n: no name', b'\r\nSpace : x', b'\r\nHost: second', b'\r\n\tHost: x',
         b'\r\nX: ' + b'\t' * 3000, b'\r\nX:\x0b\x0c', b'\r\n\x7f: x']
ODD_FIELDS = ['Expect: 100-continue', 'Expect: x', 'Upgrade: websocket', 'Upgrade: h2c\r\nHTTP2-Settings: AAMA', 'Connection: ' + 'close,' * 500,
              'Connection: keep-alive, close', 'Host: ' + 'h' * 9000, 'Host:', 'Authorization: Basic', 'Authorization: Basic ====',
              'Authorization: Basic ' + 'QUFB' * 5000, 'Authorization: Bearer x', 'Cookie: ' + 'a=b;' * 2000, 'Cookie: =;=;', 'Transfer-Encoding: gzip',
              'Transfer-Encoding: chunked, identity', 'If-Modified-Since: never', 'X-Forwarded-For: \x01\x02']
# A client's hello of TLS 1.2: record, handshake, version, random, no session, one suite, no compression
CLIENT_HELLO = bytes.fromhex('16030100' '2d' '01000029' '0303') + bytes(range(32)) + bytes.fromhex('00' '0002' '1301' '01' '00')
H2_PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + bytes.fromhex('000000040000000000')


def line(method=b'GET', target=b'/metrics', version=b'HTTP/1.1', fields=b'Host: x\r\nConnection: close\r\n', body=b''):
    return b'%s %s %s\r\n%s\r\n%s' % (method, target, version, fields, body)


def latin(text):
    return text.encode('latin-1')


def bytes_of(r, most):
    return r.randbytes(r.randrange(1, most))


def with_field(field, **rest):
    return line(fields=b'Host: x\r\nConnection: close\r\n%s\r\n' % latin(field), **rest)


def bad_method(r):
    return line(method=latin(r.choice(METHODS)), target=latin(r.choice(PATHS)))


def bad_version(r):
    return line(version=latin(r.choice(VERSIONS)))


def huge_header(r):
    return with_field('X-Huge: ' + 'h' * r.randrange(20000, 200000))


def many_headers(r):
    return with_field('\r\n'.join('X-%d: %d' % (n, n) for n in range(r.randrange(100, 5000))))


def overlong_url(r):
    return line(target=b'/' + b'u' * r.randrange(1000, 100000))


def zeros(r):
    out = bytearray(GOOD)
    for _ in range(r.randrange(1, 6)):
        out.insert(r.randrange(len(out)), 0)
    return bytes(out)


def flipped(r):
    out = bytearray(GOOD)
    for _ in range(r.randrange(1, 12)):
        out[r.randrange(len(out))] ^= 1 << r.randrange(8)
    return bytes(out)


def torn(r):
    return GOOD[:r.randrange(len(GOOD))]


def random_bytes(r):
    return bytes_of(r, 3000)


def bad_chunks(r):
    return line(method=r.choice([b'GET', b'POST']), fields=b'Host: x\r\nTransfer-Encoding: chunked\r\n', body=r.choice(CHUNKS))


def bad_length(r):
    fields = ['Content-Length: ' + r.choice(NUMBERS) for _ in range(r.randrange(1, 3))]
    if r.random() < 0.2:
        fields.append('Transfer-Encoding: chunked')
    return with_field('\r\n'.join(fields), method=r.choice([b'GET', b'POST']), body=b'hello' * r.randrange(3))


def pipelined_garbage(r):
    return GOOD.replace(b'Connection: close\r\n', b'') * r.randrange(1, 4) + bytes_of(r, 400) + GOOD


def bad_escapes(r):
    text = ''.join(r.choice(ESCAPES + ['a', '/', '?', '&', '=', 'name[]=', 'collect[]=']) for _ in range(r.randrange(1, 40)))
    return line(target=latin(r.choice(PATHS) + r.choice(['', '?', '?collect[]=']) + text))


def long_lists(r):
    return line(target=latin('/metrics?' + '&'.join('%s=%s' % (r.choice(['name[]', 'collect[]', 'name%5B%5D', 'x']), r.choice(['', 'drive_up', 'block', '*', 'x' * 90]))
                                                    for _ in range(r.randrange(1, 900)))))


def bad_qualities(r):
    types = ['text/plain', 'application/openmetrics-text;version=1.0.0', '*/*', 'gzip', 'identity', '*', 'a/b/c', ',', '']
    return with_field('%s: %s' % (r.choice(['Accept', 'Accept-Encoding']),
                                  ','.join('%s;%s' % (r.choice(types), r.choice(QUALITIES)) for _ in range(r.randrange(1, 60)))))


def ranges(r):
    return with_field('Range: %s\r\nIf-Range: "x"' % r.choice(RANGES))


def torn_utf8(r):
    torn_part = r.choice(TORN_UTF8)
    return r.choice([line(target=b'/' + torn_part), line(target=b'/metrics?name[]=' + torn_part),
                     line(fields=b'Host: x\r\nConnection: close\r\nX: ' + torn_part + b'\r\n')])


def http_0_9(r):
    return b'GET %s%s' % (latin(r.choice(PATHS)), r.choice([b'\r\n', b'\n', b'\r\n\r\n']))


def http_2(r):
    return H2_PREFACE + (bytes_of(r, 200) if r.random() < 0.5 else b'')


def tls(r):
    out = bytearray(CLIENT_HELLO)
    if r.random() < 0.5:
        struct.pack_into('>H', out, 3, r.randrange(65536))
    return bytes(out)


def bad_lines(r):
    return GOOD.replace(b'\r\nAccept: ', r.choice(FOLDS) + b'\r\nAccept: ', 1)


def odd_fields(r):
    return with_field('\r\n'.join(r.choice(ODD_FIELDS) for _ in range(r.randrange(1, 4))))


KINDS = [bad_method, bad_version, huge_header, many_headers, overlong_url, zeros, flipped, torn, random_bytes, bad_chunks, bad_length,
         pipelined_garbage, bad_escapes, long_lists, bad_qualities, ranges, torn_utf8, http_0_9, http_2, tls, bad_lines, odd_fields]


def broken_requests(seed, count):
    """(kind, bytes)"""
    r = random.Random(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        yield kind.__name__, kind(r)
