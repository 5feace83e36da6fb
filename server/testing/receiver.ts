/** A merchant's callback URL: a real HTTP server that keeps what it received. */
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
  /** Waits until `count` deliveries are there. */
  until(count: number, withinMs?: number): Promise<Received[]>
  close(): Promise<void>
}

/** `answer`: the status for each delivery, counted from 0; 200 by default. */
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
    async until(count, withinMs = 15_000) {
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

/** Whether one of the delivery's signatures was made with this secret. */
export function isSignedWith({ headers, body }: Received, secret: string): boolean {
  const [time = '', ...digests] = String(headers['x-service-signature'])
    .split(/,?(?:t=|v1=)/)
    .slice(1)
  return digests.includes(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
}

const TOLERANCE_SECONDS = 300

/** The status that a careful receiver answers: 401 to what is not signed with one of `secrets`, or not signed lately. */
export function carefulStatus(delivery: Received, secrets: string[], now: Date): number {
  const [, time] = /^t=(\d{10}),/.exec(String(delivery.headers['x-service-signature'])) ?? []
  const isFresh = Math.abs(now.getTime() / 1000 - Number(time)) <= TOLERANCE_SECONDS
  return isFresh && secrets.some((secret) => isSignedWith(delivery, secret)) ? 200 : 401
}
