/**
 * A load balancer before two processes of a kit. It sends each event to the next process, or to the other one if that cannot be
 * reached.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Balancer = { url: string; close(): Promise<void> }

type Letter = { headers: IncomingHttpHeaders; body: Buffer }

/** `before` runs before each event, one event after the other. It returns to how many processes the event is sent at once. */
export async function startBalancer(ports: string[], before: () => Promise<number>): Promise<Balancer> {
  let turn = 0
  let last: Promise<unknown> = Promise.resolve()
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const letter = { headers: incoming.headers, body: Buffer.concat(chunks) }
    const sent = last.then(async () => {
      const copies = await before()
      const statuses = await Promise.all(Array.from({ length: copies }, () => forward(letter)))
      return statuses[0] ?? 503
    })
    last = sent.catch(() => {})
    response.writeHead(await sent.catch(() => 502)).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  /**
   * A process that does not accept the connection is skipped. If a process dies after it has accepted, the sender gets an
   * error.
   */
  async function forward(letter: Letter): Promise<number> {
    const first = turn++
    for (const step of ports.keys()) {
      const status = await post(ports[(first + step) % ports.length] ?? '', letter)
      if (status !== null) return status
    }
    return 503
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns the status, 502 if the process died before it responded, or null if nothing listens there. */
function post(port: string, { headers, body }: Letter): Promise<number | null> {
  return new Promise((resolve) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path: '/kassa/callback', method: 'POST', agent: false },
      (answer) => {
        answer.resume()
        answer.once('close', () => resolve(answer.statusCode ?? 502))
      },
    )
    for (const name of ['content-type', 'x-service-signature'])
      outgoing.setHeader(name, String(headers[name] ?? ''))
    outgoing.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? null : 502),
    )
    outgoing.end(body)
  })
}
