/**
 * The service with MODE=live and the settings of a real deployment. Public hosts are servers of this machine: `HOSTS` is a JSON object
 * from host names to their origins. Nothing else of https works in this process, so no request leaves the machine.
 */
import { Resolver } from 'node:dns/promises'
import http, { type ClientRequestArgs } from 'node:http'
import https from 'node:https'

const { HOSTS = '{}', ...environment } = process.env
process.env = environment
const origins: Record<string, string> = JSON.parse(HOSTS)
/** A public address, which the service accepts. No connection to it is made. */
const ANY_ADDRESS = '11.0.0.1'
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
  request.once('socket', (socket) => socket.once('connect', () => socket.emit('secureConnect')))
  return request
}) as typeof https.request

await import('../../main.ts')
