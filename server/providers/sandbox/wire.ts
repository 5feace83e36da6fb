/**
 * The simulated bank's protocol, as its manual would have it: what both its customers and the bank itself must write alike.
 *
 * The API stands below the bank's address at `/api`. It takes HTTP Basic credentials: the customer's number and secret. A
 * secret is `<name>_<rest>`; its name may be shown. Writes take an `Idempotency-Key`, which the bank remembers for a day.
 * A buyer arrives at `/orders/<customer>/<reference>?order=<terms>.<name>.<seal>`: the terms as base64url of JSON, sealed
 * with the secret. So an order needs no request before its buyer arrives. Callbacks are signed with the secret as well.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { CurrencyCode, type Metadata, SANDBOX_FAULTS, type SandboxFault } from '../../contract/fields.ts'

/** What an order, or a payment's `metadata.sandboxFault`, can name. */
export const FAULTS = SANDBOX_FAULTS
export type Fault = SandboxFault

/** The fault that a payment's own data names. Other text is rejected when the payment is created. */
export function summonedBy(metadata: Metadata | null): Fault | undefined {
  return FAULTS.find((fault) => fault === metadata?.sandboxFault)
}

/** An order's terms, as the customer describes them. The members are written in this order. */
export const BankOrder = z.object({
  reference: z.string(),
  merchantName: z.string(),
  amountMinor: z.int(),
  currency: CurrencyCode,
  returnUrl: z.url(),
  /** Two steps: the buyer's consent only holds the money, until it is captured. */
  twoStep: z.boolean(),
  /** Absent in orders from before the bank told anything by itself. */
  callbackUrl: z.url().optional(),
  fault: z.enum(FAULTS).optional(),
  /** Of an order that a saved card is charged for: how it declines, where it does. */
  decline: z.enum(['soft', 'hard']).optional(),
  /** Only of an order with a fault. */
  expiresAt: z.iso.datetime().optional(),
})
export type BankOrder = z.infer<typeof BankOrder>

/** Of an order or a card: whose it is, and its number there. */
export type BankAddress = { customer: string; reference: string }

/** The part of a secret that may be shown. */
export function nameOfSecret(secret: string): string {
  return secret.slice(0, Math.max(0, secret.lastIndexOf('_')))
}

/** The address at which a buyer opens this order. The same order and secret give the same address. */
export function orderUrl(bankUrl: string, customer: string, secret: string, order: BankOrder): string {
  const terms = Buffer.from(JSON.stringify(order)).toString('base64url')
  const at = `${bankUrl}/orders/${encodeURIComponent(customer)}/${encodeURIComponent(order.reference)}`
  return `${at}?order=${terms}.${nameOfSecret(secret)}.${sealOf(secret, terms)}`
}

export function sealOf(secret: string, terms: string): string {
  return createHmac('sha256', keyOf(secret)).update(`sandbox-bank.${terms}`).digest('base64url')
}

/** In this header a callback carries `<name>=<signature>` for each secret that the bank takes, with commas between them. */
export const SIGNATURE_HEADER = 'x-bank-signature'

export function signatureOf(secret: string, body: string | Buffer): string {
  return createHmac('sha256', keyOf(secret)).update('sandbox-callback.').update(body).digest('hex')
}

const KEYS_MAX = 1_000
/** Key objects, made once: from text, node:crypto makes one for each seal, which is a part of each creation's time. */
const keys = new Map<string, KeyObject>()

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret)
  if (known) return known
  if (keys.size >= KEYS_MAX) keys.clear()
  const key = createSecretKey(Buffer.from(secret))
  keys.set(secret, key)
  return key
}
