/** The gateway of the stand-in driver, on HTTP. A test can make it lose its next answer, after it has acted or before. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type GatewayOrder = { amount: number; status: 0 | 2 | 6; taken: number; language: string | null }
export type Gateway = Awaited<ReturnType<typeof startGateway>>

/** It names an amount only once money is there. */
const shown = ({ status, amount, taken }: GatewayOrder) =>
  status === 2 ? { code: 0, status, amount, taken } : { code: 0, status }

const opened = (fields: URLSearchParams): GatewayOrder => ({
  amount: Number(fields.get('amount')),
  status: 0,
  taken: 0,
  language: fields.get('language'),
})

/** Answers that wait until a test releases them. */
function createHolds() {
  let holding: { method: string; heard: () => void; released: Promise<void> } | null = null
  return {
    hold(method: 'register'): { heard: Promise<void>; release: () => void } {
      const heard = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      holding = { method, heard: heard.resolve, released: released.promise }
      return { heard: heard.promise, release: released.resolve }
    },
    async wait(method: string): Promise<void> {
      if (holding?.method !== method) return
      const { heard, released } = holding
      holding = null
      heard()
      await released
    },
  }
}

export async function startGateway() {
  const orders = new Map<string, GatewayOrder>()
  let losing: { method: string; acts: boolean } | null = null
  const holds = createHolds()
  const act = (method: string, fields: URLSearchParams): object => {
    if (fields.get('login') === 'nobody') return { code: 5 }
    if (gateway.refusing?.method === method) return { code: gateway.refusing.code }
    const number = fields.get('number') ?? ''
    const order = orders.get(number)
    if (method === 'register') {
      if (order) return { code: 1 }
      orders.set(number, opened(fields))
      return { code: 0, url: `${gateway.address}/pay/${number}` }
    }
    if (!order) return { code: 6 }
    if (method === 'status') return shown(order)
    if (order.status === 2) return { code: 7 }
    order.status = 6
    return { code: 0 }
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const method = (request.url ?? '').slice(1)
    const lost = losing?.method === method ? losing : null
    if (lost) losing = null
    if (lost?.acts === false) return void request.socket.destroy()
    const answer = act(method, new URLSearchParams(text))
    if (lost) return void request.socket.destroy()
    await holds.wait(method)
    response.end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gateway = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    /** The code with which it refuses every request of a method. Null: it takes them. */
    refusing: null as { method: string; code: 4 | 8 | 9 } | null,
    /** The next answer of this method is lost. `acts`: the gateway has done what was asked for. */
    lose(method: 'register' | 'status' | 'decline' | null, acts = true) {
      losing = method && { method, acts }
    },
    /** The next answer of this method waits, after the gateway has acted, until `release` is called. */
    hold: holds.hold,
    /** The buyer pays at the address. Returns false if the order is over. */
    pay(number: string): boolean {
      const order = orders.get(number)
      if (order?.status !== 0) return false
      Object.assign(order, { status: 2, taken: order.amount })
      return true
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return gateway
}
