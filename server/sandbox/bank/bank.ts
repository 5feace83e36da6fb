/**
 * The simulated bank: orders, a buyer's choice, money, and the replies to questions. It has books for each of its customers, as
 * a bank has. It knows of Kassa only what an order contains.
 */
import { hooksOf, send } from '../faults.ts'
import type { Reply } from '../request.ts'
import { describe } from './answer.ts'
import { type Post, pageOf, type RunPiece, sendCallbacks } from './callbacks.ts'
import type { Customers } from './customers.ts'
import { catchUp, choose, nextDeed, type OrderChange, open } from './ledger.ts'
import {
  type BankAddress,
  type BankEntry,
  BankOrder,
  type BankStore,
  type Outcome,
  readEntry,
} from './order.ts'
import { actOnce, type Verdict, type WriteName } from './writes.ts'

export type SandboxBank = ReturnType<typeof createSandboxBank>

type Bank = {
  store: BankStore
  customers: Customers
  /** The bank's own address, without a slash. */
  address: string
  post: Post
}
type WriteRequest = { amountMinor: number; key?: string | undefined; now: Date }

const DUE_BATCH = 50
const NOT_FOUND: Reply = { status: 404, text: '{}' }

export function createSandboxBank(store: BankStore, parts: Omit<Bank, 'store'>) {
  const bank: Bank = { store, ...parts }
  const { address, customers } = bank
  return {
    /** The bank's address, without a slash. */
    address,
    customers,

    /** Returns an order as it is by now, or null. */
    find: (at: BankAddress, now: Date) => find(bank, at, now),

    /** Opens the order that an address carries, unless it is open already. Returns null when no customer has sealed it. */
    arrive: (at: BankAddress, sealed: string, now: Date) => arrive(bank, at, sealed, now),

    /** Stores the buyer's choice. Only the first choice counts, however often the form is sent. Returns null for an unknown order. */
    choose: (at: BankAddress, outcome: Outcome, now: Date) =>
      change(bank, at, now, (entry) => choose(entry, outcome, now)),

    /** Opens an order that a saved card decides at once, without a buyer. */
    async charge(customer: string, order: BankOrder, outcome: Outcome, now: Date): Promise<BankEntry> {
      const at = { customer, reference: order.reference }
      await store.insert(at, pageOf(choose(open(customer, order, now), outcome, now)))
      return (await find(bank, at, now)) as BankEntry
    },

    /**
     * Returns the reply to a question. The first one after the buyer's choice meets the order's fault.
     * @throws Error when the reply is lost
     */
    status: (at: BankAddress, now: Date) => status(bank, at, now),

    /** Refunds, captures or voids, and then replies. @throws Error when the reply is lost */
    write: (at: BankAddress, name: WriteName, given: WriteRequest) => write(bank, at, name, given),

    /**
     * Does what has fallen due to the orders, and sends the callbacks of it. Returns how many orders and callbacks there were. `run`
     * does a piece of this work, perhaps later.
     */
    async work(now: Date, run: RunPiece = (piece) => piece()): Promise<number> {
      const due = await store.listDue(now, DUE_BATCH)
      for (const at of due) await run(() => change(bank, at, now))
      const sign = (customer: string, body: string) => customers.signaturesOf(customer, body)
      return due.length + (await sendCallbacks(store, { sign, post: bank.post, now, run }))
    },

    nextDueAt: () => store.nextDueAt(),
  }
}

/** Changes an order as it is by now. Returns null when there is none. */
async function change(
  { store }: Bank,
  at: BankAddress,
  now: Date,
  act: (entry: BankEntry) => OrderChange = (entry) => ({ entry, reports: [] }),
): Promise<BankEntry | null> {
  const changed = await store.change(at, (stored) => {
    const before = catchUp(readEntry(stored) as BankEntry, now)
    const { entry, reports } = act(before.entry)
    return pageOf({ entry, reports: [...before.reports, ...reports] })
  })
  return readEntry(changed)
}

async function find(bank: Bank, at: BankAddress, now: Date): Promise<BankEntry | null> {
  const entry = readEntry(await bank.store.find(at))
  const due = entry && nextDeed(entry)
  return due && new Date(due.at) <= now ? change(bank, at, now) : entry
}

async function arrive(bank: Bank, at: BankAddress, sealed: string, now: Date): Promise<BankEntry | null> {
  const [terms = '', name = '', seal = ''] = sealed.split('.')
  const text = await bank.customers.openTerms(at.customer, { terms, name, seal })
  if (text === null) return null
  const order = BankOrder.parse(JSON.parse(text))
  if (order.reference !== at.reference) return null
  await bank.store.insert(at, pageOf({ entry: open(at.customer, order, now), reports: [] }))
  return find(bank, at, now)
}

async function status(bank: Bank, at: BankAddress, now: Date): Promise<Reply> {
  let entry = await find(bank, at, now)
  if (!entry) return NOT_FOUND
  let fault: BankEntry['fault']
  if (entry.outcome !== null && !entry.harmed && hooksOf(entry.fault).reply)
    entry = await change(bank, at, now, (current) => {
      if (!current.harmed) fault = current.fault
      return { entry: { ...current, harmed: true }, reports: [] }
    })
  const checkoutUrl = await bank.customers.orderUrl(bank.address, at.customer, BankOrder.parse(entry))
  return send(fault, { status: 200, text: describe(entry as BankEntry, checkoutUrl) })
}

async function write(bank: Bank, at: BankAddress, name: WriteName, given: WriteRequest): Promise<Reply> {
  let verdict: Verdict | undefined
  const entry = await change(bank, at, given.now, (current) => {
    const written = actOnce(name, current, { key: undefined, ...given })
    verdict = written.verdict
    return written
  })
  return entry ? send(entry.fault, { status: 200, text: JSON.stringify(verdict) }) : NOT_FOUND
}
