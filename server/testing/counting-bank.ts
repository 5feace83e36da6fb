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
import type { Attempt, Driver, Opened } from '../providers/driver.ts'

const ANSWER_MS_MAX = 12

export type CountingBank = {
  url: string
  /** How many orders each reference has. */
  orders: Map<string, number>
  close(): Promise<void>
}

export async function startCountingBank(): Promise<CountingBank> {
  const orders = new Map<string, number>()
  const attempts = new Map<string, unknown>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    // A request of a caller that died before its end does not count.
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const reference = (request.url ?? '').slice('/orders/'.length)
    if (request.method === 'POST') {
      orders.set(reference, (orders.get(reference) ?? 0) + 1)
      attempts.set(reference, JSON.parse(Buffer.concat(chunks).toString()))
      await sleep(randomInt(ANSWER_MS_MAX))
    }
    response
      .writeHead(attempts.has(reference) ? 200 : 404)
      .end(JSON.stringify(attempts.get(reference) ?? null))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Known = Pick<Attempt, 'reference' | 'amountMinor' | 'currency'> & { charged?: true }

/** Returns a driver for that bank. `reach` is called at each step. */
export function countingBankDriver(bankUrl: string, reach: (point: string) => void): Driver {
  const orderUrl = (reference: string) => `${bankUrl}/orders/${reference}`
  const opened = (reference: string): Opened => ({ kind: 'redirect', url: `${orderUrl(reference)}/pay` })
  return {
    label: 'Counting',
    currencies: ['USD'],
    liveCapable: false,
    supportsAutoinit: true,
    settings: z.object({}),
    async startCheckout(_call, { reference, amountMinor, currency }) {
      reach('before provider')
      setTimeout(reach, 3, 'while provider')
      const body = JSON.stringify({ reference, amountMinor, currency })
      await fetch(orderUrl(reference), { method: 'POST', body })
      reach('after provider')
      return opened(reference)
    },
    async chargeToken(_call, { reference, amountMinor, currency }) {
      reach('before charge')
      setTimeout(reach, 3, 'while charge')
      const body = JSON.stringify({ reference, amountMinor, currency, charged: true })
      await fetch(orderUrl(reference), { method: 'POST', body })
      reach('after charge')
      return { kind: 'done' }
    },
    async lookUp(_call, { reference }) {
      reach('before look-up')
      const answer = await fetch(orderUrl(reference))
      const known = (await answer.json()) as Known | null
      reach('after look-up')
      if (!known) return { kind: 'not_found' }
      const { charged, ...order } = known
      const taken = charged ? order.amountMinor : 0
      const money = { authorizedMinor: taken, capturedMinor: taken, refundedMinor: 0 }
      const status = charged ? 'paid' : 'pending_redirect'
      return { kind: 'found', opened: opened(reference), snapshot: { status, ...order, ...money } }
    },
  }
}
