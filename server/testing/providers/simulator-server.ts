/** A simulated provider with its own HTTP server, on a free port of this machine. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** `url`: the path with its query. */
export type Arrival = { method: string; url: string; headers: Record<string, string>; body: string }
type Reply = { status: number; headers?: Record<string, string>; body: string }

/** `answer` returns null to close the connection without a reply. */
export async function serveSimulator(answer: (arrival: Arrival) => Reply | null | Promise<Reply | null>) {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    )
    const { method = 'GET', url = '/' } = incoming
    const reply = await answer({ method, url, headers, body: Buffer.concat(chunks).toString() })
    if (reply) response.writeHead(reply.status, reply.headers).end(reply.body)
    else incoming.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
