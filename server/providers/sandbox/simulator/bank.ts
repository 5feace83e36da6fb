/**
 * The simulated bank: orders, a buyer's choice, money, and what the bank will say when asked. It keeps its own books, as a
 * bank would, and knows of Kassa only what an order tells it.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { describe } from './answer.ts'
import { isSigned, type Post, pageOf, sendCallbacks } from './callbacks.ts'
import { harmsAnswers, type Reply, send } from './fault.ts'
import { type Change, catchUp, choose, nextDeed, open } from './ledger.ts'
import { type BankBooks, type BankEntry, BankOrder, type Outcome, readEntry } from './order.ts'
import { type Verdict, WRITES } from './writes.ts'

export type SandboxBank = ReturnType<typeof createSandboxBank>

type Options = {
  /** Seals the orders that buyers' browsers carry to the bank, and signs its callbacks. */
  key: Buffer
  /** The bank's own, without a slash. */
  address: string
  post: Post
}

const Write = z.object({ reference: z.string(), amountMinor: z.int().min(1) })
const DUE_BATCH = 50

export function createSandboxBank(books: BankBooks, { key, address, post }: Options) {
  // A key object, made once: from bytes, node:crypto makes one for each seal, at 8 us of a creation's 150 us.
  const secret = createSecretKey(key)
  const seal = (text: string) =>
    createHmac('sha256', secret).update(`sandbox-bank.${text}`).digest('base64url')

  /** The address that opens this order when a buyer arrives there. The same order has the same address. */
  const orderUrl = (order: BankOrder): string => {
    const text = Buffer.from(JSON.stringify(order)).toString('base64url')
    return `${address}/${order.reference}?order=${text}.${seal(text)}`
  }

  /** Changes an order as it is by now; answers null when there is none. */
  async function change(
    reference: string,
    now: Date,
    act: (entry: BankEntry) => Change = (entry) => ({ entry, tell: [] }),
  ): Promise<BankEntry | null> {
    const changed = await books.change(reference, (stored) => {
      const before = catchUp(readEntry(stored) as BankEntry, now)
      const { entry, tell } = act(before.entry)
      return pageOf({ entry, tell: [...before.tell, ...tell] })
    })
    return readEntry(changed)
  }

  /** An order as it is by now. */
  async function find(reference: string, now: Date): Promise<BankEntry | null> {
    const entry = readEntry(await books.find(reference))
    const due = entry && nextDeed(entry)
    return due && new Date(due.at) <= now ? change(reference, now) : entry
  }

  /** The answer to a question; the first one after the buyer's choice meets the order's fault. */
  async function status(reference: string, now: Date): Promise<Reply> {
    let entry = await find(reference, now)
    if (!entry) return { status: 404, text: '{}' }
    let fault: BankEntry['fault']
    if (entry.outcome !== null && !entry.harmed && harmsAnswers(entry.fault))
      entry = await change(reference, now, (current) => {
        if (!current.harmed) fault = current.fault
        return { entry: { ...current, harmed: true }, tell: [] }
      })
    const order = BankOrder.parse(entry)
    return send(fault, { status: 200, text: describe(entry as BankEntry, orderUrl(order)) })
  }

  return {
    orderUrl,
    find,

    /** Opens the order that an address carries, unless it is open already. Answers null when the address is not the bank's. */
    async arrive(reference: string, sealed: string, now: Date): Promise<BankEntry | null> {
      const order = readSealed(sealed, seal)
      if (order?.reference !== reference) return null
      await books.insert(reference, pageOf({ entry: open(order), tell: [] }))
      return find(reference, now)
    },

    /** The buyer's choice. The first one stands, however often the form is sent; answers null for an unknown order. */
    choose(reference: string, outcome: Outcome, now: Date): Promise<BankEntry | null> {
      return change(reference, now, (entry) => choose(entry, outcome, now))
    },

    /** An order that a saved card decides at once, without a buyer. */
    async charge(order: BankOrder, outcome: Outcome, now: Date): Promise<BankEntry> {
      await books.insert(order.reference, pageOf(choose(open(order), outcome, now)))
      return (await find(order.reference, now)) as BankEntry
    },

    /**
     * What the bank takes over the wire: JSON in, a status and text out. By the time that it answers, it has acted.
     * @throws Error when the answer is lost
     */
    async request(path: 'status' | keyof typeof WRITES, body: string, now: Date): Promise<Reply> {
      const sent = JSON.parse(body)
      if (path === 'status') return status(String(sent.reference), now)
      const { reference, amountMinor } = Write.parse(sent)
      let verdict: Verdict | undefined
      const entry = await change(reference, now, (current) => {
        const written = WRITES[path](current, amountMinor, now)
        verdict = written.verdict
        return written
      })
      return entry
        ? send(entry.fault, { status: 200, text: JSON.stringify(verdict) })
        : { status: 404, text: '{}' }
    },

    /** Whether the bank has signed this callback. */
    isSigned(body: Buffer, signature: string): boolean {
      return isSigned(secret, body, signature)
    },

    /** What the bank does by itself: what has fallen due to its orders, and the callbacks that tell of it. Answers how many. */
    async work(now: Date): Promise<number> {
      const due = await books.listDue(now, DUE_BATCH)
      for (const reference of due) await change(reference, now)
      return due.length + (await sendCallbacks(books, { secret, post, now }))
    },

    nextDueAt: () => books.nextDueAt(),
  }
}

function readSealed(sealed: string, seal: (text: string) => string): BankOrder | null {
  const [text = '', signature = ''] = sealed.split('.')
  const expected = Buffer.from(seal(text))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return BankOrder.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
}
