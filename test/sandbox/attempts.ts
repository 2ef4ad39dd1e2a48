// Attempts of an attacker who has taken over a sandbox process: name, body of an async function, expected failure.
// `facts` has the paths, pids and ports of the test; see attacker.js for the rest.

export type Attempt = readonly [name: string, code: string, ...verdicts: string[]]

const denied = 'ERR_ACCESS_DENIED'

/** The verdicts of an attempt. */
export function verdictsOf([, , ...verdicts]: Attempt): readonly string[] {
  return verdicts.length === 0 ? [denied] : verdicts
}

export const reading: readonly Attempt[] = [
  ['our package.json', 'return fs.readFileSync(facts.package, "utf8")'],
  ['our database', 'return fs.readFileSync(facts.database)'],
  ['our database, by a path of bytes', 'return fs.readFileSync(Buffer.from(facts.database))'],
  [
    'our database, by a plain array of bytes',
    'return fs.readFileSync(new Uint8Array(Buffer.from(facts.database)))',
  ],
  ['our database, by a URL', 'return fs.readFileSync(new URL("file://" + facts.database))'],
  ['our database, with promises', 'return fs.promises.readFile(facts.database)'],
  ['our database, as a stream', 'return until(fs.createReadStream(facts.database), "data")'],
  ['our database, as a blob', 'return (await fs.openAsBlob(facts.database)).text()'],
  ['our database, up from a folder it may have read', 'return fs.readFileSync(facts.up)'],
  ['our database, up, by bytes', 'return fs.readFileSync(new Uint8Array(Buffer.from(facts.up)))'],
  ['our source', 'return fs.readFileSync(facts.source, "utf8")'],
  ['the accounts of the system', 'return fs.readFileSync("/etc/passwd", "utf8")'],
  ['its own environment', 'return fs.readFileSync("/proc/self/environ", "utf8")'],
  ["the gateway's environment", 'return fs.readFileSync("/proc/" + process.ppid + "/environ", "utf8")'],
  ["the gateway's memory", 'return fs.openSync("/proc/" + process.ppid + "/mem", "r")'],
  ["the gateway's open files", 'return fs.readdirSync("/proc/" + process.ppid + "/fd")'],
  ["the gateway's folder", 'return fs.readdirSync("/proc/" + process.ppid + "/cwd")'],
  ['its own open files', 'return fs.readdirSync("/proc/self/fd")'],
  ['its standard input again', 'return fs.openSync("/dev/stdin", "r+")'],
  ['a folder', 'return fs.readdirSync("/")'],
  ['a folder, entry by entry', 'return fs.opendirSync("/").readSync().name'],
  ['names by a pattern', 'return fs.globSync("/etc/*")', 'nothing'],
  ['whether a file is there', 'return fs.existsSync("/etc/passwd")'],
  ['what is known of a file', 'return fs.statSync("/etc/passwd").size'],
  ['what is known of a link', 'return fs.lstatSync("/etc/passwd").size'],
  ['who may have a file', 'return fs.accessSync("/etc/passwd") ?? "allowed"'],
  ['where a link leads', 'return fs.readlinkSync("/proc/self/exe")'],
  ['the true path', 'return fs.realpathSync.native("/proc/self/cwd")'],
  ['how full a disk is', 'return fs.statfsSync("/").blocks'],
  ['when a file changes', 'return typeof fs.watch("/tmp")'],
  ['whole disks', 'return fs.openSync("/dev/sda", "r")'],
  ['settings of a file', 'return process.loadEnvFile(facts.package) ?? "loaded"', denied, 'TypeError'],
]

export const writing: readonly Attempt[] = [
  ['a file', 'fs.writeFileSync(facts.target, "x"); return "written"'],
  ['a file in memory', 'fs.writeFileSync("/dev/shm/rostrum-attempt", "x"); return "written"'],
  ['a file beside it', 'fs.writeFileSync("rostrum-attempt", "x"); return "written"'],
  ['to the end of a file', 'fs.appendFileSync(facts.database, "x"); return "written"'],
  ['as a stream', 'return until(fs.createWriteStream(facts.target), "open")'],
  ['with promises', 'await fs.promises.writeFile(facts.target, "x"); return "written"'],
  ['a folder', 'fs.mkdirSync(facts.target); return "made"'],
  ['a folder of any name', 'return fs.mkdtempSync(facts.target)'],
  ['nothing where a file was', 'fs.rmSync(facts.database); return "removed"'],
  ['nothing where a folder was', 'fs.rmdirSync(facts.folder); return "removed"'],
  ['another name', 'fs.renameSync(facts.database, facts.target); return "renamed"'],
  ['a shorter file', 'fs.truncateSync(facts.database, 0); return "truncated"'],
  ['a link', 'fs.symlinkSync(facts.database, facts.target); return "linked"'],
  ['a second name', 'fs.linkSync(facts.database, facts.target); return "linked"'],
  ['a copy', 'fs.copyFileSync(facts.database, facts.target); return "copied"'],
  ['a copy of a folder', 'fs.cpSync(facts.folder, facts.target, { recursive: true }); return "copied"'],
  ['other rights', 'fs.chmodSync(facts.database, 0o777); return "changed"'],
  ['another owner', 'fs.chownSync(facts.database, 0, 0); return "changed"'],
  ['another time', 'fs.utimesSync(facts.database, 0, 0); return "changed"'],
  ['its memory', 'return (await get("node:v8")).writeHeapSnapshot(facts.target)'],
  ['a report', 'return (process.report ?? (await get("node:process")).report).writeReport(facts.target)'],
  [
    'traces',
    '(await get("node:trace_events")).createTracing({ categories: ["node"] }).enable(); return "on"',
  ],
]

export const reaching: readonly Attempt[] = [
  ['a port, by net', 'return until((await get("node:net")).connect(facts.port, "127.0.0.1"), "connect")'],
  ['a socket of a path', 'return until((await get("node:net")).connect(facts.socket), "connect")'],
  [
    'a port, by http',
    'return until((await get("node:http")).get("http://127.0.0.1:" + facts.port), "response")',
  ],
  [
    'a port, by http2',
    'return until((await get("node:http2")).connect("http://127.0.0.1:" + facts.port), "connect")',
  ],
  [
    'a port, by tls',
    'return until((await get("node:tls")).connect(facts.port, "127.0.0.1"), "secureConnect")',
  ],
  ['a port, by fetch', 'return (await fetch("http://127.0.0.1:" + facts.port)).status'],
  [
    'a port, by the socket of its own input',
    'return until(new process.stdin.constructor().connect(facts.port, "127.0.0.1"), "connect")',
  ],
  [
    'a path, by the pipe of its own input',
    'const { code } = new process.stdin._handle.constructor(0).connect({}, facts.socket); throw { code }',
  ],
  [
    'a path to listen on, by the same',
    'new process.stdin._handle.constructor(1).bind(facts.target); return "bound"',
  ],
  ['a web socket', 'return new WebSocket("ws://127.0.0.1:" + facts.port).url', 'ReferenceError'],
  ['an event source', 'return new EventSource("http://127.0.0.1:" + facts.port).url', 'ReferenceError'],
  [
    'a port to listen on',
    'return until((await get("node:net")).createServer().listen(0), "listening").then(() => "listens")',
  ],
  [
    'a path to listen on',
    'return until((await get("node:net")).createServer().listen(facts.target), "listening").then(() => "listens")',
  ],
  [
    'a port, by datagram',
    `const socket = (await get("node:dgram")).createSocket("udp4")
    socket.send("x", facts.datagrams, "127.0.0.1")
    return until(socket, "listening").then(() => "sent")`,
  ],
  [
    'a port for datagrams',
    'return until((await get("node:dgram")).createSocket("udp4").bind(0), "listening").then(() => "listens")',
  ],
  ['a name', 'return (await get("node:dns/promises")).lookup("localhost")'],
  [
    'a name, by its own questions',
    `const { Resolver } = await get("node:dns/promises")
    const resolver = new Resolver({ timeout: 300, tries: 1 })
    resolver.setServers(["127.0.0.1:" + facts.datagrams])
    return resolver.resolve4("secret.example")`,
  ],
  ['the name of an address', 'return (await get("node:dns/promises")).lookupService("127.0.0.1", 22)'],
  ['a module of the web', 'return get("https://example.com/x.js")', denied, 'ERR_UNSUPPORTED_ESM_URL_SCHEME'],
]

export const starting: readonly Attempt[] = [
  [
    'a program',
    'const { error, pid } = (await get("node:child_process")).spawnSync("id"); if (error) throw error; return pid',
  ],
  ['a shell', 'return (await get("node:child_process")).execSync("id").toString()'],
  ['another Node', 'return (await get("node:child_process")).fork(facts.source).pid'],
  ['a program in its own place', 'process.execve("/bin/id", ["id"], {})', denied, 'TypeError'],
  ['a thread', 'return new (await get("node:worker_threads")).Worker("1", { eval: true }).threadId'],
  ['a web worker', 'return new Worker("data:text/javascript,1")', 'ReferenceError'],
  [
    'a cluster',
    `const { setupPrimary, fork } = (await get("node:cluster")).default
    setupPrimary({ exec: facts.source })
    return fork().id`,
  ],
  ['a debugger', '(await get("node:inspector")).open(0); return "open"'],
  ['a session with itself', 'new (await get("node:inspector")).Session().connect(); return "connected"'],
  [
    'a system interface',
    'return new (await get("node:wasi")).WASI({ version: "preview1", preopens: { "/": "/" } })',
  ],
  ['a foreign function', 'return Object.keys((await get("node:ffi")).dlopen("libc.so.6", {}))'],
  [
    'a database',
    'return new (await get("node:sqlite")).DatabaseSync(facts.database).location()',
    denied,
    'ERR_UNKNOWN_BUILTIN_MODULE',
  ],
  ['a store of its own', 'return localStorage.length + 1', 'ReferenceError'],
]

/** Attempts that Node's permission model allows and `sandbox/boot.mjs` must prevent. */
export const lockedOnly: readonly Attempt[] = [
  ['a signal of nothing to the gateway', 'return process.kill(process.ppid, 0)'],
  ['a signal to the gateway', 'return process.kill(process.ppid, "SIGCONT")'],
  ['a signal to its group', 'return process.kill(0, "SIGCONT")'],
  ['a signal to everybody', 'return process.kill(-1, 0)'],
  [
    'a signal, its own number forged',
    'process.pid = process.ppid; try { return process.kill(process.ppid, 0) } finally { process.pid = facts.pid }',
  ],
  ['a signal by the function below', 'return process._kill(process.ppid, 0)', 'TypeError'],
  ["the gateway's debugger", 'process._debugProcess(process.ppid); return "open"', 'TypeError'],
  ["the gateway's priority", '(await get("node:os")).setPriority(process.ppid, 19); return "set"'],
  ['another user', 'process.setuid(65534); return "set"', 'TypeError'],
  ['another group', 'process.setgroups([]); return "set"', 'TypeError'],
  ['another folder', 'process.chdir("/tmp"); return "there"', 'TypeError'],
  ['a library that we use', 'process.dlopen({ exports: {} }, facts.addon); return "loaded"', 'TypeError'],
  ['any library', 'return new isolatedVm.NativeModule(facts.addon)', 'TypeError'],
  [
    'any library, by the prototype',
    'return new (Object.getPrototypeOf(isolatedVm).NativeModule)(facts.addon)',
    'TypeError',
  ],
  ['a module of Node', 'return Object.keys(process.getBuiltinModule("node:os"))', 'TypeError'],
  ['an inner module of Node', 'return Object.keys(process.binding("spawn_sync"))', 'TypeError'],
  ['a linked module of Node', 'return process._linkedBinding("x")', 'TypeError'],
  ['other flags', '(await get("node:v8")).setFlagsFromString("--no-jitless"); return "set"'],
  ['what it knows of the machine', 'return process.report.getReport()', 'TypeError'],
  ['a module of text', 'return get("data:text/javascript,export default 1")'],
  ['a module of a file', 'return get("file:///etc/passwd")'],
  ['a module, by code that is made', 'return new Function("return import(\'node:os\')")()'],
  ['a module, by code that is evaluated', 'return (0, eval)("import(\'node:child_process\')")'],
  [
    'a module, by a name that lies',
    'let n = 0; return get({ toString: () => (n++ === 0 ? "node:fs" :' +
      '"node:os") }).then(m => m.setPriority && "got it")',
    'nothing',
  ],
]

/** Runs alone in its process, because it breaks the language for the others. */
export const tampering: readonly Attempt[] = [
  [
    'a module, once the language lies',
    `Set.prototype.has = Map.prototype.has = () => true
    Object.hasOwn = () => true
    Array.prototype.includes = () => true
    URL.parse = () => ({ href: "node:os" })
    Object.prototype["node:os"] = true
    return Object.keys(await get("node:os"))`,
  ],
]

/** Attempts that the kernel alone must prevent. */
export const confined: readonly Attempt[] = [
  [
    'a port',
    'return until((await get("node:net")).connect(facts.port, "127.0.0.1"), "connect")',
    'ENETUNREACH',
  ],
  ["the gateway's environment", 'return fs.readFileSync("/proc/" + process.ppid + "/environ")', 'EACCES'],
  ["the gateway's memory", 'return fs.openSync("/proc/" + process.ppid + "/mem", "r")', 'EACCES'],
  ['a file', 'fs.writeFileSync(facts.target, "x"); return "written"', 'EFBIG'],
  ['another user', 'process.setuid(0); return "root"', 'EPERM', 'EINVAL'],
]
