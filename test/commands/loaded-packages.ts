// Preloaded into a real gateway's process. It answers any IPC message with the names of the packages loaded so far.

import { registerHooks } from 'node:module'

const packages = new Set<string>()

registerHooks({
  load(url, context, next) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
    if (name !== undefined) packages.add(name)
    return next(url, context)
  },
})

process.on('message', () => process.send?.([...packages]))
// The gateway must still end by itself.
process.channel?.unref()
