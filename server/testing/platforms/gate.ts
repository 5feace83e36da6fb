/** Stands between Kassa and a platform's event route, so that a scenario decides when and how often an event arrives. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PaymentStatusChanged } from '../../contract/event.ts'

export type Delivery = { headers: IncomingHttpHeaders; body: Buffer; event: PaymentStatusChanged }

export type Gate = {
  /** The callback URL to register at Kassa. */
  url: string
  /** Where accepted events go. */
  target: string
  /** What the platform has accepted with 2xx. */
  accepted: Delivery[]
  /** Each delivery is sent to the platform so often at the same time. Kassa gets the worst status. */
  copies: number
  /** While it is closed, Kassa gets 503 and the platform nothing. */
  isOpen: boolean
  /** How often each event came while it was closed. */
  refused: Map<string, number>
  /** Runs after the platform has accepted a delivery, and before Kassa learns of it. */
  afterAccepted: ((delivery: Delivery) => Promise<void>) | null
  /** Posts this delivery to the platform again. Returns the status. */
  replay(delivery: Delivery): Promise<number>
  close(): Promise<void>
}

const SKIPPED_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding']

export async function openGate(): Promise<Gate> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    if (gate.isOpen) return void response.writeHead(await take(request.headers, body)).end()
    const { id } = JSON.parse(body.toString())
    gate.refused.set(id, (gate.refused.get(id) ?? 0) + 1)
    response.writeHead(503).end()
  })
  async function take(headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
    const sends = Array.from({ length: gate.copies }, () => post(headers, body))
    const status = Math.max(...(await Promise.all(sends)))
    if (status >= 300) return status
    const delivery = { headers, body, event: JSON.parse(body.toString()) }
    gate.accepted.push(delivery)
    await gate.afterAccepted?.(delivery)
    return status
  }
  const post = (headers: IncomingHttpHeaders, body: Buffer): Promise<number> =>
    fetch(gate.target, {
      method: 'POST',
      redirect: 'manual',
      body: new Uint8Array(body),
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        SKIPPED_HEADERS.includes(name) ? [] : [[name, String(value)]],
      ),
    }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => 502,
    )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gate: Gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    target: '',
    accepted: [],
    copies: 1,
    isOpen: true,
    refused: new Map(),
    afterAccepted: null,
    replay: ({ headers, body }) => post(headers, body),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return gate
}
