/** The bank of the stand-in driver, on HTTP. A test can make it lose its next answer, refuse a write, or stop answering. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type BindingOrder = {
  amount: number
  state: 'waiting' | 'held' | 'taken' | 'declined'
  held: number
  taken: number
  returned: number
  binding: string | null
  isUnbound: boolean
}
type Method = 'register' | 'status' | 'reverse' | 'refund' | 'unbind'
export type BindingBank = Awaited<ReturnType<typeof startBindingBank>>

/** The bank's books. `remembersKeys`: a write that is repeated with its key is done once. Otherwise each one is done. */
function createBooks(remembersKeys: boolean) {
  const orders = new Map<string, BindingOrder>()
  const keys = new Set<string>()
  const writes: string[] = []
  const refusing = new Set<Method>()
  const write = (method: 'reverse' | 'refund', order: BindingOrder, fields: URLSearchParams): object => {
    const key = fields.get('key') ?? ''
    writes.push(`${method} ${key}`)
    if (refusing.has(method)) return { code: 7 }
    if (remembersKeys && keys.has(key)) return { code: 0 }
    keys.add(key)
    if (method === 'reverse') {
      if (order.held === 0) return { code: 7 }
      order.held = 0
    } else order.returned += Number(fields.get('amount'))
    return { code: 0 }
  }
  const act = (method: Method, fields: URLSearchParams, address: string): object => {
    const number = fields.get('number') ?? ''
    const order = orders.get(number)
    if (method === 'register') {
      if (order) return { code: 1 }
      const amount = Number(fields.get('amount'))
      const sums = { held: 0, taken: 0, returned: 0 }
      orders.set(number, { amount, state: 'waiting', ...sums, binding: null, isUnbound: false })
      return { code: 0, url: `${address}/pay/${number}` }
    }
    if (!order) return { code: 6 }
    if (method === 'status') return { code: 0, ...order }
    if (method === 'reverse' || method === 'refund') return write(method, order, fields)
    if (order.binding !== null) Object.assign(order, { binding: null, isUnbound: true })
    return { code: 0 }
  }
  return { orders, writes, refusing, act }
}

export async function startBindingBank({ remembersKeys = false } = {}) {
  const { orders, writes, refusing, act } = createBooks(remembersKeys)
  let losing: { method: Method; acts: boolean } | null = null
  let isAway = false
  let limiting: { methods: readonly Method[]; retryAfterSeconds: number } | null = null
  let limited = 0
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const method = (request.url ?? '').slice(1) as Method
    const lost = losing?.method === method ? losing : null
    if (lost) losing = null
    if (isAway || lost?.acts === false) return void request.socket.destroy()
    if (limiting?.methods.includes(method)) {
      limited++
      return void response.writeHead(429, { 'retry-after': String(limiting.retryAfterSeconds) }).end()
    }
    const answer = act(method, new URLSearchParams(text), bank.address)
    if (lost) return void request.socket.destroy()
    response.end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bank = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    /** Each write that has arrived and was answered or done, with its key. */
    writes,
    refusing,
    /** The next answer of this method is lost. `acts`: the bank has done what was asked for. */
    lose(method: Method, acts = true) {
      losing = { method, acts }
    },
    /** From now on it takes no request of these methods, and wants the caller to wait. */
    limit(methods: readonly Method[], retryAfterSeconds = 0) {
      limiting = { methods, retryAfterSeconds }
      limited = 0
    },
    /** How many requests it has not taken since. */
    limited: () => limited,
    away(is: boolean) {
      isAway = is
    },
    /** The buyer pays at the address. `saves`: the bank keeps the card. */
    pay(number: string, state: 'held' | 'taken', saves = true): BindingOrder {
      const order = orders.get(number)
      if (!order) throw new Error('no such order')
      const sums = state === 'held' ? { held: order.amount } : { taken: order.amount }
      return Object.assign(order, { state, ...sums, binding: saves ? `binding-${number}` : null })
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return bank
}
