import { data, group, type HostAnswer, head, json, unreached } from '../hosts/host-answer.ts'
import { bytes, bytesAndEnd, drip, endless } from '../hosts/write-answers.ts'

const chunked = `${head}transfer-encoding: chunked\r\n\r\n`
const flood = { message: 'the host sent too much data outside the answer' }

/** How bytes come, or do not: what is no whole HTTP answer gives nothing. */
export const framings: readonly HostAnswer[] = [
  ...group(unreached, {
    'nothing, and the end': bytesAndEnd(''),
    'a reset': socket => socket.resetAndDestroy(),
    'a reset amid the headers': socket =>
      void socket.write('HTTP/1.1 200 OK\r\ncont', () => socket.resetAndDestroy()),
    'a reset amid the body': socket =>
      void socket.write(`${head}content-length: 100\r\n\r\n{`, () => socket.resetAndDestroy()),
    'a body without a status line': bytesAndEnd(data),
    'another protocol': bytesAndEnd('SSH-2.0-OpenSSH_9.6\r\n'),
    'frames of HTTP/2': bytesAndEnd(Buffer.from('000006040000000000000400010000', 'hex')),
    'HTTP/9.9': bytesAndEnd(`HTTP/9.9 200 OK\r\ncontent-length: 10\r\n\r\n${data}`),
    'a status of letters': bytesAndEnd('HTTP/1.1 abc OK\r\n\r\n'),
    'a header without a colon': bytesAndEnd('HTTP/1.1 200 OK\r\nhello world\r\n\r\n'),
    'a NUL in a header': bytesAndEnd('HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'),
    'a length that is too long': bytesAndEnd(`${head}content-length: 100\r\n\r\n${data}`),
    'a length below zero': bytesAndEnd(`${head}content-length: -1\r\n\r\n${data}`),
    'a length past all integers': bytesAndEnd(`${head}content-length: 99999999999999999999\r\n\r\n${data}`),
    'two lengths': bytesAndEnd(`${head}content-length: 10\r\ncontent-length: 11\r\n\r\n${data}`),
    'a length and chunks': bytesAndEnd(
      `${head}content-length: 10\r\ntransfer-encoding: chunked\r\n\r\na\r\n${data}\r\n0\r\n\r\n`,
    ),
    'a chunk whose size is no number': bytesAndEnd(`${chunked}zz\r\n${data}\r\n0\r\n\r\n`),
    'a chunk past all integers': bytesAndEnd(`${chunked}ffffffffffffffffff\r\n${data}`),
    'chunks without an end': bytesAndEnd(`${chunked}a\r\n${data}\r\n`),
    'one header of 1 MB': bytesAndEnd(
      `${head}x: ${'x'.repeat(1_000_000)}\r\ncontent-length: 10\r\n\r\n${data}`,
    ),
    'a header without end': endless(`${head}x: `, 'x'.repeat(65_536)),
    'headers without end': endless(head, 'a: b\r\n'.repeat(10_000)),
    '10,000 headers': bytes(`${head}${'a: b\r\n'.repeat(10_000)}content-length: 10\r\n\r\n${data}`),
    'trailers without end': endless(`${chunked}a\r\n${data}\r\n0\r\n`, 'a: b\r\n'.repeat(10_000)),
  }),
  ...group(flood, {
    'a status line without end': endless('HTTP/1.1 200 ', 'x'.repeat(65_536)),
    'hints without end': endless('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(1_000)),
    'an extension of a chunk without end': endless(`${chunked}1;x=`, 'x'.repeat(65_536)),
    'chunks of one byte without end': endless(chunked, '1\r\n \r\n'.repeat(10_000)),
    'chunks of one byte, each with an extension': endless(chunked, `1;${'x'.repeat(10_000)}\r\n \r\n`),
  }),
  ...group(json({ data: 1 }), {
    'a length that is too short': bytes(`${head}content-length: 10\r\n\r\n${data}{"data":2}`),
    'a second answer after the first': bytes(
      `${head}content-length: 10\r\n\r\n${data}`,
      `${head}content-length: 18\r\n\r\n{"data":"smuggled"}`,
    ),
    'chunks with extensions and trailers': bytes(
      `${chunked}a;x=y\r\n${data}\r\n0\r\nset-cookie: a=b\r\n\r\n`,
    ),
    'chunks of one byte': bytes(
      `${chunked}${[...data].map(letter => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`,
    ),
    'a half-closed connection': bytesAndEnd(`${head}content-length: 10\r\n\r\n${data}`),
    'keep-alive without limit': bytes(
      `${head}connection: keep-alive\r\nkeep-alive: timeout=999999\r\ncontent-length: 10\r\n\r\n${data}`,
    ),
    'a pause amid everything': socket => {
      const pieces = [...`${head}content-length: 10\r\n\r\n${data}`]
      const timer = setInterval(
        () => socket.write(pieces.splice(0, 9).join('')) && pieces.length === 0 && clearInterval(timer),
        10,
      )
    },
  }),
  ...group('waits', {
    silence: () => undefined,
    'a head that never ends': drip('HTTP/1.1 200 OK\r\nx: ', 'x'),
    'a body that never ends': drip(`${head}\r\n{"data":`, ' '),
    'chunks that never end': drip(`${chunked}100\r\n`, ' '),
    'hints that drip': drip('', 'HTTP/1.1 103 x\r\n\r\n', 5),
    'the end of the connection, which never comes': bytes(`HTTP/1.0 200 OK\r\n\r\n${data}`),
  }),
]
