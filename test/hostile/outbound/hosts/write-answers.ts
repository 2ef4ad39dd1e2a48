import type { Socket } from 'node:net'

/** How a listed host answers one request. */
export type WriteAnswer = (socket: Socket) => void

/** 200, with these header lines and exactly this body. */
export function ok(body: string | Buffer, ...headers: string[]): WriteAnswer {
  return status('200 OK', body, ...headers)
}

export function status(line: string, body: string | Buffer, ...headers: string[]): WriteAnswer {
  return socket => {
    const type = headers.some(header => /^content-type:/i.test(header))
      ? []
      : ['content-type: application/json']
    const lines = [`HTTP/1.1 ${line}`, ...type, ...headers, `content-length: ${Buffer.byteLength(body)}`]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    socket.write(body)
  }
}

/** These bytes and nothing more; the connection stays open. */
export function bytes(...texts: (string | Buffer)[]): WriteAnswer {
  return socket => {
    for (const text of texts) socket.write(text)
  }
}

/** These bytes, and then the end of the connection. */
export function bytesAndEnd(...texts: (string | Buffer)[]): WriteAnswer {
  return socket => {
    for (const text of texts) socket.write(text)
    socket.end()
  }
}

/** The first text once, then the second repeatedly, as fast as it is read. */
export function endless(first: string, next: string | Buffer): WriteAnswer {
  return socket => {
    socket.write(first)
    const more = () => {
      while (socket.writable && socket.write(next));
    }
    socket.on('drain', more)
    more()
  }
}

/** The first text once, then endlessly a character of the second every few milliseconds. */
export function drip(first: string, next: string, everyMs = 50): WriteAnswer {
  return socket => {
    socket.write(first)
    let at = 0
    const timer = setInterval(() => socket.write(next[at++ % next.length] ?? ''), everyMs)
    socket.on('close', () => clearInterval(timer))
  }
}
