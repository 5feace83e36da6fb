/** A merchant's callback URL: an HTTP server that stores the deliveries that it gets. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentStatusChanged } from '../contract/event.ts'

export type Received = { headers: IncomingHttpHeaders; body: string; event: PaymentStatusChanged; at: Date }
export type Receiver = {
  url: string
  received: Received[]
  /** Waits until `count` deliveries have arrived. */
  until(count: number, withinMs?: number): Promise<Received[]>
  close(): Promise<void>
}

/** `answer`: returns the status for each delivery. The index starts at 0. The default is 200. */
export async function startReceiver(
  answer: (index: number, delivery: Received) => number = () => 200,
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const delivery = { headers: request.headers, body, event: JSON.parse(body), at: new Date() }
    received.push(delivery)
    response.writeHead(answer(received.length - 1, delivery)).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    received,
    async until(count, withinMs = 100_000) {
      const deadline = performance.now() + withinMs
      while (received.length < count && performance.now() < deadline) await sleep(20)
      if (received.length < count) throw new Error(`${received.length} of ${count} deliveries came in time`)
      return received
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns whether one of the delivery's signatures was made with this secret. */
export function isSignedWith({ headers, body }: Received, secret: string): boolean {
  const [time = '', ...digests] = String(headers['x-service-signature'])
    .split(/,?(?:t=|v1=)/)
    .slice(1)
  return digests.includes(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
}

const TOLERANCE_SECONDS = 300

/** Returns the status of a correct receiver: 401 if the delivery was not signed with one of `secrets`, or not recently. */
export function carefulStatus(delivery: Received, secrets: string[], now: Date): number {
  const [, time] = /^t=(\d{10}),/.exec(String(delivery.headers['x-service-signature'])) ?? []
  const isFresh = Math.abs(now.getTime() / 1000 - Number(time)) <= TOLERANCE_SECONDS
  return isFresh && secrets.some((secret) => isSignedWith(delivery, secret)) ? 200 : 401
}
