import { data, group, type HostAnswer, head, json, noJson, unreached } from '../hosts/host-answer.ts'
import { bytes, bytesAndEnd, ok, status } from '../hosts/write-answers.ts'

const redirect = { message: 'redirects are not followed' }

/** Statuses and headers: nothing that they point to is followed. */
export const statuses: readonly HostAnswer[] = [
  ...group(redirect, {
    ...Object.fromEntries(
      [
        '300 Multiple Choices',
        '301 Moved',
        '302 Found',
        '303 See Other',
        '304 Not Modified',
        '307 Temporary',
        '308 Permanent',
        '399 x',
      ].map(line => [`${line} to loopback`, status(line, data, 'location: http://127.0.0.1:{CANARY_PORT}/')]),
    ),
    '302 to the same host': status('302 Found', data, 'location: /elsewhere'),
    '307 without a scheme': status('307 x', data, 'location: //127.0.0.1:{CANARY_PORT}/'),
    '302 to data:': status('302 Found', '', 'location: data:application/json,1'),
    '302 to file:': status('302 Found', '', 'location: file:///etc/passwd'),
    '302 without a location': status('302 Found', data),
    '302 with two locations': status(
      '302 Found',
      '',
      'location: /a',
      'location: http://127.0.0.1:{CANARY_PORT}/',
    ),
  }),
  ...group(json({ data: 1 }), {
    '200 with a location': ok(data, 'location: http://127.0.0.1:{CANARY_PORT}/'),
    '201 with a location': status('201 Created', data, 'location: http://127.0.0.1:{CANARY_PORT}/'),
    '200 with a refresh': ok(data, 'refresh: 0; url=http://127.0.0.1:{CANARY_PORT}/'),
    '200 with alt-svc': ok(
      data,
      'alt-svc: h3="127.0.0.1:{CANARY_PORT}", h2="127.0.0.1:{CANARY_PORT}"; ma=9999',
    ),
    '200 with link preload': ok(data, 'link: <http://127.0.0.1:{CANARY_PORT}/>; rel=preload'),
    '200 with a cookie': ok(data, 'set-cookie: session=stolen; path=/', 'set-cookie: other=1'),
    '200 with authentication info': ok(data, 'www-authenticate: Negotiate', 'authentication-info: x=1'),
    '103 and then 200': bytes(
      'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n',
      `${head}content-length: 10\r\n\r\n${data}`,
    ),
    '203': status('203 Non-Authoritative', data),
    'HTTP/1.0, ended by its end': bytesAndEnd(
      `HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${data}`,
    ),
  }),
  ...group(unreached, {
    '101 upgrade': bytes(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
    ),
    '101 upgrade to h2c': bytes('HTTP/1.1 101 x\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    '100 without having been asked': bytes(
      'HTTP/1.1 100 Continue\r\n\r\n',
      `${head}content-length: 10\r\n\r\n${data}`,
    ),
  }),
  ...group(noJson, {
    '204': bytesAndEnd('HTTP/1.1 204 No Content\r\n\r\n'),
    '205': status('205 Reset', ''),
    'an empty 200': ok(''),
  }),
  { title: '400', write: status('400 Bad', data), gives: { message: 'the host answered 400' } },
  {
    title: '401 with a challenge',
    write: status('401 x', data, 'www-authenticate: Basic realm=x'),
    gives: { message: 'the host answered 401' },
  },
  {
    title: '407',
    write: status('407 x', data, 'proxy-authenticate: Basic'),
    gives: { message: 'the host answered 407' },
  },
  { title: '421', write: status('421 x', data), gives: { message: 'the host answered 421' } },
  { title: '425', write: status('425 x', data), gives: { message: 'the host answered 425' } },
  { title: '500', write: status('500 x', data), gives: { message: 'the host answered 500' } },
  {
    title: '503 with retry-after',
    write: status('503 x', data, 'retry-after: 0'),
    gives: { message: 'the host answered 503' },
  },
  { title: '999', write: status('999 x', data), gives: { message: 'the host answered 999' } },
]
