import { parentPort, Worker, workerData } from 'node:worker_threads'

// A thread that sleeps up to each moment: a timer of the event loop would be a millisecond or two late by itself.

/** Calls back at each moment of the pace until `stop`; gives the number of the moment and when it was to be, in ms. */
export function startPacer(perSecond: number, onMoment: (plannedAt: number) => void): { stop(): void } {
  const started = performance.now()
  const startedNs = process.hrtime.bigint()
  const worker = new Worker(new URL(import.meta.url), { workerData: { startedNs, perSecond } })
  worker.on('message', (n: number) => onMoment(started + (n * 1000) / perSecond))
  return {
    stop() {
      worker.removeAllListeners('message')
      void worker.terminate()
    },
  }
}

function keepPace(startedNs: bigint, perSecond: number): never {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  for (let n = 0; ; n++) {
    const early = (n * 1000) / perSecond - Number(process.hrtime.bigint() - startedNs) / 1e6
    if (early > 0) Atomics.wait(cell, 0, 0, early)
    parentPort?.postMessage(n)
  }
}

if (parentPort !== null) keepPace(workerData.startedNs, workerData.perSecond)
