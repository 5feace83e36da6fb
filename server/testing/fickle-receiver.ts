/**
 * A receiver that fails in common ways and records each delivery. It is one server for many merchants, with one path for each.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Random, seededRandom } from './random.ts'

export type Arrival = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  at: number
  mode: keyof typeof MODES
}

const LATE_MS = 900
const MODES = {
  takes: (response: ServerResponse) => void response.end('taken'),
  fails: (response: ServerResponse) => void response.writeHead(500).end(),
  misses: (response: ServerResponse) => void response.writeHead(404).end(),
  redirects: (response: ServerResponse) => void response.writeHead(302, { location: '/' }).end(),
  resets: (response: ServerResponse) => void response.socket?.resetAndDestroy(),
  hangs: () => {},
  takes_late: (response: ServerResponse) => void setTimeout(() => response.end('taken'), LATE_MS),
}
const FAILURES = ['fails', 'misses', 'redirects', 'resets', 'hangs', 'takes_late'] as const

/** `failing`: the share of deliveries that fail. The six kinds of failure alternate. */
export async function startFickleReceiver(failing: number, random: Random = seededRandom(1)) {
  const arrivals: Arrival[] = []
  let failures = 0
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const mode =
      random(0, 1_000) < failing * 1_000
        ? (FAILURES[failures++ % FAILURES.length] ?? 'fails')
        : ('takes' as const)
    const body = Buffer.concat(chunks).toString('utf8')
    arrivals.push({ path: request.url ?? '', headers: request.headers, body, at: Date.now(), mode })
    MODES[mode](response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
