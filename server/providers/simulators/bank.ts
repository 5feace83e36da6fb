/**
 * The simulated bank: orders, a buyer's choice, and what the bank will say when asked. It keeps its own books, as a
 * bank would, and knows of Kassa only what an order tells it.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { CurrencyCode } from '../../contract/fields.ts'

/** What a buyer can choose on the bank's page. */
export const OUTCOMES = ['paid', 'declined', 'cancelled', 'pending', 'unknown'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** How long a `pending` choice takes to settle. */
export const SETTLE_MS = 5_000

const BankOrder = z.object({
  reference: z.string(),
  merchantName: z.string(),
  amountMinor: z.int(),
  currency: CurrencyCode,
  returnUrl: z.url(),
  /** Two steps: the buyer's consent only holds the money, until it is captured. */
  twoStep: z.boolean(),
})
export type BankOrder = z.infer<typeof BankOrder>

const BankEntry = BankOrder.extend({
  /** Null while the buyer has not chosen. */
  outcome: z.enum(OUTCOMES).nullable(),
  settlesAt: z.iso.datetime().nullable(),
})
/** An order in the bank's books. */
export type BankEntry = z.infer<typeof BankEntry>

/** Where the bank keeps its orders. `change` runs under the order's lock; answers null when there is no such order. */
export type BankBooks = {
  find(reference: string): Promise<unknown>
  insert(reference: string, entry: BankEntry): Promise<void>
  change(reference: string, change: (entry: unknown) => BankEntry): Promise<unknown>
}

export type SandboxBank = ReturnType<typeof createSandboxBank>

/** `key` seals the order that the buyer's browser carries to the bank; `address` is the bank's own, without a slash. */
export function createSandboxBank(books: BankBooks, { key, address }: { key: Buffer; address: string }) {
  // A key object, made once: from bytes, node:crypto makes one for each seal, at 8 us of a creation's 150 us.
  const secret = createSecretKey(key)
  const seal = (text: string) =>
    createHmac('sha256', secret).update(`sandbox-bank.${text}`).digest('base64url')
  const read = (entry: unknown): BankEntry | null => (entry === null ? null : BankEntry.parse(entry))

  return {
    /** The address that opens this order when a buyer arrives there. The same order has the same address. */
    orderUrl(order: BankOrder): string {
      const text = Buffer.from(JSON.stringify(order)).toString('base64url')
      return `${address}/${order.reference}?order=${text}.${seal(text)}`
    },

    /** Opens the order that an address carries, unless it is open already. Answers null when the address is not the bank's. */
    async arrive(reference: string, sealed: string): Promise<BankEntry | null> {
      const order = readSealed(sealed, seal)
      if (order?.reference !== reference) return null
      await books.insert(reference, { ...order, outcome: null, settlesAt: null })
      return read(await books.find(reference))
    },

    async find(reference: string): Promise<BankEntry | null> {
      return read(await books.find(reference))
    },

    /** The buyer's choice. The first one stands, however often the form is sent; answers null for an unknown order. */
    async choose(reference: string, outcome: Outcome, now: Date): Promise<BankEntry | null> {
      const settlesAt = outcome === 'pending' ? new Date(now.getTime() + SETTLE_MS).toISOString() : null
      const changed = await books.change(reference, (stored) => {
        const entry = BankEntry.parse(stored)
        return entry.outcome ? entry : { ...entry, outcome, settlesAt }
      })
      return read(changed)
    },
  }
}

function readSealed(sealed: string, seal: (text: string) => string): BankOrder | null {
  const [text = '', signature = ''] = sealed.split('.')
  const expected = Buffer.from(seal(text))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return BankOrder.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
}
