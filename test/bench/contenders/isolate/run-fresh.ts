import ivm from 'isolated-vm'
import { prelude, wrap } from './isolate-prelude.ts'

/** Runs a script in an isolate of this process, made for it and disposed after it. */
export async function runFresh(sourceCode: string, input: unknown) {
  const logs: { at: string; level: string; data: unknown }[] = []
  let result: string | null = null
  const isolate = new ivm.Isolate({ memoryLimit: 64 })
  try {
    const context = await isolate.createContext()
    const end = new ivm.Callback((text: string) => {
      result ??= text
    })
    const write = new ivm.Callback((text: string) => {
      logs.push({ at: new Date().toISOString(), level: 'info', data: JSON.parse(text) })
    })
    await context.evalClosure(prelude, [end, write, JSON.stringify(input)])
    await context.eval(wrap(sourceCode), { promise: true, timeout: 1_000 })
    return { payload: JSON.parse(result ?? 'null') as unknown, logs }
  } finally {
    isolate.dispose()
  }
}
