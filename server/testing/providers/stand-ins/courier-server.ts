/** The bank of the stand-in driver that writes letters, on HTTP. A test decides when it does what it has taken, and how it ends. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { letterSum } from './courier.ts'

type Write = {
  id: string
  number: string
  event: 'refund' | 'capture'
  amount: number
  state: 'pending' | 'done' | 'failed'
}
type Order = { amount: number; steps: string; status: 'waiting' | 'held' | 'taken' | 'declined' }
export type Letter = { body: string; headers: { 'x-sum': string } }
export type Courier = Awaited<ReturnType<typeof startCourier>>

/** `isQuick`: it does what it has taken at once, and else when `finish` is called. */
type Habits = { secret: string; isQuick: boolean }

/** Its orders, what it has taken to do, and the letters that are signed and not sent yet. */
function createBooks({ secret, isQuick }: Habits) {
  const orders = new Map<string, Order>()
  const writes: Write[] = []
  const letters: Letter[] = []
  const sumOf = (number: string, event: Write['event'], isMeant: (write: Write) => boolean) =>
    writes
      .filter((each) => each.number === number && each.event === event && isMeant(each))
      .reduce((sum, { amount }) => sum + amount, 0)
  const claimed = ({ state }: Write) => state !== 'failed'
  const books = {
    orders,
    writes,
    letters,
    takenOf(number: string): number {
      const { status, amount = 0 } = orders.get(number) ?? {}
      return status === 'taken' ? amount : sumOf(number, 'capture', claimed)
    },
    refundedOf: (number: string) => sumOf(number, 'refund', ({ state }) => state === 'done'),
    leftOf(number: string, event: Write['event']): number {
      if (event === 'refund') return books.takenOf(number) - sumOf(number, 'refund', claimed)
      const { status, amount = 0 } = orders.get(number) ?? {}
      return status === 'held' && sumOf(number, 'capture', claimed) === 0 ? amount : 0
    },
    take(event: Write['event'], number: string, amount: number): object {
      if (amount > books.leftOf(number, event)) return { code: 7 }
      const write: Write = { id: `w${writes.length + 1}`, number, event, amount, state: 'pending' }
      writes.push(write)
      if (isQuick) books.finish(write.id)
      return { code: 0, id: write.id }
    },
    write(fields: Record<string, string>): Letter {
      const body = new URLSearchParams(fields).toString()
      const letter = { body, headers: { 'x-sum': letterSum(secret, body) } }
      letters.push(letter)
      return letter
    },
    /** What the bank has taken ends. Returns the letter about it. */
    finish(id: string, state: Write['state'] = 'done'): Letter {
      const write = writes.find((each) => each.id === id)
      if (!write) throw new Error(`the bank has no ${id}`)
      write.state = state
      const { number, event, amount } = write
      return books.write({ number, event, id, state, amount: String(amount) })
    },
    pay(number: string): void {
      const order = orders.get(number)
      if (order?.status !== 'waiting') throw new Error('the order is over')
      order.status = order.steps === 'two' ? 'held' : 'taken'
      books.write({ number, event: 'paid', id: 'none', state: 'done', amount: String(order.amount) })
    },
  }
  return books
}

export async function startCourier(habits: Habits) {
  const books = createBooks(habits)
  let losing: string | null = null
  function act(method: string, fields: URLSearchParams): object {
    if (fields.get('login') === 'nobody') return { code: 5 }
    if (bank.refusing === method) return { code: 8 }
    const number = fields.get('number') ?? ''
    const amount = Number(fields.get('amount'))
    const url = `${bank.address}/pay/${number}`
    if (method === 'register') {
      const steps = fields.get('steps') ?? 'one'
      if (!books.orders.has(number)) books.orders.set(number, { amount, steps, status: 'waiting' })
      return { code: 0, url }
    }
    const order = books.orders.get(number)
    if (!order) return { code: 6 }
    if (method === 'status') return { code: 0, status: order.status, amount: order.amount, url }
    if (method === 'ticket') return { code: 0 }
    return books.take(method === 'refund' ? 'refund' : 'capture', number, amount)
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const method = (request.url ?? '').slice(1)
    const answer = act(method, new URLSearchParams(text))
    if (losing !== method) return void response.end(JSON.stringify(answer))
    losing = null
    request.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bank = {
    ...books,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The method that it refuses because of the account. */
    refusing: null as string | null,
    /** The bank acts on the next request of this method, and its answer is lost. */
    lose(method: 'refund' | 'capture') {
      losing = method
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return bank
}
