/**
 * Gives this process an internet of its own: public https hosts are servers of this machine. Nothing else of https works, so no
 * request leaves the machine.
 */
import { Resolver } from 'node:dns/promises'
import http, { type ClientRequestArgs } from 'node:http'
import https from 'node:https'

/** A public address, which the service accepts. No connection to it is made. */
const ANY_ADDRESS = '11.0.0.1'

/** `origins`: the origin on this machine for each host name. */
export function reachOnly(origins: Record<string, string>): void {
  const agent = new http.Agent({ keepAlive: true })
  Resolver.prototype.resolve4 = (async (name: string) => {
    if (!origins[name]) throw new Error(`${name} is not a host of this test`)
    return [ANY_ADDRESS]
  }) as typeof Resolver.prototype.resolve4
  Resolver.prototype.resolve6 = (async () => []) as typeof Resolver.prototype.resolve6

  https.request = ((options: ClientRequestArgs) => {
    const { host } = options.headers as { host: string }
    const { hostname, port } = new URL(origins[host] ?? '')
    const request = http.request({ ...options, host: hostname, port, agent })
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => socket.emit('secureConnect'))
    })
    return request
  }) as typeof https.request
}
