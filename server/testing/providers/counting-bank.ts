/**
 * A simulated provider on its own port, so it keeps running when a test kills the service. It opens a new order for each request,
 * also for a reference that has one, and counts the orders. So a second order for one payment is noticed.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { CheckoutRequest, Driver, Opened, ProviderCall } from '../../providers/driver.ts'

const ANSWER_MS_MAX = 12

export type CountingBank = {
  url: string
  /** How many orders each reference has. */
  orders: Map<string, number>
  /** The key of each requested refund, in order. It makes a refund once for each key. */
  refunds: string[]
  close(): Promise<void>
}

/** `opensAfterMs`: how long the bank works on an order before anybody can see it. */
export async function startCountingBank({
  opensAfterMs = () => 0,
}: {
  opensAfterMs?: () => number
} = {}): Promise<CountingBank> {
  const orders = new Map<string, number>()
  const attempts = new Map<string, unknown>()
  const refunds: string[] = []
  const refunded = new Map<string, number>()
  /** Makes the refund, unless its key is known. */
  const refund = (reference: string, { key, amountMinor }: { key: string; amountMinor: number }) => {
    if (!refunds.includes(key)) refunded.set(reference, (refunded.get(reference) ?? 0) + amountMinor)
    refunds.push(key)
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    // A request is not counted if its caller died before its end.
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const [reference = '', what] = (request.url ?? '').slice('/orders/'.length).split('/')
    if (what === 'refunds') {
      refund(reference, JSON.parse(Buffer.concat(chunks).toString()))
      response.end('null')
      return
    }
    if (request.method === 'POST') {
      const workMs = opensAfterMs()
      if (workMs > 0) await sleep(workMs)
      orders.set(reference, (orders.get(reference) ?? 0) + 1)
      attempts.set(reference, JSON.parse(Buffer.concat(chunks).toString()))
      await sleep(randomInt(ANSWER_MS_MAX))
    }
    response
      .writeHead(attempts.has(reference) ? 200 : 404)
      .end(JSON.stringify(presentOrder(attempts.get(reference), refunded.get(reference))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    refunds,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function presentOrder(attempt: unknown, refundedMinor = 0): unknown {
  return typeof attempt === 'object' && attempt !== null ? { ...attempt, refundedMinor } : null
}

type Known = Pick<CheckoutRequest, 'reference' | 'amountMinor' | 'currency'> & {
  charged?: true
  refundedMinor: number
}

/** Returns a driver for that bank. `reach` is called at each step. The step waits for the promise that it returns. */
export function countingBankDriver(bankUrl: string, reach: (point: string) => Promise<void> | void): Driver {
  const orderUrl = (reference: string) => `${bankUrl}/orders/${reference}`
  const send = (call: ProviderCall, url: string, body: object) =>
    call.http.request({ method: 'POST', url, body: JSON.stringify(body) })
  const opened = (reference: string): Extract<Opened, { kind: 'redirect' }> => ({
    kind: 'redirect',
    url: `${orderUrl(reference)}/pay`,
  })
  return {
    label: 'Counting',
    currencies: ['USD'],
    liveCapable: false,
    supportsAutoinit: true,
    settings: z.object({}),
    addresses: () => [bankUrl],
    async startCheckout(call, { reference, amountMinor, currency }) {
      await reach('before provider')
      setTimeout(reach, 3, 'while provider')
      await send(call, orderUrl(reference), { reference, amountMinor, currency })
      await reach('after provider')
      return opened(reference)
    },
    async chargeToken(call, { reference, amountMinor, currency }) {
      await reach('before charge')
      setTimeout(reach, 3, 'while charge')
      await send(call, orderUrl(reference), { reference, amountMinor, currency, charged: true })
      await reach('after charge')
      return { kind: 'done' }
    },
    async saveToken(call, { reference }) {
      await reach('before save')
      setTimeout(reach, 3, 'while save')
      await send(call, orderUrl(reference), {})
      await reach('after save')
      return opened(reference)
    },
    keyed: () => ({ refund: 24 * 3_600_000 }),
    async refund(call, { reference, key, amountMinor }) {
      await reach('before refund')
      setTimeout(reach, 3, 'while refund')
      await send(call, `${orderUrl(reference)}/refunds`, { key, amountMinor })
      await reach('after refund')
      return { kind: 'done' }
    },
    async lookUp(call, { reference }) {
      await reach('before look-up')
      const { text } = await call.http.request({ method: 'GET', url: orderUrl(reference) })
      const known = JSON.parse(text) as Known | null
      await reach('after look-up')
      if (!known) return { kind: 'not_found' }
      const { charged, refundedMinor, ...terms } = known
      const taken = charged ? terms.amountMinor : 0
      const money = { authorizedMinor: taken, capturedMinor: taken, refundedMinor }
      const order = charged ? 'completed' : 'waiting'
      return { kind: 'found', opened: opened(reference), snapshot: { order, ...terms, ...money } }
    },
  }
}
