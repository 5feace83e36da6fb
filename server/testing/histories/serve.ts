/** A simulated provider's HTTP server, on a free port of this machine. Unlike that of other tests it may wait before it answers. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** `url`: the path with its query. */
export type Arrival = { method: string; url: string; headers: Record<string, string>; body: string }
export type Reply = { status: number; headers?: Record<string, string>; body: string }

/** `answer` returns null to close the connection without a reply. */
export async function serve(answer: (arrival: Arrival) => Promise<Reply | null>) {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    )
    const { method = 'GET', url = '/' } = incoming
    const reply = await answer({ method, url, headers, body: Buffer.concat(chunks).toString() }).catch(
      () => null,
    )
    if (reply) response.writeHead(reply.status, reply.headers).end(reply.body)
    else incoming.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    isAway: () => !server.listening,
    /** While it is away, nothing listens at its address: connections are refused, so nothing is sent. */
    async setAway(isAway: boolean): Promise<void> {
      if (isAway === !server.listening) return
      server.closeAllConnections()
      const done = once(server, isAway ? 'close' : 'listening')
      if (isAway) server.close()
      else server.listen(port, '127.0.0.1')
      await done
    },
    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
