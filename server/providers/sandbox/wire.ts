/**
 * The simulated bank's protocol. The driver and the bank both use this file.
 * The API is below the bank's address at `/api`. It takes HTTP Basic credentials: the customer's number and secret. A secret is
 * `<name>_<rest>`. Its name may be shown. Writes take an `Idempotency-Key`, which the bank remembers for a day. Every object
 * that the API returns has its `mode`, `test` or `live`.
 * A buyer arrives at `/orders/<customer>/<reference>?order=<terms>.<name>.<seal>`: the terms as JSON, encrypted and sealed with
 * the secret, so that a buyer can neither change them nor read the callback address in them. So an order needs no request before
 * its buyer arrives. Callbacks are signed with the secret too.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { z } from 'zod'
import { FAULT_NAMES, type SandboxFault } from '../../contract/faults.ts'
import { CurrencyCode, type Metadata } from '../../contract/fields.ts'

/** The fault that a payment's own metadata names. Other text is rejected when the payment is created. */
export function faultAskedBy(metadata: Metadata | null): SandboxFault | undefined {
  return FAULT_NAMES.find((fault) => fault === metadata?.sandboxFault)
}

/** An order's terms, as the customer describes them. The members are written in this order. */
export const BankOrder = z.object({
  reference: z.string(),
  merchantName: z.string(),
  amountMinor: z.int(),
  currency: CurrencyCode,
  returnUrl: z.url(),
  /** Two steps: the buyer's consent only authorizes the money. It is captured later. */
  twoStep: z.boolean(),
  /** Absent in orders from before the bank sent callbacks. */
  callbackUrl: z.url().optional(),
  fault: z.enum(FAULT_NAMES).optional(),
  /** For a charge of a saved card: how it is declined. */
  decline: z.enum(['soft', 'hard']).optional(),
  /** Only for an order with a fault. */
  expiresAt: z.iso.datetime().optional(),
})
export type BankOrder = z.infer<typeof BankOrder>

/** The customer of an order or a card, and its number there. */
export type BankAddress = { customer: string; reference: string }

/** The part of a secret that may be shown. */
export function nameOfSecret(secret: string): string {
  return secret.slice(0, Math.max(0, secret.lastIndexOf('_')))
}

/** Returns the address at which a buyer opens this order. The same order and secret give the same address. */
export function orderUrl(bankUrl: string, customer: string, secret: string, order: BankOrder): string {
  const text = JSON.stringify(order)
  const seal = sealOf(secret, text)
  const cipher = createCipheriv(CIPHER, keysOf(secret).terms, seal.subarray(0, IV_BYTES))
  // A cipher in counter mode keeps nothing back for its end.
  const terms = cipher.update(text)
  const at = `${bankUrl}/orders/${encodeURIComponent(customer)}/${encodeURIComponent(order.reference)}`
  return `${at}?order=${terms.toString('base64url')}.${nameOfSecret(secret)}.${seal.toString('base64url')}`
}

/** Returns the terms of an order's address as JSON, or null if this secret has not sealed them. */
export function openTerms(secret: string, sealed: { terms: string; seal: string }): string | null {
  const seal = Buffer.from(sealed.seal, 'base64url')
  if (seal.length !== SEAL_BYTES) return null
  const decipher = createDecipheriv(CIPHER, keysOf(secret).terms, seal.subarray(0, IV_BYTES))
  const text = Buffer.concat([decipher.update(sealed.terms, 'base64url'), decipher.final()]).toString()
  return timingSafeEqual(seal, sealOf(secret, text)) ? text : null
}

/** The seal is computed from the plain text. Its first bytes are the initial value of the encryption, so each order has its own value. */
const CIPHER = 'aes-256-ctr'
const SEAL_BYTES = 32
const IV_BYTES = 16

function sealOf(secret: string, text: string): Buffer {
  return createHmac('sha256', keysOf(secret).seal).update(`sandbox-bank.${text}`).digest()
}

/** In this header a callback has `<name>=<signature>` for each secret that the bank accepts, with commas between them. */
export const SIGNATURE_HEADER = 'x-bank-signature'

export function signatureOf(secret: string, body: string | Buffer): string {
  return createHmac('sha256', keysOf(secret).seal).update('sandbox-callback.').update(body).digest('hex')
}

const KEYS_MAX = 1_000
type Keys = { seal: KeyObject; terms: KeyObject }
/** By secret. From a text, node:crypto makes a new key object for each seal, which would slow down each creation. */
const keys = new Map<string, Keys>()

function keysOf(secret: string): Keys {
  const known = keys.get(secret)
  if (known) return known
  const seal = createSecretKey(Buffer.from(secret))
  const terms = createSecretKey(createHmac('sha256', seal).update('sandbox-bank-terms').digest())
  if (keys.size >= KEYS_MAX) keys.clear()
  keys.set(secret, { seal, terms })
  return { seal, terms }
}
