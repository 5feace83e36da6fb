/** The simulated bank with records in memory and its own HTTP server, for tests without a database. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerBankRequest } from '../../sandbox/bank/api.ts'
import { createSandboxBank } from '../../sandbox/bank/bank.ts'
import type { Post } from '../../sandbox/bank/callbacks.ts'
import { type CardStore, createSandboxCards } from '../../sandbox/bank/cards.ts'
import { type CustomerStore, createCustomers } from '../../sandbox/bank/customers.ts'
import type { BankAddress, BankCallback, BankPage, BankStore } from '../../sandbox/bank/order.ts'

const keyOf = ({ customer, reference }: BankAddress) => `${customer}/${reference}`

export type MemoryBank = Awaited<ReturnType<typeof startMemoryBank>>

/** `now`: the bank's clock. `post`: gets its callbacks. */
export async function startMemoryBank(now: () => Date, post: Post) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', headers, url = '' } = request
    const path = url.replace(/^\/bank\/api/, '').replace(/\?.*$/s, '')
    try {
      const sent = { method, path, headers, body: Buffer.concat(chunks) }
      const { status, text } = await answerBankRequest({ bank, cards }, sent, now())
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    } catch {
      request.socket.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const customers = createCustomers(customerBooks(), Buffer.alloc(32, 9))
  const waiting: Waiting[] = []
  const forgotten = new Set<string>()
  const bank = createSandboxBank(bankBooks(waiting, forgotten), {
    customers,
    address: `${origin}/bank`,
    post,
  })
  const cards = createSandboxCards(cardBooks(waiting), bank)
  return {
    origin,
    bank,
    cards,
    /** From now on the bank does not know this order. */
    forget(at: BankAddress): void {
      forgotten.add(keyOf(at))
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function customerBooks(): CustomerStore {
  const rows = new Map<string, { oldest: number; newest: number }>()
  return {
    find: async (customer) => rows.get(customer) ?? null,
    async raise(customer, { oldest, newest }) {
      const { oldest: o, newest: n } = rows.get(customer) ?? { oldest: 1, newest: 1 }
      rows.set(customer, { oldest: Math.max(o, oldest), newest: Math.max(n, newest) })
    },
  }
}

function pageBooks<Page>() {
  const pages = new Map<string, Page>()
  return {
    find: async (at: BankAddress): Promise<unknown> => structuredClone(pages.get(keyOf(at)) ?? null),
    async insert(at: BankAddress, page: Page): Promise<void> {
      if (!pages.has(keyOf(at))) pages.set(keyOf(at), page)
    },
    async change(at: BankAddress, change: (stored: unknown) => Page): Promise<unknown> {
      const stored = pages.get(keyOf(at))
      if (stored === undefined) return null
      const changed = change(structuredClone(stored))
      pages.set(keyOf(at), changed)
      return structuredClone(changed)
    },
  }
}

type Waiting = Omit<BankCallback, 'dueAt'> & { dueAt: Date | null; attempts: number }

function cardBooks(waiting: Waiting[]): CardStore {
  const entries = pageBooks<object>()
  return {
    ...entries,
    change: (at, change) =>
      entries.change(at, (stored) => {
        const { card, callbacks } = change(stored)
        waiting.push(...callbacks.map((callback) => ({ ...callback, attempts: 0 })))
        return card
      }),
  }
}

function bankBooks(waiting: Waiting[], forgotten: Set<string>): BankStore {
  const entries = pageBooks<object>()
  const due = new Map<string, { at: BankAddress; dueAt: Date }>()
  const note = (at: BankAddress, { dueAt, callbacks }: BankPage) => {
    if (dueAt) due.set(keyOf(at), { at, dueAt })
    else due.delete(keyOf(at))
    waiting.push(...callbacks.map((callback) => ({ ...callback, attempts: 0 })))
  }
  return {
    find: async (at) => (forgotten.has(keyOf(at)) ? null : entries.find(at)),
    async insert(at, page) {
      if ((await entries.find(at)) !== null) return
      await entries.insert(at, page.entry)
      note(at, page)
    },
    change: (at, change) =>
      entries.change(at, (stored) => {
        const page = change(stored)
        note(at, page)
        return page.entry
      }),
    listDue: async (now, limit) =>
      [...due.values()]
        .filter(({ dueAt }) => dueAt <= now)
        .slice(0, limit)
        .map(({ at }) => at),
    nextDueAt: async () => null,
    async claimCallbacks(now, leaseUntil, limit) {
      const claimed = waiting.filter(({ dueAt }) => dueAt !== null && dueAt <= now).slice(0, limit)
      for (const callback of claimed)
        Object.assign(callback, { dueAt: leaseUntil, attempts: callback.attempts + 1 })
      return claimed
    },
    async noteCallback({ customer, reference, number }, { dueAt }) {
      const found = waiting.find(
        (each) => each.customer === customer && each.reference === reference && each.number === number,
      )
      if (found) found.dueAt = dueAt
    },
  }
}
