import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { data, group, type HostAnswer, head, json, most, noJson } from '../hosts/host-answer.ts'
import { bytes, bytesAndEnd, endless, ok } from '../hosts/write-answers.ts'

const bomb = Buffer.alloc(64 * 2 ** 20, ' ')
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`
const compressed = { message: 'the answer is compressed, which was not asked for' }
const tooMany = { message: `the answer has more than ${most} bytes` }
const type = (name: string) => `content-type: ${name}`

/** What an answer holds: JSON of bounded size, or nothing. */
export const contents: readonly HostAnswer[] = [
  ...group(compressed, {
    gzip: ok(gzipSync(data), 'content-encoding: gzip'),
    'x-gzip': ok(gzipSync(data), 'content-encoding: x-gzip'),
    deflate: ok(deflateSync(data), 'content-encoding: deflate'),
    br: ok(brotliCompressSync(data), 'content-encoding: br'),
    zstd: ok(zstdCompressSync(data), 'content-encoding: zstd'),
    'a bomb of gzip': ok(gzipSync(bomb), 'content-encoding: gzip'),
    'a bomb of br': ok(brotliCompressSync(bomb), 'content-encoding: br'),
    'a bomb of zstd': ok(zstdCompressSync(bomb), 'content-encoding: zstd'),
    'gzip twice': ok(gzipSync(gzipSync(bomb)), 'content-encoding: gzip, gzip'),
    'gzip in two headers': ok(gzipSync(data), 'content-encoding: identity', 'content-encoding: gzip'),
    'an encoding nobody knows': ok(data, 'content-encoding: rot13'),
  }),
  ...group(noJson, {
    'gzip that does not say so': ok(gzipSync(data)),
    'gzip as transfer coding': bytesAndEnd(`${head}transfer-encoding: gzip\r\n\r\n`, gzipSync(data)),
    'JSON as text/html': ok(data, type('text/html')),
    'JSON as text/plain': ok(data, type('text/plain; charset=utf-8')),
    'JSON as an image': ok(data, type('image/png')),
    'JSON as a stream of events': ok(data, type('text/event-stream')),
    'JSON as multipart': ok(data, type('multipart/mixed; boundary=-')),
    'JSON as a type that begins alike': ok(data, type('application/jsonp')),
    'JSON lines': ok('{"data":1}\n{"data":2}'),
    HTML: ok('<!doctype html><p>hello</p>', type('text/html')),
    'a page of metadata': ok('ami-id\ninstance-id\n'),
    JSONP: ok('callback({"data":1})'),
    'a guard before JSON': ok(`)]}',\n${data}`),
    NaN: ok('{"data":NaN}'),
    Infinity: ok('{"data":-Infinity}'),
    'a comma too many': ok('{"data":[1,]}'),
    comments: ok('{"data":1}//x'),
    'single quotes': ok("{'data':1}"),
    undefined: ok('undefined'),
    'half a text': ok('{"data":"x'),
    'UTF-16, little end first': ok(
      Buffer.from(`\ufeff${data}`, 'utf16le'),
      type('application/json; charset=utf-16'),
    ),
    'UTF-16, big end first': ok(Buffer.from(`\ufeff${data}`, 'utf16le').swap16()),
    'UTF-7': ok('+AHsAIgBkAGEAdABhACIAOgAxAH0-', type('application/json; charset=utf-7')),
    'a byte that is no UTF-8': ok(Buffer.from([...Buffer.from('{"data":"'), 0xff, ...Buffer.from('"}')])),
    'an overlong slash': ok(Buffer.from([...Buffer.from('{"data":"'), 0xc0, 0xaf, ...Buffer.from('"}')])),
    'half of a surrogate pair as bytes': ok(
      Buffer.from([...Buffer.from('"'), 0xed, 0xa0, 0x80, ...Buffer.from('"')]),
    ),
    'a character cut in two': ok(Buffer.from([...Buffer.from('"'), 0xe2, 0x82, ...Buffer.from('"')])),
    'a byte order mark': ok(`\ufeff${data}`),
    'NUL bytes': ok('{"data":1}\0'),
    'a control character in a text': ok('{"data":"\u0001"}'),
    'a million brackets': ok('['.repeat(2 ** 20) + ']'.repeat(2 ** 20)),
    'a million braces': ok('{"a":'.repeat(300_000)),
  }),
  ...group(tooMany, {
    'one byte more than 2 MiB': ok(JSON.stringify('x'.repeat(most - 1))),
    'spaces without end': endless(`${head}\r\n`, ' '.repeat(65_536)),
    'a text without end': endless(`${head}\r\n"`, 'x'.repeat(65_536)),
    'a number without end': endless(`${head}\r\n`, '1'.repeat(65_536)),
    'an array without end': endless(`${head}\r\n[`, '0,'.repeat(30_000)),
    'more than it said, in chunks': endless(`${chunked}7fffffff\r\n`, ' '.repeat(65_536)),
  }),
  {
    title: 'exactly 2 MiB',
    write: ok(JSON.stringify('x'.repeat(most - 2))),
    gives: json(most - 2),
  },
  {
    title: '__proto__',
    write: ok('{"data":{"__proto__":{"polluted":1}}}'),
    gives: json(JSON.parse('{"data":{"__proto__":{"polluted":1}}}')),
  },
  {
    title: 'constructor.prototype',
    write: ok('{"constructor":{"prototype":{"polluted":1}}}'),
    gives: json({ constructor: { prototype: { polluted: 1 } } }),
  },
  { title: 'a key twice', write: ok('{"data":1,"data":2}'), gives: json({ data: 2 }) },
  {
    title: 'a `then`',
    write: ok('{"data":{"then":"x"},"then":1}'),
    gives: json(JSON.parse('{"data":{"then":"x"},"then":1}')),
  },
  { title: 'a `toJSON`', write: ok('{"toJSON":"x"}'), gives: json({ toJSON: 'x' }) },
  { title: 'null', write: ok('null'), gives: json(null) },
  { title: 'a number', write: ok(' 1 '), gives: json(1) },
  { title: 'a text', write: ok('"x"'), gives: json('x') },
  { title: 'an array', write: ok('[]'), gives: json([]) },
  {
    title: 'errors alone',
    write: ok('{"errors":[{"message":"of theirs"}]}'),
    gives: json({ errors: [{ message: 'of theirs' }] }),
  },
  {
    title: 'half of a surrogate pair, escaped',
    write: ok('{"data":"\\ud800"}'),
    gives: json({ data: '\ud800' }),
  },
  { title: 'a line separator', write: ok('{"data":"\u2028"}'), gives: json({ data: '\u2028' }) },
  {
    title: 'a number past all numbers',
    write: ok('{"data":[1e400,9007199254740993]}'),
    gives: json({ data: [null, 9007199254740992] }),
  },
  ...group(json({ data: 1 }), {
    'the media type of GraphQL': ok(data, type('application/graphql-response+json; charset=utf-8')),
    'its type in capitals': ok(data, type('APPLICATION/JSON')),
    'no type at all': bytes(`HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n${data}`),
    'identity, said aloud': ok(data, 'content-encoding: identity'),
  }),
]
