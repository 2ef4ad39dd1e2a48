import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const knocking = new Map<string, Promise<void>>()

/** Resolves once somebody listens there. All who wait share one that knocks, and leave the processor to what starts. */
export function untilListening(baseUrl: string): Promise<void> {
  const waiting = knocking.get(baseUrl) ?? knock(baseUrl).finally(() => knocking.delete(baseUrl))
  knocking.set(baseUrl, waiting)
  return waiting
}

async function knock(baseUrl: string): Promise<void> {
  while (!(await isListening(Number(new URL(baseUrl).port)))) await sleep(20)
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
