/**
 * The simulated bank's protocol. The driver and the bank both use this file.
 * The API is below the bank's address at `/api`. It takes HTTP Basic credentials: the customer's number and secret. A secret is
 * `<name>_<rest>`. Its name may be shown. Writes take an `Idempotency-Key`, which the bank remembers for a day. Every object
 * that the API returns has its `mode`, `test` or `live`.
 * A buyer arrives at `/orders/<customer>/<reference>?order=<terms>.<name>.<seal>`: the terms as JSON, encrypted and sealed with
 * the secret, so that a buyer can neither change them nor read the callback address in them. So an order needs no request before
 * its buyer arrives. Callbacks are signed with the secret too.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { FAULT_NAMES, type SandboxFault } from '../../contract/faults.ts'
import { CurrencyCode, type Metadata } from '../../contract/fields.ts'

/** The fault that a payment's own metadata names. Other text is rejected when the payment is created. */
export function faultInMetadata(metadata: Metadata | null): SandboxFault | undefined {
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
  const terms = mask(secret, seal, Buffer.from(text)).toString('base64url')
  const at = `${bankUrl}/orders/${encodeURIComponent(customer)}/${encodeURIComponent(order.reference)}`
  return `${at}?order=${terms}.${nameOfSecret(secret)}.${seal}`
}

/** Returns the terms of an order's address as JSON, or null if this secret has not sealed them. */
export function openTerms(secret: string, sealed: { terms: string; seal: string }): string | null {
  const text = mask(secret, sealed.seal, Buffer.from(sealed.terms, 'base64url')).toString()
  return isEqual(sealed.seal, sealOf(secret, text)) ? text : null
}

/** 22 characters of base64url are 131 bits. */
const SEAL_CHARS = 22

/**
 * Computed from the plain text. About half of the digest is shown, so nobody can extend it. One call of `hash` costs a third of an HMAC
 * object, and the address is made in each creation.
 */
function sealOf(secret: string, text: string): string {
  return hash('sha256', `${secret}.sandbox-bank.${text}`, 'base64url').slice(0, SEAL_CHARS)
}

/** Encrypts and decrypts: the bytes are added to a stream of the secret and the seal, so each order has a stream of its own. */
function mask(secret: string, seal: string, bytes: Buffer): Buffer {
  const outputLength = bytes.length
  const stream = hash('shake256', `${secret}.sandbox-bank-terms.${seal}`, {
    outputEncoding: 'buffer',
    outputLength,
  })
  for (let at = 0; at < outputLength; at++) stream[at] = (stream[at] as number) ^ (bytes[at] as number)
  return stream
}

/** Takes equally long for a wrong text and for the right one. */
export function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** In this header a callback has `<name>=<signature>` for each secret that the bank accepts, with commas between them. */
export const SIGNATURE_HEADER = 'x-bank-signature'

export function signatureOf(secret: string, body: string | Buffer): string {
  return createHmac('sha256', secret).update('sandbox-callback.').update(body).digest('hex')
}
