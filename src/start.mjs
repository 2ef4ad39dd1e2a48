// `npm start` runs the machine's own Node until `npm ci` has installed the one of package.json. So this file is plain
// JavaScript without packages: it says in a line what to run, where `main.ts` would end with a stack.
import { existsSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// Inside the project, because a user who can write here can change the code anyway. Node's default is a shared folder.
const cacheFolder = fileURLToPath(new URL('../node_modules/.cache/rostrum', import.meta.url))

/** Returns why this Node cannot run Rostrum here, and what to run (contract, section 9). Null if it can. */
function findObstacle() {
  if (!existsSync(new URL('../node_modules/fastify', import.meta.url)))
    return 'The packages of Rostrum are not installed. Run `npm ci && npm start`.'
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const isOld = Number.parseInt(process.versions.node, 10) < Number.parseInt(dependencies.node, 10)
  if (process.features.typescript && !isOld) return null
  // The right version can have it turned off too, and another installation would not help.
  const more = isOld ? '' : ' If it is installed, remove `--no-strip-types` from NODE_OPTIONS.'
  return (
    `Rostrum runs on Node.js ${dependencies.node} with type stripping, and this is ${process.version}. ` +
    `Run \`npm ci --ignore-scripts=false && npm start\`, which installs that version for Rostrum.${more}`
  )
}

const obstacle = findObstacle()
if (obstacle === null) {
  // Turns off the collection that V8 makes once 100 seconds have passed since the last one. With the objects of past
  // requests it drops the code that was optimized for them, and gives back only some 30 MB: in the next second, a run
  // took four times the gateway's processor time, and it was as before only after three. `v8/tune.ts` collects what is
  // more. V8 would abort if it had made such a collection before, so this comes before all else.
  setFlagsFromString('--memory-reducer-gc-count=0')
  // Stripped and compiled modules, by content and version, make the next start faster. A bad entry is compiled again.
  module.enableCompileCache(cacheFolder)
  await import('./main.ts')
} else {
  process.stderr.write(`${obstacle}\n`)
  process.exitCode = 1
}
