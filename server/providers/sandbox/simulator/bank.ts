/**
 * The simulated bank: orders, a buyer's choice, money, and what the bank says when asked. It keeps books for each of its
 * customers, as a bank would, and knows of Kassa only what an order tells it.
 */
import { describe } from './answer.ts'
import { type Post, pageOf, type RunPiece, sendCallbacks } from './callbacks.ts'
import type { Customers } from './customers.ts'
import { harmsAnswers, type Reply, send } from './fault.ts'
import { type Change, catchUp, choose, nextDeed, open } from './ledger.ts'
import {
  type BankAddress,
  type BankBooks,
  type BankEntry,
  BankOrder,
  type Outcome,
  readEntry,
} from './order.ts'
import { actOnce, type Verdict, type WriteName } from './writes.ts'

export type SandboxBank = ReturnType<typeof createSandboxBank>

type Options = {
  customers: Customers
  /** The bank's own, without a slash. */
  address: string
  post: Post
}

const DUE_BATCH = 50
const NOT_FOUND: Reply = { status: 404, text: '{}' }

export function createSandboxBank(books: BankBooks, { customers, address, post }: Options) {
  /** Changes an order as it is by now; returns null when there is none. */
  async function change(
    at: BankAddress,
    now: Date,
    act: (entry: BankEntry) => Change = (entry) => ({ entry, tell: [] }),
  ): Promise<BankEntry | null> {
    const changed = await books.change(at, (stored) => {
      const before = catchUp(readEntry(stored) as BankEntry, now)
      const { entry, tell } = act(before.entry)
      return pageOf({ entry, tell: [...before.tell, ...tell] })
    })
    return readEntry(changed)
  }

  /** An order as it is by now. */
  async function find(at: BankAddress, now: Date): Promise<BankEntry | null> {
    const entry = readEntry(await books.find(at))
    const due = entry && nextDeed(entry)
    return due && new Date(due.at) <= now ? change(at, now) : entry
  }

  return {
    /** The bank's address, without a slash. */
    address,
    customers,
    find,

    /** Opens the order that an address carries, unless it is open already. Returns null when no customer has sealed it. */
    async arrive(at: BankAddress, sealed: string, now: Date): Promise<BankEntry | null> {
      const [terms = '', name = '', seal = ''] = sealed.split('.')
      if (!(await customers.hasSealed(at.customer, terms, { name, seal }))) return null
      const order = BankOrder.parse(JSON.parse(Buffer.from(terms, 'base64url').toString()))
      if (order.reference !== at.reference) return null
      await books.insert(at, pageOf({ entry: open(at.customer, order, now), tell: [] }))
      return find(at, now)
    },

    /** The buyer's choice. The first one stands, however often the form is sent; returns null for an unknown order. */
    choose(at: BankAddress, outcome: Outcome, now: Date): Promise<BankEntry | null> {
      return change(at, now, (entry) => choose(entry, outcome, now))
    },

    /** An order that a saved card decides at once, without a buyer. */
    async charge(customer: string, order: BankOrder, outcome: Outcome, now: Date): Promise<BankEntry> {
      const at = { customer, reference: order.reference }
      await books.insert(at, pageOf(choose(open(customer, order, now), outcome, now)))
      return (await find(at, now)) as BankEntry
    },

    /**
     * The answer to a question; the first one after the buyer's choice meets the order's fault.
     * @throws Error when the answer is lost
     */
    async status(at: BankAddress, now: Date): Promise<Reply> {
      let entry = await find(at, now)
      if (!entry) return NOT_FOUND
      let fault: BankEntry['fault']
      if (entry.outcome !== null && !entry.harmed && harmsAnswers(entry.fault))
        entry = await change(at, now, (current) => {
          if (!current.harmed) fault = current.fault
          return { entry: { ...current, harmed: true }, tell: [] }
        })
      const checkoutUrl = await customers.orderUrl(address, at.customer, BankOrder.parse(entry))
      return send(fault, { status: 200, text: describe(entry as BankEntry, checkoutUrl) })
    },

    /** By the time that the bank answers, it has acted. @throws Error when the answer is lost */
    async write(
      at: BankAddress,
      name: WriteName,
      given: { amountMinor: number; key?: string | undefined; now: Date },
    ): Promise<Reply> {
      let verdict: Verdict | undefined
      const entry = await change(at, given.now, (current) => {
        const written = actOnce(name, current, { key: undefined, ...given })
        verdict = written.verdict
        return written
      })
      return entry ? send(entry.fault, { status: 200, text: JSON.stringify(verdict) }) : NOT_FOUND
    },

    /**
     * What the bank does by itself: what has fallen due to its orders, and the callbacks that tell of it. Returns how many. `run`:
     * does a piece of this work, perhaps later.
     */
    async work(now: Date, run: RunPiece = (piece) => piece()): Promise<number> {
      const due = await books.listDue(now, DUE_BATCH)
      for (const at of due) await run(() => change(at, now))
      const sign = (customer: string, body: string) => customers.signaturesOf(customer, body)
      return due.length + (await sendCallbacks(books, { sign, post, now, run }))
    },

    nextDueAt: () => books.nextDueAt(),
  }
}
