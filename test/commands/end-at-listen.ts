// Preloaded into a gateway: sends SIGTERM to it as soon as it listens, before its start is over.
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  this.once('listening', () => process.kill(process.pid, 'SIGTERM'))
  return Reflect.apply(listen, this, args)
}
